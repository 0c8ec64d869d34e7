import { isSameSocket } from "./examine.ts";
import type { SocketFile } from "./identity.ts";
import { MAX_OUTPUT_BYTES } from "./tool.ts";
import { WspFailure } from "./wire.ts";

interface LineHandlers {
  /** From here on the server may have acted on the request. */
  written?(): void;
  line(text: string): void;
  failed(failure: WspFailure): void;
}

/**
 * Sends one request on a connection of its own and hands over the lines that come back. The request is
 * written in the turn in which the connection opens: the server looks for one when it accepts, and then
 * only every 100 ms.
 * @returns a function that closes the connection; no handler is called after that
 */
export function converse(file: SocketFile, request: string, handlers: LineHandlers): () => void {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let unsent: Uint8Array = new TextEncoder().encode(`${request}\n`);
  // One write takes as much as the system has room for: on some systems that is 8 KiB.
  const write = (socket: Bun.Socket) => {
    unsent = unsent.subarray(socket.write(unsent));
    socket.flush();
  };
  let rest: string[] = [];
  let size = 0;
  let isOver = false;
  let end = () => {};
  const close = () => {
    isOver = true;
    end();
  };
  const fail = (failure: WspFailure) => {
    if (isOver) return;
    close();
    handlers.failed(failure);
  };
  const nobody = (cause: unknown) =>
    fail(new WspFailure("session_unavailable", "nobody answers at the socket", { cause }));
  const take = (text: string) => {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      handlers.line(rest.join("") + line);
      rest = [];
      size = 0;
      if (isOver) return;
    }
    rest.push(last);
  };
  Bun.connect({
    unix: file.path,
    socket: {
      open(socket) {
        end = () => void socket.terminate();
        if (isOver) return end();
        // Another server may have taken the path between two requests.
        if (!isSameSocket(file))
          return fail(new WspFailure("socket_invalid", "the socket is another file now"));
        handlers.written?.();
        write(socket);
      },
      drain: write,
      data(_, data) {
        if (isOver) return;
        size += data.length;
        if (size > MAX_OUTPUT_BYTES)
          return fail(new WspFailure("oversized", "the socket's answer is too long"));
        let text: string;
        try {
          text = decoder.decode(data, { stream: true });
        } catch (cause) {
          return fail(new WspFailure("malformed", "the answer is not UTF-8", { cause }));
        }
        take(text);
      },
      close: () => fail(closeFailure(size)),
      error: (_, cause) =>
        fail(new WspFailure("session_unavailable", "the socket failed", { cause })),
      connectError: (_, cause) => nobody(cause),
    },
  }).catch(nobody);
  return close;
}

function closeFailure(size: number): WspFailure {
  if (size > 0) return new WspFailure("malformed", "the socket's answer ends in the middle");
  return new WspFailure("command_failed", "the socket closed without an answer");
}
