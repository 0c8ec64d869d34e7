import { afterAll, afterEach, beforeAll } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { run } from "../../src/lib/run.ts";
import { until } from "../support/until.ts";
import { type AgentHomes, Panewatch } from "./panewatch.ts";

/** A checkout of it. */
export const LAB = process.env["PANEWATCH_LAB"] ?? "";
const START_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 30_000;
const MODEL_DEADLINE_MS = 30_000;
const MAX_BYTES = 4 * 1024 * 1024;

const Started = z.object({
  pane: z.string(),
  session: z.string(),
  home: z.string(),
  requests_log: z.string(),
  agent_version: z.string(),
});
const LoggedRequest = z.object({ main: z.boolean().optional(), body: z.unknown() });

const AgentModule = z.object({
  pkg: z.string(),
  states: z.record(z.string(), z.unknown()),
});

/** An agent that the lab knows: its npm package, and the states that it can be driven to. */
export async function readAgent(agent: string): Promise<z.infer<typeof AgentModule>> {
  const { default: module } = await import(join(LAB, "agents", `${agent}.mjs`));
  return AgentModule.parse(module);
}

interface LiveAgent {
  pane: string;
  version: string;
  /** Its home folder, of its own. */
  home: string;
  /** What it has told its model so far, one text for each request of the main conversation. */
  modelTexts(): Promise<string[]>;
  /** Those after the first `known`, once there is one. */
  newModelTexts(known: number): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * The lab of one file of tests, and the service that watches it; each test has an agent of its own.
 * Declares the hooks of the file that calls it.
 */
export function labOfFile() {
  const open: { lab?: AgentLab; service?: Panewatch; agent?: LiveAgent } = {};
  beforeAll(async () => void (open.lab = await AgentLab.open()));
  afterEach(async () => {
    await open.agent?.stop();
    delete open.agent;
  });
  afterAll(async () => {
    await open.service?.stop();
    await open.lab?.close();
  });
  return {
    get lab(): AgentLab {
      if (!open.lab) throw new Error("the lab opens before the first test");
      return open.lab;
    },
    get service(): Panewatch {
      if (!open.service) throw new Error("the service starts with the first agent");
      return open.service;
    },
    /** @param homes where the agent's logs are read; another one has another service */
    async start(what: Start, homes?: (agent: LiveAgent) => AgentHomes) {
      const agent = (open.agent = await this.lab.start(what));
      if (homes) await open.service?.stop();
      // The lab's server begins with its first agent, and the service is to find it there.
      if (homes || !open.service)
        open.service = await Panewatch.start(this.lab.socket, homes?.(agent));
      return { agent, service: open.service };
    },
  };
}

interface Start {
  agent: string;
  state: string;
  width?: number;
  height?: number;
  /** The folder that it works in, wiped at the start; absent: one of the lab's own. */
  project?: string;
}

/**
 * The agent lab: real agent programs, installed from npm into a folder of their own and driven to a
 * state against a scripted model on loopback.
 */
class AgentLab {
  readonly socket: string;
  readonly #scratch: string;
  readonly #folder: string;
  readonly #lastUser: (body: unknown) => string | null;
  readonly #newest = new Map<string, string>();
  #sessions = 0;

  private constructor(folder: string, lastUser: (body: unknown) => string | null) {
    this.#folder = folder;
    this.#lastUser = lastUser;
    this.#scratch = process.env["PANEWATCH_LAB_SCRATCH"] ?? join(tmpdir(), "panewatch-lab");
    this.socket = `panewatch-live-${process.pid}`;
  }

  static async open(): Promise<AgentLab> {
    const { lastUser } = await import(join(LAB, "lib", "told.mjs"));
    return new AgentLab(await mkdtemp(join(tmpdir(), "panewatch-live-")), lastUser);
  }

