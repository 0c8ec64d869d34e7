import { once } from "node:events";
import net from "node:net";

/** A relay on loopback that does to what it carries what a network can do. */
export class Relay {
  /** Each way. */
  delayMs = 0;
  readonly #server: net.Server;
  readonly #pairs = new Set<readonly [net.Socket, net.Socket]>();
  #isStalled = false;
  #isLosing = false;

  private constructor(port: number) {
    this.#server = net.createServer((near) => {
      const far = net.connect(port, "127.0.0.1");
      const pair = [near, far] as const;
      this.#pairs.add(pair);
      this.#carry(near, far);
      this.#carry(far, near);
      for (const socket of pair)
        socket.on("close", () => {
          this.#pairs.delete(pair);
          for (const each of pair) each.destroy();
        });
    });
  }

  static async to(port: number): Promise<Relay> {
    const relay = new Relay(port);
    relay.#server.listen(0, "127.0.0.1");
    await once(relay.#server, "listening");
    return relay;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the relay has no port");
    return address.port;
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

  /** Of the next bytes on the way the half does not arrive. */
  lose(): void {
    this.#isLosing = true;
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

  #carry(from: net.Socket, to: net.Socket): void {
    from.on("error", () => to.destroy());
    if (this.#isStalled) from.pause();
    from.on("data", (bytes: Buffer) => {
      const isLost = this.#isLosing && bytes.length > 1;
      if (isLost) this.#isLosing = false;
      const rest = isLost ? bytes.subarray(bytes.length >> 1) : bytes;
      if (this.delayMs === 0) to.write(rest);
      else setTimeout(() => to.write(rest), this.delayMs);
    });
  }
}
