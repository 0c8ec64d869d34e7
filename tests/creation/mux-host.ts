import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { Creation, type CreationDeps } from "../../src/creation/creation.ts";
import { localDisk } from "../../src/creation/roots.ts";
import type { RuntimeCommands } from "../../src/creation/runtimes.ts";
import { Semaphore } from "../../src/lib/lock.ts";
import { run } from "../../src/lib/run.ts";
import { MuxCreation } from "../../src/terminal/mux/creation.ts";
import { argumentsOf } from "../../src/terminal/mux/tmux.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

/** Creates panes below the folder `code` of this host, with these runtimes. */
export function creationOn(...what: Parameters<typeof depsOn>): Creation {
  return new Creation(depsOn(...what));
}

export function depsOn(
  host: MuxHost,
  runtimes: RuntimeCommands,
  change: Partial<CreationDeps> = {},
): CreationDeps {
  const code = join(host.folder, "code");
  return {
    enabled: true,
    disk: localDisk,
    lock: new Semaphore(1),
    roots: [{ label: "code", path: code }],
    runtimes,
    mux: host.mux,
    muxUnavailable: () => null,
    paneDirectories: () => [],
    created: async () => {},
    closes: "created",
    firstMessages: { check: () => {}, add: () => {}, of: () => null },
    log: { warn: () => {} },
    ...change,
  };
}

/** A private multiplexer, and a folder for roots. */
export class MuxHost {
  readonly mux: MuxCreation;
  readonly env: Record<string, string | undefined>;
  readonly #server: PrivateTmux;
  readonly #clients: ReturnType<typeof Bun.spawn>[] = [];

  private constructor(
    server: PrivateTmux,
    readonly folder: string,
  ) {
    this.#server = server;
    this.env = { ...server.env, HOME: folder, SHELL: "/bin/sh" };
    this.mux = this.muxOf((args) => this.command(args));
  }

  /** No server runs yet. */
  static async open(): Promise<MuxHost> {
    const server = await PrivateTmux.idle();
    return new MuxHost(server, await realpath(server.folder));
  }

  command(args: readonly string[]): string[] {
    return ["tmux", "-u", "-f", "/dev/null", ...args];
  }

  tmux(...args: string[]): Promise<string> {
    return this.#server.command(...args);
  }

  muxOf(command: (args: readonly string[]) => readonly string[], env = this.env): MuxCreation {
    return new MuxCreation({
      run: (line, limits) => run(command(argumentsOf(line)), { ...limits, env }),
    });
  }

  get socket(): string {
    return this.#server.socket;
  }

  async hasServer(): Promise<boolean> {
    return (await this.#server.run(["list-sessions"])).code === 0;
  }

  /** A server without sessions ends by itself, a moment after the last one. */
  serverEnds(): Promise<boolean> {
    return until(async () => !(await this.hasServer()));
  }

  /** A person's terminal of the given size, attached to a session. */
  async attach(session: string, columns: number, rows: number): Promise<void> {
    const attach = `stty cols ${columns} rows ${rows}; exec tmux -u attach -t '=${session}'`;
    this.#clients.push(
      Bun.spawn(["script", "-qec", attach, "/dev/null"], {
        env: this.env,
        stdin: "pipe",
        stdout: "ignore",
        stderr: "ignore",
      }),
    );
    const clients = () => this.tmux("list-clients", "-F", "#{client_width}x#{client_height}");
    await until(async () => (await clients()).includes(`${columns}x${rows}`));
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    for (const client of this.#clients) {
      client.kill();
      await client.exited;
    }
  }
}
