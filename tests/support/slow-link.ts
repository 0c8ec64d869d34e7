import net from "node:net";

/** How often what the link has carried arrives, in milliseconds. */
const STEP_MS = 20;

export interface SlowLinkOptions {
  /** Of all connections together, as on a phone. */
  bitsPerSecond: number;
  roundTripMs: number;
}

/** A relay on loopback that carries what a slow link would: connections share its rate and its delay. */
export class SlowLink {
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #options: SlowLinkOptions;
  /** When the last byte that was taken will have been carried. */
  #freeAt = 0;

  private constructor(port: number, options: SlowLinkOptions) {
    this.#options = options;
    this.#server = net.createServer((client) => {
      const far = net.connect(port, "127.0.0.1");
      this.#carry(client, far, false);
      this.#carry(far, client, true);
    });
  }

  static async to(port: number, options: SlowLinkOptions): Promise<SlowLink> {
    const link = new SlowLink(port, options);
    await new Promise<void>((resolve) => link.#server.listen(0, "127.0.0.1", resolve));
    return link;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the relay has no port");
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #carry(from: net.Socket, to: net.Socket, isShared: boolean): void {
    this.#sockets.add(from);
    const later = (atMs: number, run: () => void) => {
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer);
          run();
        },
        Math.max(0, atMs - performance.now()),
      );
      this.#timers.add(timer);
    };
    let arrivedMs = 0;
    from.on("data", (chunk: Buffer) => {
      const step = Math.max(1, Math.floor((this.#options.bitsPerSecond / 8000) * STEP_MS));
      for (let at = 0; at < chunk.length; at += step) {
        const part = chunk.subarray(at, at + step);
        arrivedMs = Math.max(arrivedMs, this.#carriedMs(part.length, isShared));
        later(arrivedMs, () => to.write(part));
      }
      // One window for all: what is on its way is not read ahead of.
      if (isShared && arrivedMs > performance.now()) {
        from.pause();
        later(arrivedMs, () => from.resume());
      }
    });
    from.on("error", () => to.destroy());
    from.on("close", () => {
      this.#sockets.delete(from);
      later(arrivedMs, () => to.destroy());
    });
  }

  /** When bytes that are sent now arrive. */
  #carriedMs(bytes: number, isShared: boolean): number {
    const { bitsPerSecond, roundTripMs } = this.#options;
    const now = performance.now();
    if (!isShared) return now + roundTripMs / 2;
    this.#freeAt = Math.max(this.#freeAt, now) + (bytes * 8000) / bitsPerSecond;
    return this.#freeAt + roundTripMs / 2;
  }
}
