import { existsSync } from "node:fs";
import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { run } from "../../src/lib/run.ts";

const START_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 30_000;
const MAX_BYTES = 4 * 1024 * 1024;

const Started = z.object({ pane: z.string(), session: z.string(), requests_log: z.string() });
const LoggedRequest = z.object({ main: z.boolean().optional(), body: z.unknown() });

export interface LiveAgent {
  pane: string;
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
    const { pane, requests_log } = Started.parse(JSON.parse(output.slice(output.indexOf("{"))));
    return {
      pane,
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

  /** Ends everything of this socket. */
  async close(): Promise<void> {
    await run(["tmux", "-L", this.socket, "kill-server"], {
      timeoutMs: STOP_TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    await rm(this.#folder, { recursive: true, force: true });
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
