import type { Socket } from "bun";

/** Writes all bytes, however slowly the other side reads, and then ends the connection. */
export class Outbox {
  #rest: Uint8Array = new Uint8Array();
  #isEnding = false;

  write(socket: Pick<Socket<unknown>, "write" | "end">, bytes: string | Uint8Array): void {
    const more = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    this.#rest = this.#rest.length === 0 ? more : Buffer.concat([this.#rest, more]);
    this.drain(socket);
  }

  end(socket: Pick<Socket<unknown>, "write" | "end">, bytes: string | Uint8Array = ""): void {
    this.#isEnding = true;
    this.write(socket, bytes);
  }

  drain(socket: Pick<Socket<unknown>, "write" | "end">): void {
    while (this.#rest.length > 0) {
      const written = socket.write(this.#rest);
      if (written <= 0) return;
      this.#rest = this.#rest.subarray(written);
    }
    if (this.#isEnding) socket.end();
  }
}
