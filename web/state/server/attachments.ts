import {
  LOW_DATA_SIDE,
  MAX_IMAGE_BYTES,
  drawnSize,
  isHeic,
  needsDrawing,
} from "../../model/compose.ts";
import type { Pane } from "../../model/pane.ts";
import type { Failure } from "../../net/api.ts";
import { Signals, Part } from "./part.ts";

const JPEG_QUALITY = 0.88;
/** For the largest image over a slow link; one that hangs must not block Send for good. */
const TIMEOUT_MS = 5 * 60_000;

export type AttachmentFault = "not_readable" | "heic" | "too_large" | Failure;

export interface Attachment {
  readonly id: number;
  readonly file: File;
  readonly name: string;
  /** Object URL. */
  readonly preview: string;
  readonly step: "preparing" | "sending" | "failed";
  readonly fault: AttachmentFault | null;
  readonly abort: AbortController;
}

/**
 * Images for messages: encoded anew where needed, uploaded, and put into the draft of their pane.
 */
export class Attachments extends Part {
  /** By pane id, so that a pane in the same place gets none of them. */
  readonly #open = new Signals<readonly Attachment[]>([]);
  #next = 1;

  of = (pane: Pane) => this.#open.of(pane.id);

  add(pane: Pane, files: readonly File[]): void {
    for (const file of files) {
      const attachment: Attachment = {
        id: this.#next++,
        file,
        name: file.name,
        preview: URL.createObjectURL(file),
        step: "preparing",
        fault: null,
        abort: new AbortController(),
      };
      const all = this.of(pane);
      all.value = [...all.value, attachment];
      void this.#send(pane, attachment);
    }
  }

  retry(pane: Pane, attachment: Attachment): void {
    this.#change(pane, attachment.id, { step: "preparing", fault: null });
    void this.#send(pane, attachment);
  }

  remove(pane: Pane, { id, preview, abort }: Attachment): void {
    abort.abort();
    URL.revokeObjectURL(preview);
    const all = this.of(pane);
    all.value = all.value.filter((one) => one.id !== id);
  }

  async #send(pane: Pane, attachment: Attachment): Promise<void> {
    const { api, browser, drafts, signedOut } = this.server;
    const { id, file } = attachment;
    const fail = (fault: AttachmentFault) => this.#change(pane, id, { step: "failed", fault });
    const abort = AbortSignal.any([attachment.abort.signal, signedOut]);
    const image = await prepare(file, browser.wantsLowData);
    if (abort.aborted) return;
    if (!(image instanceof Blob)) return fail(image);
    if (image.size > MAX_IMAGE_BYTES) return fail("too_large");
    this.#change(pane, id, { step: "sending" });
    const result = await api.call("POST /api/images", {
      image,
      query: { id: pane.id },
      signal: abort,
      timeoutMs: TIMEOUT_MS,
    });
    if (abort.aborted) return;
    if (!result.ok) return fail(result.failure);
    const { terminal_text, expires_at } = result.value;
    const uploaded = { name: file.name, text: terminal_text, expiresAt: expires_at };
    drafts.set(pane, { images: [...drafts.of(pane).peek().images, uploaded] });
    this.remove(pane, attachment);
  }

  #change(pane: Pane, id: number, change: Partial<Attachment>): void {
    const all = this.of(pane);
    all.value = all.value.map((one) => (one.id === id ? { ...one, ...change } : one));
  }
}

async function prepare(file: File, lowData: boolean): Promise<Blob | "heic" | "not_readable"> {
  if (!needsDrawing(file, lowData)) return file;
  const picture = await createImageBitmap(file).catch(() => null);
  if (picture === null) return isHeic(file) ? "heic" : "not_readable";
  const longest = lowData ? LOW_DATA_SIDE : Number.POSITIVE_INFINITY;
  const { width, height } = drawnSize(picture.width, picture.height, longest);
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  context?.drawImage(picture, 0, 0, width, height);
  picture.close();
  const drawn = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, "image/jpeg", JPEG_QUALITY),
  );
  return context === null || drawn === null ? "not_readable" : drawn;
}
