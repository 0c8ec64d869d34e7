import agentA from "./agent-a.txt";
import agentB from "./agent-b.txt";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ENDED, fill, type Parts, type SampleRuntime } from "../scripts.ts";
import type { SessionEntry } from "./story.ts";

/** What a sample pane is started with when its session is logged, as the real agents are. */
export const SESSION_WORDS: Readonly<Record<SampleRuntime, string>> = {
  agent_a: "--session-id",
  agent_b: "resume",
};

export const HOMES: Readonly<Record<SampleRuntime, string>> = {
  agent_a: ".claude",
  agent_b: ".codex",
};

/** Logs as the runtimes write them: a template a line, under `$on` the entry that it is of. */
const RECORDED: Readonly<Record<SampleRuntime, string>> = { agent_a: agentA, agent_b: agentB };
/** Entries whose records begin a call; those that follow end it. */
const CALLS: ReadonlySet<string> = new Set<SessionEntry["kind"]>([
  "plan",
  "asks",
  "runs",
  "proposes",
]);
/** Tokens. */
const CONTEXT_WINDOW = 272_000;

export interface SampleFacts {
  id: string;
  cwd: string;
  /** Epoch milliseconds. */
  nowMs: () => number;
  newId: () => string;
}

/** The log of a sample session: entries become records of its runtime, each with its own ids. */
export class SessionLog {
  /** Below the home of the runtime. */
  readonly path: string;
  readonly #facts: SampleFacts;
  readonly #runtime: SampleRuntime;
  readonly #templates = new Map<string, object[]>();
  #ordinal = 0;
  #last: string | null = null;
  #call = "";
  /** Empty: none goes on. */
  #turn = "";

  constructor(runtime: SampleRuntime, facts: SampleFacts) {
    this.#facts = facts;
    this.#runtime = runtime;
    for (const line of RECORDED[runtime].trim().split("\n")) {
      const { $on, ...template }: { $on: string } = JSON.parse(line);
      this.#templates.set($on, [...(this.#templates.get($on) ?? []), template]);
    }
    const { id, cwd, nowMs } = facts;
    const at = new Date(nowMs()).toISOString().slice(0, 19);
    this.path =
      runtime === "agent_a"
        ? `projects/${cwd.replace(/[^A-Za-z0-9]/g, "-")}/${id}.jsonl`
        : `sessions/${at.slice(0, 10).replaceAll("-", "/")}/rollout-${at.replaceAll(":", "-")}-${id}.jsonl`;
  }

  open(): object[] {
    return this.#records("open", {});
  }

  /** None for what the runtime does not log. */
  records(entry: SessionEntry): object[] {
    const { kind } = entry;
    // Codex: a turn that was interrupted has its end already.
    const hasEnded = this.#runtime === "agent_b" && this.#turn === "";
    if (kind === "rests" && hasEnded) return [];
    if (kind === "prompt") this.#turn = this.#facts.newId();
    if (CALLS.has(kind)) this.#call = this.#facts.newId();
    const records = this.#records(kind, partsOf(entry));
    if (kind === "rests" || kind === "declined") this.#turn = "";
    return records;
  }

  #records(kind: string, more: Parts): object[] {
    const { id, cwd, nowMs, newId } = this.#facts;
    return (this.#templates.get(kind) ?? []).map((template) => {
      const parts = {
        ...{ ...more, id, cwd, at: new Date(nowMs()).toISOString(), ordinal: this.#ordinal++ },
        ...{ record: newId(), last: this.#last, call: this.#call, turn: this.#turn },
      };
      if (kind !== "open") this.#last = parts.record;
      return Object.assign({}, fill(template, parts));
    });
  }
}

function partsOf(entry: SessionEntry): Parts {
  const request = "request" in entry ? entry.request : {};
  const parts: Record<string, unknown> = { ...request, ...entry };
  if ("topic" in request) parts.slug = String(request.topic).toLowerCase();
  if (entry.kind === "answered") {
    const { label, note } = entry.answer;
    Object.assign(parts, { label, given: note === "" ? [label] : [label, `user_note: ${note}`] });
  }
  if (entry.kind === "proposes" || entry.kind === "approved") {
    const numbered = entry.request.lines.map((line, index) => `${index + 1}. ${line}`);
    parts.plan = [`# ${entry.request.title}`, "", ...numbered, ""].join("\n");
  }
  if (entry.kind === "fills") {
    const tokens = Math.round((entry.percent / 100) * CONTEXT_WINDOW);
    Object.assign(parts, { tokens, window: CONTEXT_WINDOW });
  }
  return parts;
}

export interface SampleSession {
  id: string;
  home: string;
}

/**
 * The log of one sample session, in the private home of the demo. It is opened once, and no folder
 * above the home is made: when the demo ends before its panes, nothing of it comes back.
 */
export class SessionFile {
  readonly #file: number;
  readonly #log: SessionLog;

  constructor(
    runtime: SampleRuntime,
    { id, home }: SampleSession,
    { cwd, nowMs }: Pick<SampleFacts, "cwd" | "nowMs"> = { cwd: process.cwd(), nowMs: Date.now },
  ) {
    this.#log = new SessionLog(runtime, { id, cwd, nowMs, newId: () => crypto.randomUUID() });
    const path = join(home, HOMES[runtime], this.#log.path);
    const above = path
      .slice(home.length + 1)
      .split("/")
      .slice(0, -1);
    above.forEach((_, index) => makeFolder(join(home, ...above.slice(0, index + 1))));
    this.#file = openSync(path, "a", 0o600);
    this.#append(this.#log.open());
  }

  write(entries: readonly SessionEntry[]): void {
    this.#append(entries.flatMap((entry) => this.#log.records(entry)));
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(records: readonly object[]): void {
    if (records.length === 0) return;
    writeSync(this.#file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  }
}

/** Several panes make the same folders at once. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

const STEP_MS = 40_000;

/** Into the demo's home, as their agents have left them; they worked in `cwd`. */
export function writeEndedSessions(home: string, cwd: string): void {
  for (const { runtime, hoursAgo, lines } of ENDED) {
    let at = Date.now() - hoursAgo * 3_600_000;
    const session = { id: crypto.randomUUID(), home };
    const file = new SessionFile(runtime, session, { cwd, nowMs: () => at });
    const entries = lines.map((line): SessionEntry => {
      const kind = line.startsWith("> ") ? "prompt" : "says";
      return { kind, text: line.replace(/^> /, "") };
    });
    for (const entry of [...entries, { kind: "rests" } as const]) {
      at += STEP_MS;
      file.write([entry]);
    }
    file.close();
  }
}
