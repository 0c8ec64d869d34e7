import type { JSX } from "preact";
import type { Pane } from "../../model/pane.ts";
import { type Client, useClient } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { copyText } from "./copy.ts";

export const COPY_LINES = 40;

/** Copies the last lines of a pane. */
export function copyLast(client: Client, pane: Pane): void {
  copyText(client, pane.lines.slice(-COPY_LINES).join("\n"));
}

/** Lines to be taken elsewhere; a page over plain HTTP has no clipboard, so they are selected. */
export function CopyLines(props: { readonly text: string; readonly label: string }): JSX.Element {
  const { text, label } = props;
  const client = useClient();
  return (
    <div class="copy-lines flex mt-8 terminal-ground round-2">
      <code dir="ltr">{text}</code>
      {client.browser.window.isSecureContext && (
        <IconButton icon="copy" label={label} onClick={() => copyText(client, text)} />
      )}
    </div>
  );
}
