import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { SampleRuntime } from "../requests.ts";
import { AgentALog } from "./agent-a.ts";
import { AgentBLog } from "./agent-b.ts";
import type { Entry, LogFormat, SessionFacts } from "./entry.ts";

/** What a sample pane is started with when its session is logged, as the real agents are. */
export const SESSION_WORDS: Readonly<Record<SampleRuntime, string>> = {
  agent_a: "--session-id",
  agent_b: "resume",
};

/** The folder of each runtime below the demo's own home. */
export const HOMES: Readonly<Record<SampleRuntime, string>> = {
  agent_a: ".claude",
  agent_b: ".codex",
};

export interface SampleSession {
  id: string;
  /** The demo's own, with the folders of the runtimes. */
  home: string;
}

/**
 * The log of one sample session, in the private home of the demo. It is opened once, and no folder
 * above the home is made: when the demo ends before its panes, nothing of it comes back.
 */
export class SessionFile {
  readonly #file: number;
  readonly #format: LogFormat;

  constructor(
    runtime: SampleRuntime,
    { id, home }: SampleSession,
    { cwd, nowMs }: Pick<SessionFacts, "cwd" | "nowMs"> = { cwd: process.cwd(), nowMs: Date.now },
  ) {
    const facts = { id, cwd, nowMs, newId: () => crypto.randomUUID() };
    this.#format = runtime === "agent_a" ? new AgentALog(facts) : new AgentBLog(facts);
    const path = `${HOMES[runtime]}/${this.#format.path}`;
    this.#file = openSync(makeFolders(home, path.split("/")), "a", 0o600);
    this.#append(this.#format.open());
  }

  write(entries: readonly Entry[]): void {
    this.#append(entries.flatMap((entry) => this.#format.records(entry)));
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(records: readonly object[]): void {
    if (records.length === 0) return;
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join("");
    writeSync(this.#file, lines);
  }
}

/** The path of the last of these names, with the folders before it made. */
function makeFolders(home: string, names: readonly string[]): string {
  let path = home;
  for (const [index, name] of names.entries()) {
    path = join(path, name);
    if (index < names.length - 1) makeFolder(path);
  }
  return path;
}

/** Several panes make the same folders at once. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
