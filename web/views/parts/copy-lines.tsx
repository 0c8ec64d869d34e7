import type { JSX } from "preact";
import { useClient } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { copyText } from "./copy.ts";

/** Lines to be taken elsewhere; a page over plain HTTP has no clipboard, so they are selected. */
export function CopyLines(props: { readonly text: string; readonly label: string }): JSX.Element {
  const { text, label } = props;
  const client = useClient();
  return (
    <div class="copy-lines flex mt-8 round-2">
      <code dir="ltr">{text}</code>
      {client.browser.window.isSecureContext && (
        <IconButton icon="copy" label={label} onClick={() => copyText(client, text)} />
      )}
    </div>
  );
}
