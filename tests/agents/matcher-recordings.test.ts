import { Glob } from "bun";
import { expect, test } from "bun:test";
import { basename, join } from "node:path";
import { z } from "zod";
import { matchSessions } from "../../src/agents/binding/matcher.ts";
import type { CandidatePane, CandidateSession } from "../../src/agents/binding/binding.ts";
import type { Binding, PaneMatch } from "../../src/agents/session.ts";
import { claimsOf, ownProcesses, type ProcessFacts } from "../../src/agents/binding/processes.ts";
import { parseConversation, edgesOf } from "../../src/agents/binding/conversation.ts";
import { AgentRuntime, Association } from "../../src/protocol/agents.ts";
import { previousOf } from "./support/candidates.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";

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
type RecordedPane = z.infer<typeof RecordedPane>;

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
type RecordedSession = z.infer<typeof RecordedSession>;

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
type RecordedMark = z.infer<typeof RecordedMark>;

const Recording = z.object({ runtime: AgentRuntime, marks: z.array(RecordedMark) });
type Recording = z.infer<typeof Recording>;

const recordings = await associationRecordings();

test("more than forty recordings of Claude Code and 35 of Codex are checked", () => {
  expect(recordings.filter(([name]) => name.startsWith("agent_a")).length).toBeGreaterThan(40);
  expect(recordings.filter(([name]) => name.startsWith("agent_b")).length).toBeGreaterThan(35);
});

for (const [name, { runtime, marks }] of recordings)
  test(`${name}: each session is matched with the pane that the recording names, at every mark`, () => {
    let before: ReadonlyMap<string, PaneMatch> = new Map();
    for (const mark of marks) {
      const matches = matchesAt(runtime, mark, before);
      for (const session of mark.sessions) {
        const match = matches.get(session.id);
        const found = { mark: mark.name, session: session.key, ...short(match) };
        expect(session.acceptable, JSON.stringify(found)).toContain(found.association);
        const pane = mark.panes.find(({ id }) => id === match?.paneId)?.key ?? null;
        if (match?.paneId) expect(pane, JSON.stringify(found)).toBe(session.pane);
        expect(session.never_bound_to).not.toContain(pane ?? "");
      }
      before = matches;
    }
  });

function short(match: PaneMatch | undefined) {
  if (!match) return { association: "unavailable" as const };
  const { association, paneId, source, candidates, left } = match;
  return {
    association,
    paneId,
    source,
    candidates: candidates.map(({ pane_id }) => pane_id),
    left,
  };
}

function matchesAt(
  runtime: AgentRuntime,
  mark: RecordedMark,
  before: ReadonlyMap<string, PaneMatch>,
): Map<string, PaneMatch> {
  return matchSessions({
    panes: mark.panes.flatMap((pane) => candidatePane(runtime, pane, mark) ?? []),
    sessions: mark.sessions.map((session) =>
      candidateSession(runtime, session, previousOf(before.get(session.id))),
    ),
  });
}

function candidatePane(
  runtime: AgentRuntime,
  pane: RecordedPane,
  mark: RecordedMark,
): CandidatePane | null {
  const processes = pane.processes.map((each): ProcessFacts => ({
    pid: each.pid,
    parent: each.parent,
    args: each.args,
    startTicks: each.start_ticks,
    startedAt: each.started_at,
    cwd: each.cwd,
    openFiles: each.open_files,
  }));
  const [shell, agent] = ownProcesses(processes);
  const seen = detectInput(pane.screen, {
    command: pane.command,
    title: pane.title,
    processes: [(agent ?? shell)?.args ?? []],
    alternate: pane.alternate,
    width: 120,
  });
  const finding = detectWith(seen);
  const isAtRest = finding.status === "idle" && finding.prompt === null;
  if (finding.kind !== runtime) return null;
  return {
    id: pane.id,
    target: pane.id,
    name: pane.id,
    incarnation: `${agent?.pid} ${agent?.startTicks}`,
    runtime,
    folder: agent?.cwd ?? pane.cwd,
    drawnFolder: null,
    userHome: "/home/dev",
    startedAt: agent?.startedAt ?? null,
    claims: claimsOf(runtime, processes, mark.status_files),
    conversation: parseConversation(pane.screen, runtime, isAtRest),
    isAtRest,
  };
}

function candidateSession(
  runtime: AgentRuntime,
  session: RecordedSession,
  before: Binding,
): CandidateSession {
  return {
    id: session.id,
    runtime,
    nativeId: session.id,
    cwd: session.folder,
    folder: session.folder,
    before,
    beganAt: session.began_at,
    lastAt: session.last_at,
    isInteractive: true,
    messages: session.messages.map(({ role, text }) => edgesOf(role, text)),
    newestMessage: session.messages.at(-1)?.text ?? null,
  };
}

/** Every recording, by runtime and scenario. */
async function associationRecordings(): Promise<[string, Recording][]> {
  const found: [string, Recording][] = [];
  for (const path of [...new Glob("*/*.json").scanSync(FOLDER)].toSorted()) {
    const recording = Recording.parse(await Bun.file(join(FOLDER, path)).json());
    found.push([`${recording.runtime} ${basename(path, ".json")}`, recording]);
  }
  return found;
}
