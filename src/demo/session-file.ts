import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../errors.ts";
import agentA from "./screens/claude-log.txt";
import agentB from "./screens/codex-log.txt";
import { ENDED_SESSIONS, fill, type Parts, type SampleRuntime } from "./scripts.ts";

/** An event of a sample session, for the templates of its kind. */
export type SessionEntry = Parts & { kind: string };

/** The option of the real agents before the id of a session. */
export const SESSION_WORDS: Readonly<Record<SampleRuntime, string>> = {
  agent_a: "--session-id",
  agent_b: "resume",
};

export const HOMES: Readonly<Record<SampleRuntime, string>> = {
  agent_a: ".claude",
  agent_b: ".codex",
};

/** Logs as the runtimes write them: a template a line, with the kind of its entry under `$on`. */
const LOG_TEMPLATES: Readonly<Record<SampleRuntime, string>> = { agent_a: agentA, agent_b: agentB };
/** Entries that begin a call. */
const CALLS: ReadonlySet<string> = new Set(["plan", "asks", "runs", "proposes"]);
/** Tokens. */
const CONTEXT_WINDOW = 272_000;

interface SampleFacts {
  cwd: string;
  /** Epoch milliseconds. */
  nowMs: () => number;
}

/**
 * The log of one sample session, in the private home of the demo. It is opened once, and no folder above
 * the home is made: panes that outlive the demo do not bring it back.
 */
export class SessionFile {
  readonly path: string;
  readonly #file: number;
  readonly #id: string;
  readonly #facts: SampleFacts;
  readonly #runtime: SampleRuntime;
  readonly #templates: readonly { $on: string }[];
  #ordinal = 0;
  #last: string | null = null;
  #call = "";
  /** Empty between turns. */
  #turn = "";

  constructor(
    runtime: SampleRuntime,
    { id, home }: { id: string; home: string },
    facts: SampleFacts = { cwd: process.cwd(), nowMs: Date.now },
  ) {
    this.#id = id;
    this.#facts = facts;
    this.#runtime = runtime;
    const lines = LOG_TEMPLATES[runtime].trim().split("\n");
    this.#templates = lines.map((line) => JSON.parse(line));
    const at = new Date(facts.nowMs()).toISOString().slice(0, 19);
    const below =
      runtime === "agent_a"
        ? ["projects", facts.cwd.replace(/[^A-Za-z0-9]/g, "-"), `${id}.jsonl`]
        : [
            "sessions",
            ...at.slice(0, 10).split("-"),
            `rollout-${at.replaceAll(":", "-")}-${id}.jsonl`,
          ];
    this.path = join(home, HOMES[runtime], ...below);
    const above = [HOMES[runtime], ...below.slice(0, -1)];
    above.forEach((_, index) => makeFolder(join(home, ...above.slice(0, index + 1))));
    this.#file = openSync(this.path, "a", 0o600);
    this.#append("open", {});
  }

  /** Entries that the runtime does not log are left out. */
  write(entries: readonly SessionEntry[]): void {
    for (const entry of entries) {
      const { kind } = entry;
      // Codex has logged the end of an interrupted turn already.
      if (kind === "rests" && this.#runtime === "agent_b" && this.#turn === "") continue;
      if (kind === "prompt") this.#turn = crypto.randomUUID();
      if (CALLS.has(kind)) this.#call = crypto.randomUUID();
      this.#append(kind, partsOf(entry));
      if (kind === "rests" || kind === "declined") this.#turn = "";
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(kind: string, more: Parts): void {
    const { cwd, nowMs } = this.#facts;
    for (const { $on, ...template } of this.#templates) {
      if ($on !== kind) continue;
      const parts = {
        ...{ ...more, id: this.#id, cwd, at: new Date(nowMs()).toISOString() },
        ...{ record: crypto.randomUUID(), last: this.#last, call: this.#call, turn: this.#turn },
        ordinal: this.#ordinal++,
      };
      if (kind !== "open") this.#last = parts.record;
      writeSync(this.#file, `${JSON.stringify(fill(template, parts))}\n`);
    }
  }
}

/** With the members that only a log has. */
function partsOf(entry: SessionEntry): Parts {
  const { topic, title, lines, percent } = entry;
  const numbered = Array.isArray(lines) ? lines.map((line, index) => `${index + 1}. ${line}`) : [];
  const tokens = Math.round((Number(percent) / 100) * CONTEXT_WINDOW);
  return {
    ...entry,
    ...{ slug: String(topic).toLowerCase(), tokens, window: CONTEXT_WINDOW },
    plan: [`# ${title}`, "", ...numbered, ""].join("\n"),
  };
}

/** Several panes make the same folders at once. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

const STEP_MS = 40_000;

/** @param cwd where their agents worked */
export function writeEndedSessions(home: string, cwd: string): void {
  for (const { runtime, hoursAgo, lines } of ENDED_SESSIONS) {
    let at = Date.now() - hoursAgo * 3_600_000;
    const session = { id: crypto.randomUUID(), home };
    const file = new SessionFile(runtime, session, { cwd, nowMs: () => at });
    const entries = lines.map((line) => {
      const kind = line.startsWith("> ") ? "prompt" : "says";
      return { kind, text: line.replace(/^> /, "") };
    });
    for (const entry of [...entries, { kind: "rests" }]) {
      at += STEP_MS;
      file.write([entry]);
    }
    file.close();
  }
}
