import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { LogReading } from "../../../src/agents/logs/reading.ts";
import type { AgentStore } from "../../../src/agents/store/store.ts";
import { readingOf } from "./store.ts";

const ROOT = join(import.meta.dir, "../../fixtures/logs");

export interface ExpectedMessage {
  role: "user" | "assistant";
  text: string;
  in_log: boolean | null;
  optional?: boolean;
  raw?: string[];
  abandoned_branch?: boolean;
  copied?: boolean;
}

export interface ExpectedSession {
  id: string;
  cwd: string;
  goal: string | null;
  messages: ExpectedMessage[];
  todo: { total: number; completed: number; items: { text: string; status: string }[] } | null;
  log_only: string;
  decisions: {
    kind?: string;
    status: string;
    native_id?: string;
    index?: number;
    question?: string;
    plan?: string;
    multi_select?: boolean;
    options?: { label: string; description: string }[];
    resolution: { labels?: string[] } | null;
  }[];
}

interface Mark {
  name: string;
  sizes: Record<string, number>;
  sessions: Record<string, ExpectedSession>;
}

export interface Recording {
  runtime: "agent-a" | "agent-b";
  name: string;
  /** Path below the home -> bytes. */
  files: Map<string, Buffer>;
  sizes: Map<string, number[]>;
  cuts: Map<string, number[]>;
  final: Record<string, ExpectedSession>;
  marks: Mark[];
  /** Facts that hold at every mark. */
  sessions: Record<string, { id: string; titles_in_log: string[]; forked_from: string | null }>;
}

type RawMark = Omit<Mark, "sessions"> & {
  sessions: Record<
    string,
    Omit<ExpectedSession, "messages"> & { messages: (number | ExpectedMessage)[] }
  >;
};

export const RECORDINGS: readonly Recording[] = (["agent-a", "agent-b"] as const).flatMap(
  (runtime) =>
    readdirSync(join(ROOT, runtime))
      .sort()
      .map((name) => load(runtime, name)),
);

export function recordingOf(runtime: string, name: string): Recording {
  const found = RECORDINGS.find((each) => each.runtime === runtime && each.name === name);
  if (found === undefined) throw new Error(`no recording ${runtime}/${name}`);
  return found;
}

function load(runtime: Recording["runtime"], name: string): Recording {
  const folder = join(ROOT, runtime, name);
  const json = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const growth: { files: Record<string, { sizes: number[]; cuts: number[] }> } =
    json("growth.json");
  const expected: Pick<Recording, "sessions" | "final"> & { marks: RawMark[] } =
    json("expected.json");
  const paths = readdirSync(join(folder, "home"), { recursive: true, encoding: "utf8" });
  const logs = paths.filter((path) => path.endsWith(".jsonl"));
  return {
    runtime,
    name,
    files: new Map(logs.map((path) => [path, readFileSync(join(folder, "home", path))])),
    sizes: new Map(Object.entries(growth.files).map(([path, { sizes }]) => [path, sizes])),
    cuts: new Map(Object.entries(growth.files).map(([path, { cuts }]) => [path, cuts])),
    final: expected.final,
    sessions: expected.sessions,
    marks: expected.marks.map((mark) => ({
      ...mark,
      sessions: whole(mark.sessions, expected.final),
    })),
  };
}

function whole(
  sessions: RawMark["sessions"],
  final: Record<string, ExpectedSession>,
): Record<string, ExpectedSession> {
  return Object.fromEntries(
    Object.entries(sessions).map(([key, session]) => {
      const messages = session.messages.flatMap((each) =>
        typeof each === "number" ? (final[key]?.messages[each] ?? []) : each,
      );
      return [key, { ...session, messages }];
    }),
  );
}

/** A home that grows like a recording, and its reader. */
export class Replay {
  readonly #root: string;
  readonly #store: AgentStore;
  readonly #retainedFrom: () => number;
  #reading: LogReading;

  private constructor(root: string, store: AgentStore, retainedFrom: () => number) {
    this.#root = root;
    this.#retainedFrom = retainedFrom;
    this.#store = store;
    this.#reading = this.#newReading();
  }

  static async create(store: AgentStore, retainedFrom = () => 0): Promise<Replay> {
    const root = await mkdtemp(join(tmpdir(), "panewatch-logs-"));
    return new Replay(root, store, retainedFrom);
  }

  /** Writes each log up to its size; logs without a size stay as they are. */
  async grow(recording: Recording, sizes: Record<string, number>): Promise<void> {
    for (const [path, bytes] of recording.files) {
      const size = sizes[path];
      if (size !== undefined) await this.write(path, bytes.subarray(0, size));
    }
  }

  async write(path: string, bytes: Uint8Array | string): Promise<string> {
    const full = join(this.#root, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, bytes);
    await utimes(full, this.#store.now, this.#store.now);
    return full;
  }

  /** Puts another file in the place of a log. */
  async replace(path: string, bytes: Uint8Array): Promise<void> {
    await this.write(`${path}.new`, bytes);
    await rename(join(this.#root, `${path}.new`), join(this.#root, path));
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.#root, path));
  }

  async rename(from: string, to: string): Promise<void> {
    await mkdir(dirname(join(this.#root, to)), { recursive: true });
    await rename(join(this.#root, from), join(this.#root, to));
  }

  /** Passes until nothing is left to read. */
  async read(): Promise<void> {
    while (await this.#reading.pass(new AbortController().signal));
  }

  /** Begins anew with the store alone, as a new process does. */
  restart(): void {
    this.#reading = this.#newReading();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
  }

  #newReading(): LogReading {
    return readingOf(this.#store, this.#root, this.#retainedFrom);
  }
}
