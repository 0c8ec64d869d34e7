import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";

/** How often what a slow link has carried arrives, in milliseconds. */
const STEP_MS = 20;

interface RelayOptions {
  /** Each way. */
  delayMs?: number;
  /** Towards whoever connects, of all connections together, as on a phone; absent: no bound. */
  bitsPerSecond?: number;
  /** Whoever connects speaks TLS with it. */
  tls?: { key: string; cert: string };
}

/** A relay on loopback that does to what it carries what a network can do. */
export class Relay {
  /** Port of this machine that it leads to. */
  target: number;
  delayMs: number;
  readonly #bitsPerSecond: number;
  readonly #server: net.Server;
  readonly #pairs = new Set<readonly [net.Socket, net.Socket]>();
  #isStalled = false;
  /** When the last byte that was taken will have been carried. */
  #freeAtMs = 0;

  private constructor(target: number, options: RelayOptions) {
    this.target = target;
    this.delayMs = options.delayMs ?? 0;
    this.#bitsPerSecond = options.bitsPerSecond ?? Infinity;
    const opened = (near: net.Socket) => this.#opened(near);
    this.#server = options.tls ? tls.createServer(options.tls, opened) : net.createServer(opened);
  }

  static async to(target: number, options: RelayOptions = {}): Promise<Relay> {
    const relay = new Relay(target, options);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the relay has no port");
    return address.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Nothing arrives any more, in either direction, and nobody is told. */
  stall(): void {
    this.#isStalled = true;
    for (const socket of this.#sockets()) socket.pause();
  }

  flow(): void {
    this.#isStalled = false;
    for (const socket of this.#sockets()) socket.resume();
  }

  /** Every connection ends. */
  cut(): void {
    for (const socket of this.#sockets()) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #sockets(): net.Socket[] {
    return [...this.#pairs].flat();
  }

  #opened(near: net.Socket): void {
    const far = net.connect(this.target, "127.0.0.1");
    const pair = [near, far] as const;
    const towardsNear = new Line();
    this.#pairs.add(pair);
    this.#carry(near, far, new Line(), Infinity);
    this.#carry(far, near, towardsNear, this.#bitsPerSecond);
    for (const socket of pair)
      socket.on("close", () => {
        this.#pairs.delete(pair);
        // What is on its way still arrives.
        const leftMs = Math.max(0, this.#freeAtMs - performance.now()) + this.delayMs;
        towardsNear.after(leftMs, () => pair.forEach((each) => each.destroy()));
      });
  }

  #carry(from: net.Socket, to: net.Socket, line: Line, bitsPerSecond: number): void {
    // The other side learns of an end by its own.
    from.on("error", () => to.destroy());
    if (this.#isStalled) from.pause();
    const bytesPerMs = bitsPerSecond / 8000;
    from.on("data", (bytes: Buffer) => {
      if (bytesPerMs === Infinity) return line.after(this.delayMs, () => to.write(bytes));
      const step = Math.max(1, Math.floor(bytesPerMs * STEP_MS));
      for (let at = 0; at < bytes.length; at += step) {
        const part = bytes.subarray(at, at + step);
        const nowMs = performance.now();
        this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + part.length / bytesPerMs;
        line.after(this.#freeAtMs - nowMs + this.delayMs, () => to.write(part));
      }
      // One window for all: what is on its way is not read ahead of.
      from.pause();
      later(this.#freeAtMs - performance.now() + this.delayMs, () => from.resume());
    });
  }
}

/** Timers that were set in turn may fire in another order; what waits for them runs in its own. */
class Line {
  readonly #waiting: (() => void)[] = [];

  after(ms: number, run: () => void): void {
    this.#waiting.push(run);
    later(ms, () => this.#waiting.shift()?.());
  }
}

function later(ms: number, run: () => void): void {
  if (ms <= 0) run();
  else setTimeout(run, ms);
}
