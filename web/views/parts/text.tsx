import type { ComponentChild, JSX } from "preact";
import { type Pane, placeOf, programLabel } from "../../model/pane.ts";
import { visiblePieces } from "../../model/text.ts";
import { type Client, useServer } from "../../state/client.ts";
import { optional } from "../more.tsx";

/**
 * Untrusted text with its hidden characters drawn as marks. A mark at the beginning is `ltr`, so that its
 * letters do not decide the direction of the text; thousands of marks with a `dir` would block the page.
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

/** Untrusted text, whose direction does not reach the text around it. */
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
      {hosts.value.length > 0 && <optional.HostChip pane={pane} />}
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

/** Copies a text and tells the reader whether it worked. */
export function copyText({ browser: { messages } }: Client, text: string): void {
  // Absent on plain HTTP.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  const copied = clipboard?.writeText(text) ?? copySelected(text);
  copied.then(
    () => messages.say("Copied"),
    () => messages.alert("The browser did not allow copying."),
  );
}

/** Selects the text and copies the selection, which browsers allow on plain HTTP too. */
async function copySelected(text: string): Promise<void> {
  const selected = document.createElement("pre");
  selected.className = "visually-hidden";
  selected.style.whiteSpace = "pre";
  selected.textContent = text;
  document.body.append(selected);
  getSelection()?.selectAllChildren(selected);
  const isCopied = document.execCommand("copy");
  selected.remove();
  if (!isCopied) throw new Error("not copied");
}
