import type { JSX } from "preact";
import type { Answer } from "../../model/answer.ts";
import {
  appearanceOf,
  canSelect,
  isPlaceholder,
  nativeDoubt,
  takesInput,
  waits,
  type Pane,
} from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { answer as words } from "../../words/queue.ts";
import { more } from "../more.tsx";
import { unknownWord } from "../parts/unknown.ts";
import { Notice } from "../../ui/notice.tsx";

/** What stands between the reader and an answer, in words. */
export function AnswerNotice(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
}): JSX.Element | null {
  const { pane, answer } = props;
  if (answer?.step === "changed")
    return (
      <Notice icon="refresh" tone="needs" title="This prompt just changed" isAlert>
        Read it again before you answer.
      </Notice>
    );
  if (answer?.step === "refused")
    return (
      <Notice icon="warning" tone="error" title={refusedTitle(answer)} isAlert>
        {refusedText(answer)}
      </Notice>
    );
  if (answer !== null) return null;
  return <PaneNotice pane={pane} />;
}

function PaneNotice({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const { outage } = useServer();
  // Said above all panes.
  if (outage.value !== null) return null;
  if (appearanceOf(pane) === "stale" && pane.host) return <more.HostAway name={pane.host} />;
  if (appearanceOf(pane) === "stale")
    return (
      <Notice icon="clock" tone="stale" title="This pane cannot be read">
        What is shown is from before. Answers come back when it can be read.
      </Notice>
    );
  const unknown = unknownWord(pane);
  if (unknown !== null) return <Notice icon="info" tone="stale" title={unknown} />;
  const hasNoSafeAnswer = pane.menu.length > 0 && !pane.menu.some((o) => canSelect(pane, o));
  if ((!takesInput(pane) || hasNoSafeAnswer) && !isPlaceholder(pane.id))
    return <Notice icon="lock" tone="stale" title="Answer this one in the terminal." />;
  return null;
}

/** Where the provider says another thing than the screen: the screen is what is answered. */
export function NativeDoubt({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const { config } = useServer();
  const said = nativeDoubt(pane);
  if (said === null) return null;
  const provider = config.labels.value[pane.provider] ?? pane.provider;
  return <p class="hint">{words.nativeDoubt(provider, said, waits(pane))}</p>;
}

type Refused = Extract<Answer, { step: "refused" }>;

function refusedTitle({ conflict }: Refused): string {
  if (conflict === "prompt_changed") return words.refusedTitle("prompt");
  return words.refusedTitle(conflict === "options_changed" ? "options" : "other");
}

function refusedText({ conflict, reason }: Refused): string {
  if (conflict === "other" && reason !== "") return `The server refused it: ${reason}`;
  return words.refusedText[conflict];
}
