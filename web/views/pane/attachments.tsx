import type { ComponentChildren, JSX } from "preact";
import type { Pane } from "../../model/pane.ts";
import {
  type Attachment,
  type AttachmentFault,
  Attachments,
} from "../../state/server/attachments.ts";
import { usePart, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { images as words } from "../../words/images.ts";
import { TerminalText } from "../parts/text.tsx";
import { sentenceOf } from "../../net/api.ts";

/** The images that go with a message, and those on their way. */
export function AttachmentChips({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const { drafts } = useServer();
  const attachments = usePart(Attachments);
  const uploads = attachments.of(pane).value;
  const { images } = drafts.of(pane).value;
  if (uploads.length + images.length === 0) return null;
  return (
    <ul class="attachments" aria-label={words.attached}>
      {uploads.map((upload) => (
        <Upload key={upload.id} pane={pane} upload={upload} />
      ))}
      {images.map((image) => (
        <Chip
          key={image.text}
          name={image.name}
          picture={<Icon name="image" />}
          text={words.ready}
          onRemove={() =>
            drafts.set(pane, { images: images.filter(({ text }) => text !== image.text) })
          }
        />
      ))}
    </ul>
  );
}

function Upload(props: { readonly pane: Pane; readonly upload: Attachment }): JSX.Element {
  const { pane, upload } = props;
  const attachments = usePart(Attachments);
  const { name, preview, step, progress, fault } = upload;
  return (
    <Chip
      name={name}
      picture={fault === null ? <img src={preview} alt="" /> : <Icon name="warning" />}
      text={step === "preparing" ? words.preparing : words.sending(progress)}
      fault={fault}
      onRemove={() => attachments.remove(pane, upload)}
    >
      {step === "sending" && (
        <progress max={1} value={progress} aria-label={words.uploading(name)} />
      )}
      {step === "failed" && canRetry(fault) && (
        <Button
          size="small"
          aria-label={words.retryName(name)}
          onClick={() => attachments.retry(pane, upload)}
        >
          {words.retry}
        </Button>
      )}
    </Chip>
  );
}

function Chip(props: {
  readonly name: string;
  readonly picture: JSX.Element;
  readonly text: string;
  readonly fault?: AttachmentFault | null;
  readonly onRemove: () => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { picture, text, fault = null, onRemove, children } = props;
  const name = props.name === "" ? words.unnamed : props.name;
  return (
    <li class={`attachment ${fault === null ? "" : "wrong"}`}>
      {picture}
      <span class="attachment-text">
        <span class="truncate">
          <TerminalText text={name} />
        </span>
        <span role={fault === null ? undefined : "alert"}>
          {fault === null ? text : faultText(fault)}
        </span>
        {children}
      </span>
      <IconButton icon="close" label={words.remove(name)} onClick={onRemove} />
    </li>
  );
}

/** The same image again can only fail the same way where it is the image that is wrong. */
function canRetry(fault: AttachmentFault | null): boolean {
  if (fault === null || typeof fault === "string") return false;
  return fault.kind !== "refused" || ![413, 415].includes(fault.status);
}

function faultText(fault: AttachmentFault): string {
  const { faults } = words;
  if (typeof fault === "string") return faults[fault];
  if (fault.kind !== "refused") return faults[fault.kind];
  const { status } = fault;
  if (status === 404 || status === 413 || status === 415 || status === 507) return faults[status];
  return faults.other(sentenceOf(fault));
}
