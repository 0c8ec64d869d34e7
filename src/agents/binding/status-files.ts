import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { StatusFile } from "./claims.ts";

/** They are rewritten in place, and a read in that moment sees half of one. */
const MAX_READS = 4;
const READ_AGAIN_MS = 10;
const MAX_STATUS_BYTES = 64 * 1024;

const Status = z.object({
  pid: z.number(),
  sessionId: z.string(),
  procStart: z.coerce.string().nullish(),
  /** Epoch milliseconds. */
  startedAt: z.number().nullish(),
  status: z.enum(["idle", "busy", "waiting"]).nullish().catch(null),
});

/** What a runtime's processes have written of themselves, for those of these pids that did. */
export async function readStatusFiles(
  home: string,
  pids: readonly number[],
  pause: (ms: number) => Promise<void> = Bun.sleep,
): Promise<StatusFile[]> {
  const found = await Promise.all(
    pids.map((pid) => readStatus(join(home, "sessions", `${pid}.json`), pause)),
  );
  return found.filter((file) => file !== null);
}

async function readStatus(
  path: string,
  pause: (ms: number) => Promise<void>,
): Promise<StatusFile | null> {
  for (let read = 1; read <= MAX_READS; read++) {
    const text = await readFile(path, "utf8").catch(absent);
    if (text === null || text.length > MAX_STATUS_BYTES) return null;
    const file = parseStatus(text);
    if (file) return file;
    await pause(READ_AGAIN_MS);
  }
  return null;
}

/** Null for what is torn, or no status file. */
export function parseStatus(text: string): StatusFile | null {
  const found = Status.safeParse(parseJson(text));
  if (!found.success) return null;
  const { pid, sessionId, procStart, startedAt, status } = found.data;
  return {
    pid,
    sessionId,
    procStart: procStart ?? null,
    startedAt: typeof startedAt === "number" ? startedAt / 1000 : null,
    status: status ?? null,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Most processes have none. */
function absent(): null {
  return null;
}
