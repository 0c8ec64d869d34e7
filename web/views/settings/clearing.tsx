import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { reasonOf } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { settings as words } from "../../words/settings.ts";

type Step =
  | { readonly step: "offered" | "asking" | "deleting" | "lost" }
  | { readonly step: "refused"; readonly reason: string };

/** Deletes all that was read of sessions, for everyone, after a second word. */
export function ClearWorkspace(): JSX.Element {
  const { api, link, workspace } = useServer();
  const { messages } = useBrowser();
  const [now, setNow] = useState<Step>({ step: "offered" });
  const clear = async () => {
    setNow({ step: "deleting" });
    const result = await api.ask("DELETE", "/api/agents", () => ({ ok: true, value: null }));
    if (result.ok) {
      // Of each session the socket tells; the plan is of all of them.
      const planned = workspace.current.peek()?.planned;
      if (!planned?.sending.isUnderWay) planned?.clear();
      setNow({ step: "offered" });
      return messages.say(words.cleared);
    }
    const { failure } = result;
    if (failure.kind === "unauthorized") link.refuse("unauthorized");
    const isRefused = failure.kind === "refused";
    setNow(isRefused ? { step: "refused", reason: reasonOf(failure) } : { step: "lost" });
  };
  const isOpen = now.step === "asking" || now.step === "deleting";
  return (
    <div class="set clearing">
      <div class="item">
        <span class="grow">
          <span class="danger-text">{words.clear}</span>
          <span class="item-hint">{isOpen ? words.clearForGood : words.clearHint}</span>
        </span>
        {!isOpen && (
          <Button size="small" aria-label={words.clear} onClick={() => setNow({ step: "asking" })}>
            {words.clearOpen}
          </Button>
        )}
      </div>
      {isOpen && (
        <div class="actions">
          <Button tone="danger" disabled={now.step === "deleting"} onClick={() => void clear()}>
            {now.step === "deleting" ? words.clearing : words.clearNow}
          </Button>
          <Button disabled={now.step === "deleting"} onClick={() => setNow({ step: "offered" })}>
            {common.cancel}
          </Button>
        </div>
      )}
      {now.step === "refused" && (
        <p class="saving wrong" role="alert">
          {words.notCleared(now.reason)}
        </p>
      )}
      {now.step === "lost" && (
        <p class="saving wrong" role="alert">
          {words.clearLost}
        </p>
      )}
    </div>
  );
}
