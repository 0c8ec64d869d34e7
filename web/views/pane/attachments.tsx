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
    <ul class="attachments" aria-label="Attached images">
      {uploads.map((upload) => (
        <Upload key={upload.id} pane={pane} upload={upload} />
      ))}
      {images.map((image) => (
        <Chip
          key={image.text}
          name={image.name}
          picture={<Icon name="image" />}
          text="Goes with the message"
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
      text={step === "preparing" ? "Preparing" : `${Math.round(progress * 100)}%`}
      fault={fault}
      onRemove={() => attachments.remove(pane, upload)}
    >
      {step === "sending" && <progress max={1} value={progress} aria-label={`Upload of ${name}`} />}
      {step === "failed" && canRetry(fault) && (
        <Button
          size="small"
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
  readonly text: string;
  readonly fault?: AttachmentFault | null;
  readonly onRemove: () => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { picture, text, fault = null, onRemove, children } = props;
  const name = props.name === "" ? "Image" : props.name;
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
      <IconButton icon="close" label={`Remove ${name}`} onClick={onRemove} />
    </li>
  );
}

/** The same image again can only fail the same way where it is the image that is wrong. */
function canRetry(fault: AttachmentFault | null): boolean {
  if (fault === null || typeof fault === "string") return false;
  return fault.kind !== "refused" || ![413, 415].includes(fault.status);
}

function faultText(fault: AttachmentFault): string {
  if (typeof fault === "string") return FAULTS[fault];
  if (fault.kind !== "refused") return FAULTS[fault.kind];
  const { status } = fault;
  if (status === 404 || status === 413 || status === 415 || status === 507) return FAULTS[status];
  return FAULTS.other(sentenceOf(fault));
}

const FAULTS = {
  heic: "This browser cannot read HEIC. Choose a JPEG or PNG.",
  not_readable: "This is no image that the browser can read.",
  too_large: "Larger than 20 MiB.",
  lost: "The upload broke off.",
  unauthorized: "Signed out.",
  404: "This server takes no images.",
  413: "Larger than 20 MiB.",
  415: "Only PNG, JPEG, WebP and GIF.",
  507: "The server has no room for images now.",
  other: (reason: string) => (reason === "" ? "Not uploaded." : `Not uploaded: ${reason}`),
};
