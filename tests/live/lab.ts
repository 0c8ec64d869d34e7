import { existsSync } from "node:fs";
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { run } from "../../src/lib/run.ts";

const START_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 30_000;
const MAX_BYTES = 4 * 1024 * 1024;

const Started = z.object({
  pane: z.string(),
  session: z.string(),
  home: z.string(),
  requests_log: z.string(),
});
const LoggedRequest = z.object({ main: z.boolean().optional(), body: z.unknown() });

export interface LiveAgent {
  pane: string;
  /** Its home folder, of its own. */
  home: string;
  /** What it has told its model so far, one text for each request of the main conversation. */
  told(): Promise<string[]>;
  stop(): Promise<void>;
}

export interface Start {
  agent: string;
  state: string;
  width?: number;
  height?: number;
}

/**
 * The agent lab: real agent programs, installed from npm into a folder of their own and driven to a
 * state against a scripted model on loopback.
 */
export class AgentLab {
  readonly socket: string;
  readonly #lab: string;
  readonly #scratch: string;
  readonly #folder: string;
  readonly #lastUser: (body: unknown) => string | null;
  #sessions = 0;

  private constructor(lab: string, folder: string, lastUser: (body: unknown) => string | null) {
    this.#lab = lab;
    this.#folder = folder;
    this.#lastUser = lastUser;
    this.#scratch = process.env["PANEWATCH_LAB_SCRATCH"] ?? join(tmpdir(), "panewatch-lab");
    this.socket = `panewatch-live-${process.pid}`;
  }

  static async open(lab: string): Promise<AgentLab> {
    const { lastUser } = await import(join(lab, "lib", "told.mjs"));
    return new AgentLab(lab, await mkdtemp(join(tmpdir(), "panewatch-live-")), lastUser);
  }

  /** Installs the agent where that is missing, and drives it to the state. */
  async start({ agent, state, width = 120, height = 40 }: Start): Promise<LiveAgent> {
    const session = `live-${agent}-${++this.#sessions}`;
    const certificates = process.env["NODE_EXTRA_CA_CERTS"];
    const output = await this.#command(START_TIMEOUT_MS, [
      ...[agent, state, "--keep", "--session", session],
      ...["--project", join(this.#folder, "project")],
      ...["--width", String(width), "--height", String(height)],
      ...(certificates ? ["--ca", certificates] : []),
    ]);
    const { pane, home, requests_log } = Started.parse(
      JSON.parse(output.slice(output.indexOf("{"))),
    );
    return {
      ...{ pane, home },
      told: async () => {
        // The log begins with the first request.
        const log = existsSync(requests_log) ? await readFile(requests_log, "utf8") : "";
        // A last line without its end is still being written.
        const lines = log.split("\n").slice(0, -1);
        return lines
          .map((line) => LoggedRequest.parse(JSON.parse(line)))
          .filter((request) => request.main)
          .map((request) => this.#lastUser(request.body) ?? "");
      },
      stop: async () => {
        await this.#command(STOP_TIMEOUT_MS, ["stop", "--session", session]);
      },
    };
  }

  /** Keys that a person presses at the desk. */
  async press(pane: string, ...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", "-t", pane, ...keys);
  }

  /** The same program once more: same folder, home and environment, in a pane of its own. */
  async twin(pane: string): Promise<string> {
    const [pid = "", cwd = "", session = ""] = (
      await this.#tmux(
        "display",
        "-p",
        "-t",
        pane,
        "#{pane_pid}\t#{pane_current_path}\t#{session_name}",
      )
    ).split("\t");
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    const agent = children.trim().split(" ")[0] || pid;
    const parts = async (file: string) =>
      (await readFile(`/proc/${agent}/${file}`, "utf8")).split("\0").filter((part) => part !== "");
    const environment = (await parts("environ")).filter((each) => !each.startsWith("TMUX"));
    const [program = "", ...args] = await parts("cmdline");
    const path = environment.find((each) => each.startsWith("PATH="))?.slice(5);
    const found = Bun.which(program, path === undefined ? {} : { PATH: path }) ?? program;
    const command = ["env", "-i", ...environment, "TERM=screen-256color", found, ...args];
    const made = await this.#tmux(
      ...["new-window", "-d", "-P", "-F", "#{pane_id}", "-c", cwd, "-t", `=${session.trim()}:`],
      ...command,
    );
    return made.trim();
  }

  /** Ends everything of this socket. */
  async close(): Promise<void> {
    await run(["tmux", "-L", this.socket, "kill-server"], {
      timeoutMs: STOP_TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #tmux(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await run(["tmux", "-L", this.socket, ...args], {
      timeoutMs: STOP_TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    if (code !== 0) throw new Error(`tmux ${args[0]}: ${stderr.slice(-1000)}`);
    return new TextDecoder().decode(stdout);
  }

  async #command(timeoutMs: number, args: readonly string[]): Promise<string> {
    const argv = ["node", join(this.#lab, "run.mjs"), ...args, "--socket", this.socket];
    const { code, stdout, stderr } = await run([...argv, "--scratch", this.#scratch], {
      timeoutMs,
      maxBytes: MAX_BYTES,
    });
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr.slice(-2000)}`);
    return new TextDecoder().decode(stdout);
  }
}
