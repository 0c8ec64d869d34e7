import type { JSX } from "preact";
import { useBrowser } from "../state/client.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { common } from "../words/common.ts";

/**
 * Covers the header, never an answer. The regions stay and their text changes: one that comes with its
 * words is often not said.
 */
export function Toast(): JSX.Element {
  const { messages } = useBrowser();
  const toast = messages.toast.value;
  // Said again with the same words it is another text node, or nobody would hear it.
  const text = toast !== null && <span key={toast.id}>{toast.text}</span>;
  return (
    <div class={toast === null ? "visually-hidden" : "toast flex auto gap-10 round-3"}>
      <span class="visually-hidden" aria-live="polite">
        {messages.said.value}
      </span>
      <span class="grow">
        <span aria-live="polite">{toast?.isAlert === false && text}</span>
        <span aria-live="assertive">{toast?.isAlert === true && text}</span>
      </span>
      {toast !== null && toast.action !== null && (
        <Button tone="plain" onClick={toast.action.run}>
          {toast.action.label}
        </Button>
      )}
      {toast !== null && (
        <IconButton icon="close" label={common.close} onClick={() => messages.dismiss()} />
      )}
    </div>
  );
}
