import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { compactCommand } from "../../model/context.ts";
import { isImage } from "../../model/images.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { Attachments } from "../../state/server/attachments.ts";
import { MenuItem } from "../../ui/item.tsx";

export interface InsertProps {
  readonly pane: Pane;
  readonly onInsert: (text: string) => void;
  readonly onClose: () => void;
}

/** Images and snippets to put into the message; choosing one never sends. */
export function Insert({ pane, onInsert, onClose }: InsertProps): JSX.Element {
  const attachments = usePart(Attachments);
  const { messages, preferences, router } = useBrowser();
  const { snippets } = preferences.current.value;
  const compact = compactCommand(pane);
  const files = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const take = (event: Event & { readonly currentTarget: HTMLInputElement }) => {
    attachments.add(pane, [...(event.currentTarget.files ?? [])].filter(isImage));
    onClose();
  };
  const paste = async () => {
    const pasted = await readClipboard().catch(() => null);
    if (pasted === null) return messages.alert("The browser did not allow pasting.");
    if (pasted.text !== "") onInsert(pasted.text);
    if (pasted.images.length > 0) {
      attachments.add(pane, pasted.images);
      onClose();
    }
    if (pasted.text === "" && pasted.images.length === 0)
      messages.say("There is nothing to paste.");
  };
  return (
    <div
      class="insert-menu"
      role="group"
      aria-label="Attach or insert"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <MenuItem icon="image" label="Photo or screenshot" onClick={() => files.current?.click()} />
      {navigator.maxTouchPoints > 0 && (
        <MenuItem icon="camera" label="Take a photo" onClick={() => camera.current?.click()} />
      )}
      {typeof navigator.clipboard?.read === "function" && (
        <MenuItem icon="clipboard" label="Paste" onClick={() => void paste()}>
          <span class="hint">text or image</span>
        </MenuItem>
      )}
      <input ref={files} type="file" accept="image/*,.heic,.heif" multiple hidden onChange={take} />
      <input
        ref={camera}
        type="file"
        accept="image/*"
        capture="environment"
        hidden
        onChange={take}
      />
      <hr />
      <div role="group" aria-label="Snippets">
        <h2>Snippets</h2>
        {snippets.length === 0 && <p class="hint">No snippets yet. Add them in Settings.</p>}
        {snippets.map((snippet) => (
          <MenuItem key={snippet} icon="braces" label={snippet} onClick={() => onInsert(snippet)} />
        ))}
        {compact !== null && !snippets.includes(compact) && (
          <MenuItem icon="braces" label={compact} onClick={() => onInsert(compact)} />
        )}
        <MenuItem
          icon="plus"
          label="New snippet"
          onClick={() => router.show("settings-snippets")}
        />
      </div>
    </div>
  );
}

async function readClipboard(): Promise<{ readonly text: string; readonly images: File[] }> {
  const images: File[] = [];
  let text = "";
  for (const item of await navigator.clipboard.read()) {
    const type = item.types.find((one) => one.startsWith("image/"));
    if (type !== undefined) images.push(new File([await item.getType(type)], "", { type }));
    else if (item.types.includes("text/plain"))
      text += await (await item.getType("text/plain")).text();
  }
  return { text, images };
}
