import { Replay } from "./recordings.ts";
import { memoryStore } from "./store.ts";

export const CLAUDE_LOG = ".claude/projects/x/a.jsonl";
export const CODEX_LOG = ".codex/sessions/2027/01/02/b.jsonl";

/** A store and the home whose logs it reads; `keptDays`: the retention. */
export async function openLogs({ now, keptDays }: { now?: number; keptDays?: number } = {}) {
  const { store, clock } = memoryStore(now);
  const from = () => (keptDays === undefined ? 0 : clock.now - keptDays * 86_400);
  const replay = await Replay.create(store, from);
  return {
    ...{ store, clock, replay },
    /** Writes the whole log, and reads it to its end. */
    async reads(text: string, path = CLAUDE_LOG): Promise<void> {
      await replay.write(path, text);
      await replay.read();
    },
    /** Puts another file in the log's place, and reads it. */
    async readsInstead(text: string, path = CLAUDE_LOG): Promise<void> {
      await replay.replace(path, Buffer.from(text));
      await replay.read();
    },
    /** Reads with a new reader, as a new process does. */
    async readsAnew(): Promise<void> {
      replay.restart();
      await replay.read();
    },
    [Symbol.asyncDispose]: () => replay[Symbol.asyncDispose](),
  };
}

/** A prompt in a log of Claude Code. */
export function promptLine(text: string, at: number, over: object = {}): string {
  return line({
    type: "user",
    sessionId: "session-1",
    uuid: `${text} ${at}`,
    version: "2.1.330",
    cwd: "/home/dev/shop",
    timestamp: new Date(at * 1000).toISOString(),
    message: { role: "user", content: text },
    ...over,
  });
}

/** A structured question in a log of Claude Code. */
export function questionLine(id: string, at: number): string {
  const questions = [
    { question: "Which one?", header: "One", options: [{ label: "A" }, { label: "B" }] },
  ];
  return line({
    type: "assistant",
    sessionId: "session-1",
    uuid: id,
    timestamp: new Date(at * 1000).toISOString(),
    message: {
      model: "m",
      content: [{ type: "tool_use", id, name: "AskUserQuestion", input: { questions } }],
    },
  });
}

export function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
