import type { UploadedImage } from "../../src/protocol/images.ts";
import type { Failure, Result } from "./api.ts";

/** The largest image over a slow link; one that hangs must not keep Send off. */
const TIMEOUT_MS = 5 * 60_000;

export interface UploadOptions {
  /** The pane that it is for: the image goes to its machine. */
  readonly paneId: string;
  readonly token: string;
  readonly signal: AbortSignal;
  /** The part that has left, 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/** Sends an image. Not by `fetch`, which does not tell how far it is. */
export function uploadImage(image: Blob, options: UploadOptions): Promise<Result<UploadedImage>> {
  const { paneId, token, signal, onProgress } = options;
  const request = new XMLHttpRequest();
  request.timeout = TIMEOUT_MS;
  request.open("POST", `/api/images?${new URLSearchParams({ id: paneId })}`);
  request.responseType = "json";
  request.setRequestHeader("Content-Type", image.type);
  if (token !== "") request.setRequestHeader("Authorization", `Bearer ${token}`);
  request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
    if (lengthComputable && total > 0) onProgress(loaded / total);
  };
  signal.addEventListener("abort", () => request.abort());
  return new Promise((resolve) => {
    const fail = (failure: Failure) => resolve({ ok: false, failure });
    request.onerror = request.onabort = request.ontimeout = () => fail({ kind: "lost" });
    request.onload = () => {
      const { status } = request;
      const body: unknown = request.response;
      if (status === 401) return fail({ kind: "unauthorized" });
      // The server's word; what it says is checked in its own tests.
      if (status >= 200 && status < 300 && body !== null)
        return resolve({ ok: true, value: body as UploadedImage });
      const detail = typeof body === "object" && body !== null ? Reflect.get(body, "detail") : null;
      fail({ kind: "refused", status, detail });
    };
    request.send(image);
  });
}
