import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ANSWERED_FILE, type StoredAnswers, NO_ANSWERS, withAnswer } from "../answered/answered.ts";
import { OVERLAY_FILE } from "../config/resolve.ts";
import { print } from "../lib/print.ts";
import { run, RunError } from "../lib/run.ts";
import { openMachines, type SampleMachines } from "./machines.ts";
import { REPOSITORY, type SampleFiles } from "./scripts.ts";
import { LAPTOP, SampleServer } from "./server.ts";
import { HOMES, writeEndedSessions } from "./session-file.ts";

const PARENT_CHECK_MS = 1000;

interface DemoOptions {
  /**
   * Runs the service on this configuration file until it is stopped.
   * @param linkCommand reaches the sample machines
   * @returns its exit code
   */
  serve: (configPath: string, linkCommand?: SampleMachines["command"]) => Promise<number>;
  /** The command line that starts this program again: the executable, or Bun and `main.ts`. */
  self: readonly string[];
  /** Seconds of the sample agents in one second; absent: one. */
  pace?: number;
  hosts?: boolean;
}

/**
 * Runs sample panes on a tmux server of their own, and the service on them. Everything lives in one
 * temporary folder, which is removed at the end, also when this process is killed.
 * @throws StartupError when there is no tmux, or no sshd for machines
 */
export async function runDemo({
  serve,
  self,
  pace = 1,
  hosts = false,
}: DemoOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "panewatch-demo-"));
  const server = new SampleServer(folder, { self, pace });
  const parent = watchParent();
  let machines: SampleMachines | null = null;
  try {
    await server.start();
    await makeRepository(join(folder, "code", "shop"));
    if (hosts) machines = await openMachines(folder, { self, pace });
    const state = join(folder, "state");
    const config = join(state, "panewatch.yaml");
    await mkdir(state, { mode: 0o700 });
    await Bun.write(
      join(state, ANSWERED_FILE),
      JSON.stringify(sampleAnswers(join(folder, "code"))),
    );
    writeEndedSessions(folder, join(folder, "code", "shop"));
    const overlay = { experimental_agent_workspace_enabled: true };
    await Bun.write(join(state, OVERLAY_FILE), JSON.stringify(overlay));
    await Bun.write(config, configOf(server, folder, machines));
    print("All that it shows is a sample, and gone with Ctrl-C.\n");
    return await serve(config, machines?.command);
  } finally {
    clearInterval(parent);
    await machines?.stop();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function configOf(server: SampleServer, folder: string, machines: SampleMachines | null): string {
  const pathOf = (...names: string[]) => JSON.stringify(join(folder, ...names));
  const argvOf = (program: string) => JSON.stringify(server.argvOf(program));
  return [
    "# Made by `panewatch demo`; goes when it ends.",
    `mux:\n  socket: ${JSON.stringify(server.socket)}`,
    // The demo must not read the person's own logs.
    `agents:\n  agent_a_home: ${pathOf(HOMES.agent_a)}\n  agent_b_home: ${pathOf(HOMES.agent_b)}`,
    "naming_mode: window",
    `creation:\n  roots:\n    - label: code\n      path: ${pathOf("code")}`,
    `  runtimes:\n    agent_a: ${argvOf("fresh_a")}\n    agent_b: ${argvOf("fresh_b")}`,
    ...(machines === null
      ? []
      : [`local:\n  name: ${LAPTOP.name}`, `hosts: ${JSON.stringify(machines.hosts)}`]),
    "",
  ].join("\n");
}

function watchParent(): Timer {
  const parent = process.ppid;
  return setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, "SIGTERM");
  }, PARENT_CHECK_MS);
}

const DAY = 86_400;
/** How many days ago each plain yes was given. */
const YESES = [6, 6, 5, 4, 4, 3, 2, 2, 1, 1, 1, 0];

/** A harmless question that was allowed all week. */
function sampleAnswers(code: string): StoredAnswers {
  const request = { folder: join(code, "shop"), command: "npm run lint" };
  const now = Math.floor(Date.now() / 1000);
  const dayOf = (at: number) => Math.floor(at / DAY);
  return YESES.reduce<StoredAnswers>((stored, ago, i) => {
    const at = now - ago * DAY - (YESES.length - i) * 60;
    return withAnswer(stored, request, { answer: "allowed", at, dayOf });
  }, NO_ANSWERS);
}

const TIMEOUT_MS = 10_000;

const { main, branch, changed } = REPOSITORY;

/**
 * A git work tree with commits, a branch and changes of every kind; a plain folder where git is not
 * installed.
 */
async function makeRepository(folder: string): Promise<void> {
  await write(folder, main);
  try {
    await git(folder, "init", "--quiet", "--initial-branch=main");
    await commit(folder, "Begin the shop");
    await git(folder, "switch", "--quiet", "--create", "fix/checkout-rounding");
    await write(folder, branch);
    await commit(folder, "Test how a basket is rounded");
    await git(folder, "rm", "--quiet", "src/round-each.ts");
  } catch (error) {
    if (!(error instanceof RunError && error.kind === "not_found")) throw error;
  }
  await write(folder, changed);
}

async function write(folder: string, files: SampleFiles): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(join(path, ".."), { recursive: true });
    await Bun.write(path, text);
  }
}

async function commit(folder: string, subject: string): Promise<void> {
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message", subject);
}

/** Without the person's own settings. */
async function git(folder: string, ...args: string[]): Promise<void> {
  const who = (role: string) => ({
    [`GIT_${role}_NAME`]: "Sample",
    [`GIT_${role}_EMAIL`]: "sample@localhost",
  });
  const settings = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  const env = { PATH: process.env.PATH, ...settings, ...who("AUTHOR"), ...who("COMMITTER") };
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: 64 * 1024, env };
  const { code, stderr } = await run(["git", "-C", folder, ...args], limits);
  if (code !== 0) throw new Error(`git ${args[0]} failed in ${folder}: ${stderr.trim()}`);
}
