import type { ComponentChild, JSX } from "preact";
import { type Pane, placeOf, programLabel } from "../../model/pane.ts";
import { visiblePieces } from "../../model/text.ts";
import { type Client, useServer } from "../../state/client.ts";
import { more } from "../more.tsx";

/**
 * Untrusted text with its hidden marks drawn, in the direction of what it stands in. That is not decided by
 * the letters of a mark that begins it; thousands with a direction of their own would hold the page.
 */
export const visibleText = (text: string): readonly ComponentChild[] =>
  visiblePieces(text).map((piece, i) =>
    "mark" in piece ? (
      <span class="hidden-mark" dir={i === 0 ? "ltr" : undefined}>
        {piece.mark}
      </span>
    ) : (
      piece.text
    ),
  );

/** Untrusted text of a terminal in one direction of its own. */
export function TerminalText(props: {
  readonly text: string;
  readonly dir?: "auto" | "ltr";
  readonly class?: string;
  readonly id?: string | undefined;
  readonly as?: "b" | "code" | "h2" | "span";
}): JSX.Element {
  const { text, dir = "auto", class: look = "", id, as: Element = "span" } = props;
  return (
    <Element class={`untrusted ${look}`} dir={dir} id={id}>
      {visibleText(text)}
    </Element>
  );
}

/** Where a pane is and what runs in it: `api › auth · Claude Code`. */
export function PanePath({ pane }: { readonly pane: Pane }): JSX.Element {
  const { config, hosts } = useServer();
  const parts = placeOf(pane);
  const program = programLabel(pane, config.labels.value);
  return (
    <span class="place">
      {hosts.value.length > 0 && <more.HostChip pane={pane} />}
      {parts.map((part, i) => (
        <span key={i}>
          {i > 0 && " › "}
          <TerminalText text={part} />
        </span>
      ))}
      {program !== "" && (
        <span>
          {parts.length > 0 && " · "}
          <TerminalText text={program} />
        </span>
      )}
    </span>
  );
}

/** Copies a text and says how it went. */
export function copyText({ browser: { messages } }: Client, text: string): void {
  // Absent on plain HTTP, where the browser has no clipboard for pages.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  const copied = clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
  copied.then(
    () => messages.say("Copied"),
    () => messages.alert("The browser did not allow copying."),
  );
}