  /** Installs the agent where that is missing, and drives it to the state. */
  async start({ agent, state, width = 120, height = 40, project }: Start): Promise<LiveAgent> {
    const session = `live-${agent}-${++this.#sessions}`;
    const stop = async () => {
      await this.#command(STOP_TIMEOUT_MS, ["stop", "--session", session]);
    };
    const certificates = process.env["NODE_EXTRA_CA_CERTS"];
    const output = await this.#command(START_TIMEOUT_MS, [
      ...[agent, state, "--keep", "--session", session],
      ...["--project", project ?? join(this.#folder, "project")],
      ...["--width", String(width), "--height", String(height)],
      ...(certificates ? ["--ca", certificates] : []),
      ...(process.env["PANEWATCH_LAB_NEWEST"] ? ["--version", await this.#newestOf(agent)] : []),
    ]).catch(async (cause: unknown) => {
      // One that does not come to its state is left running, with its model.
      await stop();
      throw cause;
    });
    const { pane, home, requests_log, agent_version } = Started.parse(
      JSON.parse(output.slice(output.indexOf("{"))),
    );
    const modelTexts = async () => {
      // The log begins with the first request.
      const log = existsSync(requests_log) ? await readFile(requests_log, "utf8") : "";
      // A last line without its end is still being written.
      const lines = log.split("\n").slice(0, -1);
      return lines
        .map((line) => LoggedRequest.parse(JSON.parse(line)))
        .filter((request) => request.main)
        .map((request) => this.#lastUser(request.body) ?? "");
    };
    return {
      ...{ pane, version: agent_version, home, modelTexts },
      newModelTexts: (known) =>
        until(async () => {
          const more = (await modelTexts()).slice(known);
          return more.length > 0 ? more : null;
        }, MODEL_DEADLINE_MS),
      stop,
    };
  }

  /** The release that npm has today, in place of the one that the lab was written for. */
  async #newestOf(agent: string): Promise<string> {
    const known = this.#newest.get(agent);
    if (known) return known;
    const { pkg } = await readAgent(agent);
    const version = (await outputOf(["npm", "view", pkg, "version"], STOP_TIMEOUT_MS)).trim();
    this.#newest.set(agent, version);
    return version;
  }

  /** Saves what a pane shows as a recorded screen, for a person to say what is true of it. */
  async record(pane: string, folder: string, name: string): Promise<void> {
    const into = join(folder, name);
    await mkdir(into, { recursive: true });
    const save = async (file: string, ...args: string[]) =>
      writeFile(join(into, file), await this.#tmux("capture-pane", "-p", ...args, "-t", pane));
    await save("styled.txt", "-e");
    await save("joined.txt", "-J", "-S", "-200");
    const fields = ["pane_current_command", "pane_title", "pane_width", "pane_height"];
    const shown = [...fields, "alternate_on", "pane_tty"].map((field) => `#{${field}}`).join("\t");
    const [command, title, width, height, alternate, tty = ""] = (
      await this.#tmux("display-message", "-p", "-t", pane, shown)
    )
      .trimEnd()
      .split("\t");
    const ps = Bun.spawnSync(
      ["ps", "-o", "comm,args", "--forest", "--no-headers", "-ww", "-t", tty.replace("/dev/", "")],
      { stderr: "ignore" },
    );
    const about = {
      expected: { kind: "", status: "", question: null, menu: [] },
      answered_by: null,
      pane: {
        ...{ command, title, width: Number(width), height: Number(height) },
        alternate_on: alternate === "1",
      },
      processes: ps.stdout.toString().trimEnd().split("\n"),
      note: "",
    };
    await writeFile(join(into, "case.json"), `${JSON.stringify(about, null, 2)}\n`);
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
    // No server runs where no agent was started.
    await this.#tmux("kill-server").catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #tmux(...args: string[]): Promise<string> {
    return outputOf(["tmux", "-L", this.socket, ...args], STOP_TIMEOUT_MS);
  }

  #command(timeoutMs: number, args: readonly string[]): Promise<string> {
    const argv = ["node", join(LAB, "run.mjs"), ...args, "--socket", this.socket];
    return outputOf([...argv, "--scratch", this.#scratch], timeoutMs);
  }
}

async function outputOf(argv: readonly string[], timeoutMs: number): Promise<string> {
  const { code, stdout, stderr } = await run(argv, { timeoutMs, maxBytes: MAX_BYTES });
  if (code !== 0) throw new Error(`${argv.slice(0, 4).join(" ")}: ${stderr.slice(-2000)}`);
  return new TextDecoder().decode(stdout);
}
