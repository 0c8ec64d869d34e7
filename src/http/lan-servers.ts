import type { Log } from "../lib/log.ts";
import { isLoopback } from "../lib/loopback.ts";
import type { HttpServer } from "./server.ts";

export interface LanServersDeps {
  /** Where the service listens by its configuration. */
  bound: () => { host: string; port: number };
  /** Origins under which it is reached. */
  addresses: () => readonly string[];
  /** Addresses of this machine's network interfaces. */
  interfaces: () => readonly string[];
  /** @throws StartupError where it cannot be listened at */
  start: (host: string) => HttpServer;
  log: Pick<Log, "info" | "warn">;
}

/**
 * Listens in the local network too, while an address there has been accepted. The service itself
 * stays where its configuration says.
 */
export class LanServers {
  readonly #deps: LanServersDeps;
  readonly #open = new Map<string, HttpServer>();

  constructor(deps: LanServersDeps) {
    this.#deps = deps;
  }

  /** Opens what is accepted now, and closes what is no more. */
  follow(): void {
    const wanted = lanHosts(this.#deps);
    for (const [host, server] of [...this.#open]) {
      if (wanted.includes(host)) continue;
      this.#open.delete(host);
      void server.stop();
    }
    for (const host of wanted) if (!this.#open.has(host)) this.#listen(host);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#open.values()].map((server) => server.stop()));
  }

  #listen(host: string): void {
    const { log, start } = this.#deps;
    try {
      this.#open.set(host, start(host));
      log.info(`listening at ${host} too, without encryption`);
    } catch (error) {
      log.warn(`cannot listen at ${host}, which was accepted as an address: ${String(error)}`);
    }
  }
}

function lanHosts({ addresses, bound, interfaces }: LanServersDeps): string[] {
  const { host, port } = bound();
  // Whoever listens everywhere, or there already, needs no second server.
  if (!isLoopback(host)) return [];
  const own = new Set(interfaces());
  return addresses().flatMap((address) => {
    const url = new URL(address);
    const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
    return url.protocol === "http:" && url.port === String(port) && own.has(name) ? [name] : [];
  });
}
