import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Recording, recordingOf } from "./recordings.ts";

/** Of one file, as the largest in a home of a busy year. */
const FILE_BYTES = 8 * 1024 * 1024;
const HOUR_MS = 3_600_000;

const BASES = [
  { base: recordingOf("agent-a", "todos"), folder: ".claude/projects/-home-dev-shop" },
  { base: recordingOf("agent-b", "todos"), folder: ".codex/sessions/2026/11/21" },
  {
    base: recordingOf("agent-a", "permission-approve-deny"),
    folder: ".claude/projects/-home-dev-shop",
  },
  { base: recordingOf("agent-b", "question-multi"), folder: ".codex/sessions/2026/11/21" },
];

/**
 * Logs below a home, made from recorded ones: each file is one session that repeats a recorded
 * conversation hour by hour, with ids and times of its own.
 */
export async function writeBigLogs(home: string, bytes: number): Promise<void> {
  for (let written = 0, index = 0; written < bytes; index++) {
    const row = BASES[index % BASES.length];
    if (!row) break;
    const path = join(home, row.folder, `${index}.jsonl`);
    await mkdir(dirname(path), { recursive: true });
    written += await writeLog(path, row.base, index, Math.min(FILE_BYTES, bytes - written));
  }
}

async function writeLog(
  path: string,
  { files }: Recording,
  index: number,
  bytes: number,
): Promise<number> {
  const text = [...files.values()].map((each) => each.toString("utf8")).join("");
  const sessionId = /"(?:sessionId|id)":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? "";
  const file = await open(path, "w");
  let size = 0;
  try {
    for (let turn = 0; size < bytes; turn++) {
      const part = Buffer.from(renamed(text, { sessionId, index, turn }));
      await file.write(part);
      size += part.length;
    }
  } finally {
    await file.close();
  }
  return size;
}

/** The same records under other ids, hours later; the session keeps one id within its file. */
function renamed(
  text: string,
  { sessionId, index, turn }: { sessionId: string; index: number; turn: number },
): string {
  const own = `${index.toString(16).padStart(8, "0")}${sessionId.slice(8)}`;
  const shift = (id: string, by: number) =>
    ((Number.parseInt(id, 16) ^ by) >>> 0).toString(16).padStart(8, "0");
  return text
    .replace(
      /\b([0-9a-f]{8})(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g,
      (id, head, rest) =>
        id === sessionId ? own : shift(head, (index * 4096 + turn + 1) * 7919) + rest,
    )
    .replace(/"(toolu|call|msg)_([\w]+)"/g, `"$1_${index}_${turn}_$2"`)
    .replace(
      /"timestamp":"([^"]+Z)"/g,
      (_, time: string) =>
        `"timestamp":"${new Date(Date.parse(time) - (10_000 - turn) * (HOUR_MS / 100)).toISOString()}"`,
    );
}
