import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { compactCommand } from "../../model/lifecycle.ts";
import { isImage } from "../../model/compose.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import {
  type Attachment,
  type AttachmentFault,
  Attachments,
} from "../../state/server/attachments.ts";
import { Button, IconButton, Icon } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { MenuItem } from "../../ui/item.tsx";
import { faultOf } from "../parts/query-status.tsx";
import { TerminalText } from "../parts/text.tsx";

/** Images and snippets to put into the message; choosing one never sends. */
export function Insert(props: {
  readonly pane: Pane;
  readonly onInsert: (text: string) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { pane, onInsert, onClose } = props;
  const attachments = usePart(Attachments);
  const { messages, preferences, router } = useBrowser();
  const { snippets } = preferences.current.value;
  const offered = [...new Set([...snippets, compactCommand(pane) ?? ""])].filter(Boolean);
  const files = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const box = menu.current;
    return () => {
      if (opener instanceof HTMLElement) giveFocus(opener, box);
    };
  }, []);
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
    <div ref={menu} class="insert-menu scrolls" role="group" aria-label="Attach or insert">
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
        <h2 class="flex between fs-12 bold text-2">
          Snippets
          <Button
            tone="plain"
            size="small"
            aria-label="New snippet"
            onClick={() => router.show("settings-snippets")}
          >
            New
          </Button>
        </h2>
        {snippets.length === 0 && <p class="hint">No snippets yet.</p>}
        {offered.map((snippet) => (
          <MenuItem key={snippet} icon="braces" label={snippet} onClick={() => onInsert(snippet)} />
        ))}
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

export function AttachmentChips({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const { drafts } = useServer();
  const attachments = usePart(Attachments);
  const uploads = attachments.of(pane).value;
  const { images } = drafts.of(pane).value;
  if (uploads.length + images.length === 0) return null;
  return (
    <ul class="attachments flex scrolls-x gap-8" aria-label="Attached images">
      {uploads.map((upload) => (
        <Upload key={upload.id} pane={pane} upload={upload} />
      ))}
      {images.map((image) => (
        <Chip
          key={image.text}
          name={image.name}
          picture={<Icon name="image" />}
          onRemove={() =>
            drafts.set(pane, { images: images.filter(({ text }) => text !== image.text) })
          }
        >
          <span>Goes with the message</span>
        </Chip>
      ))}
    </ul>
  );
}

function Upload(props: { readonly pane: Pane; readonly upload: Attachment }): JSX.Element {
  const { pane, upload } = props;
  const attachments = usePart(Attachments);
  const { name, preview, step, fault } = upload;
  return (
    <Chip
      name={name}
      picture={fault === null ? <img src={preview} alt="" /> : <Icon name="warning" />}
      isWrong={fault !== null}
      onRemove={() => attachments.remove(pane, upload)}
    >
      {fault === null ? (
        <span>{step === "preparing" ? "Preparing" : "Sending"}</span>
      ) : (
        <span role="alert">{faultText(fault)}</span>
      )}
      {step === "sending" && <progress aria-label={`Upload of ${name}`} />}
      {step === "failed" && canRetry(fault) && (
        <Button
          size="small"
          class="mt-4"
          aria-label={`Retry ${name}`}
          onClick={() => attachments.retry(pane, upload)}
        >
          Retry
        </Button>
      )}
    </Chip>
  );
}

function Chip(props: {
  readonly name: string;
  readonly picture: JSX.Element;
  readonly isWrong?: boolean;
  readonly onRemove: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { picture, isWrong = false, onRemove, children } = props;
  const name = props.name === "" ? "Image" : props.name;
  return (
    <li class={`attachment flex rigid gap-8 fs-12 text-2 fill round-2 ${isWrong ? "wrong" : ""}`}>
      {picture}
      <span class="attachment-text">
        <span class="truncate text-1">
          <TerminalText text={name} />
        </span>
        {children}
      </span>
      <IconButton icon="close" label={`Remove ${name}`} onClick={onRemove} />
    </li>
  );
}

/** An image that is itself wrong would be refused again. */
function canRetry(fault: AttachmentFault | null): boolean {
  if (fault === null || typeof fault === "string") return false;
  return fault.kind !== "refused" || ![413, 415].includes(fault.status);
}

function faultText(fault: AttachmentFault): string {
  if (typeof fault === "string") return FAULTS[fault] ?? fault;
  const known = FAULTS[fault.kind === "refused" ? fault.status : fault.kind];
  return known ?? faultOf("Not uploaded", fault);
}

const FAULTS: Readonly<Record<string, string>> = {
  heic: "This browser cannot read HEIC. Choose a JPEG or PNG.",
  not_readable: "This is no image that the browser can read.",
  too_large: "Larger than 20 MiB.",
  lost: "The upload broke off.",
  unauthorized: "Signed out.",
  404: "This server takes no images.",
  413: "Larger than 20 MiB.",
  415: "Only PNG, JPEG, WebP and GIF.",
  507: "The server has no room for images now.",
};
