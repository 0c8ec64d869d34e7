import { WspFailure } from "./failure.ts";
import type { SocketFile } from "./identity.ts";
import { isSameSocket } from "./examine.ts";
import { MAX_OUTPUT_BYTES } from "./tool.ts";

export interface AskOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** From here on the server may have acted, whatever comes back. */
  onWritten?: () => void;
}

/**
 * One request on a connection of its own, and the one line that comes back. The request is written
 * in the turn in which the connection opens: the server looks for it once when it accepts, and then
 * only every 100 ms.
 * @throws WspFailure when no whole line came back
 */
export function askSocket(
  file: SocketFile,
  request: string,
  { timeoutMs, signal, onWritten }: AskOptions,
): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isOver = false;
  let close = () => {};
  const end = (settle: () => void) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    close();
    settle();
  };
  const fail = (failure: WspFailure) => end(() => reject(failure));
  const timer = setTimeout(
    () => fail(new WspFailure("timeout", `the socket gave no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const onAbort = () => fail(new WspFailure("timeout", "the request was stopped"));
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  Bun.connect({
    unix: file.path,
    socket: {
      open(socket) {
        close = () => void socket.terminate();
        if (isOver) return close();
        // Another server may have taken the path between two requests.
        if (!isSameSocket(file))
          return fail(new WspFailure("socket_invalid", "the socket is another file now"));
        onWritten?.();
        socket.write(`${request}\n`);
        socket.flush();
      },
      data(_, data) {
        size += data.length;
        if (size > MAX_OUTPUT_BYTES)
          return fail(new WspFailure("oversized", "the socket's answer is too long"));
        chunks.push(new Uint8Array(data));
        const last = data.indexOf(0x0a);
        if (last >= 0) end(() => resolve(lineOf(chunks)));
      },
      close: () => fail(closed(size)),
      error: (_, cause) =>
        fail(new WspFailure("session_unavailable", "the socket failed", { cause })),
      connectError: (_, cause) =>
        fail(new WspFailure("session_unavailable", "nobody answers at the socket", { cause })),
    },
  }).catch((cause: unknown) =>
    fail(new WspFailure("session_unavailable", "nobody answers at the socket", { cause })),
  );
  return promise;
}

function closed(size: number): WspFailure {
  if (size > 0) return new WspFailure("malformed", "the socket's answer ends in the middle");
  return new WspFailure("command_failed", "the socket closed without an answer");
}

function lineOf(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  return whole.subarray(0, whole.indexOf(0x0a));
}
