import { matchSessions } from "../../src/agents/binding/matcher.ts";
import { expect, test } from "bun:test";
import {
  type CandidatePane,
  type CandidateSession,
  type BindingResult,
} from "../../src/agents/binding/binding.ts";
import type { PreviousBinding } from "../../src/agents/session.ts";
import { claimsOf, ownProcesses, type ProcessFacts } from "../../src/agents/binding/processes.ts";
import { parseConversation, edgesOf } from "../../src/agents/binding/conversation.ts";
import type { AgentRuntime } from "../../src/protocol/agents.ts";
import { previousOf } from "./support/candidates.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import {
  associationRecordings,
  type RecordedMark,
  type RecordedPane,
  type RecordedSession,
} from "../support/recorded-association.ts";

const recordings = await associationRecordings();

test("there are recordings of both runtimes", () => {
  expect(recordings.filter(([name]) => name.startsWith("agent_a")).length).toBeGreaterThan(40);
  expect(recordings.filter(([name]) => name.startsWith("agent_b")).length).toBeGreaterThan(35);
});

for (const [name, { runtime, marks }] of recordings)
  test(`${name}: each session is where the recording says, at every mark`, () => {
    let before: ReadonlyMap<string, BindingResult> = new Map();
    for (const mark of marks) {
      const matches = matchesAt(runtime, mark, before);
      for (const session of mark.sessions) {
        const match = matches.get(session.id);
        const found = { mark: mark.name, session: session.key, ...short(match) };
        expect(session.acceptable, JSON.stringify(found)).toContain(found.association);
        const pane = mark.panes.find(({ id }) => id === match?.pane?.id)?.key ?? null;
        if (match?.pane) expect(pane, JSON.stringify(found)).toBe(session.pane);
        expect(session.never_bound_to).not.toContain(pane ?? "");
      }
      before = matches;
    }
  });

function short(match: BindingResult | undefined) {
  if (!match) return { association: "unavailable" as const };
  const { association, pane, source, candidates, left } = match;
  return {
    association,
    pane: pane?.id,
    source,
    candidates: candidates.map((candidate) => candidate.pane.id),
    left,
  };
}

function matchesAt(
  runtime: AgentRuntime,
  mark: RecordedMark,
  before: ReadonlyMap<string, BindingResult>,
): Map<string, BindingResult> {
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
  before: PreviousBinding,
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
