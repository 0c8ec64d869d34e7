import { Glob } from "bun";
import { basename, join } from "node:path";
import { z } from "zod";
import { AgentRuntime, Association } from "../../src/protocol/agents.ts";

const FOLDER = join(import.meta.dir, "../fixtures/association");

const RecordedProcess = z.object({
  pid: z.number(),
  parent: z.number(),
  args: z.array(z.string()),
  start_ticks: z.string(),
  started_at: z.number(),
  cwd: z.string().nullable(),
  open_files: z.array(z.string()),
});

const RecordedPane = z.object({
  /** The recording's name of the pane. */
  key: z.string(),
  id: z.string(),
  pid: z.number(),
  command: z.string(),
  title: z.string(),
  cwd: z.string(),
  alternate: z.boolean(),
  processes: z.array(RecordedProcess),
  screen: z.array(z.string()),
});
export type RecordedPane = z.infer<typeof RecordedPane>;

const RecordedSession = z.object({
  key: z.string(),
  id: z.string(),
  folder: z.string(),
  began_at: z.number().nullable(),
  last_at: z.number().nullable(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() })),
  /** What must be concluded: the pane that shows it, and which words for that are right. */
  pane: z.string().nullable(),
  acceptable: z.array(Association),
  never_bound_to: z.array(z.string()),
});
export type RecordedSession = z.infer<typeof RecordedSession>;

/** The system at one moment of a recording of real agent programs. */
const RecordedMark = z.object({
  name: z.string(),
  panes: z.array(RecordedPane),
  status_files: z.array(
    z.object({
      pid: z.number(),
      procStart: z.string().nullable(),
      startedAt: z.number().nullable(),
      sessionId: z.string(),
      status: z.enum(["idle", "busy", "waiting"]).nullable(),
    }),
  ),
  sessions: z.array(RecordedSession),
});
export type RecordedMark = z.infer<typeof RecordedMark>;

const Recording = z.object({ runtime: AgentRuntime, marks: z.array(RecordedMark) });
type Recording = z.infer<typeof Recording>;

/** Every recording, by runtime and scenario. */
export async function associationRecordings(): Promise<[string, Recording][]> {
  const found: [string, Recording][] = [];
  for (const path of [...new Glob("*/*.json").scanSync(FOLDER)].toSorted()) {
    const recording = Recording.parse(await Bun.file(join(FOLDER, path)).json());
    found.push([`${recording.runtime} ${basename(path, ".json")}`, recording]);
  }
  return found;
}
