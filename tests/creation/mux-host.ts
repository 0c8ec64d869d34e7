import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreationMux } from "../../src/creation/mux.ts";
import { run } from "../../src/lib/run.ts";

const DEADLINE_MS = 5000;

/** A private multiplexer server, with a folder of its own for roots. */
export class MuxHost {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "panewatch-creation-")));
  readonly env: Record<string, string | undefined>;
  readonly mux: CreationMux;
  readonly #clients: ReturnType<typeof Bun.spawn>[] = [];

  constructor() {
    const { TMUX: _server, TMUX_PANE: _pane, ...env } = process.env;
    this.env = { ...env, TMUX_TMPDIR: this.folder, HOME: this.folder, SHELL: "/bin/sh" };
    this.mux = new CreationMux({ muxCommand: (args) => this.command(args), env: this.env });
  }

  command(args: readonly string[]): string[] {
    return ["tmux", "-u", "-f", "/dev/null", ...args];
  }

  /** Runs a multiplexer command; throws when it fails. */
  async tmux(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(...args);
    if (code !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  async try(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const result = await run(this.command(args), {
      timeoutMs: DEADLINE_MS,
      maxBytes: 1024 * 1024,
      env: this.env,
    });
    return { ...result, stdout: new TextDecoder().decode(result.stdout).trimEnd() };
  }

  /** A person's terminal of the given size, attached to a session. */
  async attach(session: string, columns: number, rows: number): Promise<void> {
    const attach = `stty cols ${columns} rows ${rows}; exec tmux -u attach -t '=${session}'`;
    this.#clients.push(
      Bun.spawn(["script", "-qec", attach, "/dev/null"], {
        env: { ...this.env, TERM: "xterm-256color" },
        stdin: "pipe",
        stdout: "ignore",
        stderr: "ignore",
      }),
    );
    await until(async () => (await this.try("list-clients")).stdout.includes(`${columns}x${rows}`));
  }

  async stop(): Promise<void> {
    await this.try("kill-server");
    for (const client of this.#clients) {
      client.kill();
      await client.exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("the awaited condition did not come");
    await Bun.sleep(20);
  }
}
