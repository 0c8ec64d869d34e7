// What it costs to weigh all sessions of a folder against all panes: it holds up everything else.
import { matchSessions } from "../../src/agents/binding/matcher.ts";
import type { CandidatePane, CandidateSession } from "../../src/agents/binding/binding.ts";
import { parseConversation } from "../../src/agents/binding/conversation.ts";
import { candidatePane, candidateSession, NO_CLAIMS } from "../agents/support/candidates.ts";
import { ms, percentile, printTable } from "./figures.ts";

const ROUNDS = 20;
const MESSAGES = 12;
/** Of processor, for the sizes of `BUDGETED`. */
const BUDGET_MS = 10;
const BUDGETED = { sessions: 250, panes: 6 };

/** A screen full of an answer, as long as panes are captured by default. */
function screenOf(index: number): string[] {
  const lines = Array.from({ length: 190 }, (_, row) => {
    const turn = row % 20 === 0 ? "• " : "  ";
    return `${turn}pane ${index} row ${row} with some words of an answer, as agents write them`;
  });
  return [">_ OpenAI Codex (v1.0)", "/model to change", ...lines, "› Ask", "  hint"];
}

function pane(index: number, isNamed: boolean): CandidatePane {
  const id = `%${index}`;
  const sessionId = `s${index}`;
  const status = { pid: index, procStart: "1", startedAt: null, sessionId, status: null };
  const runtime = "agent_b";
  return candidatePane(id, [], {
    ...(isNamed ? { claims: { ...NO_CLAIMS, status } } : {}),
    conversation: parseConversation(screenOf(index), runtime, true),
  });
}

function session(index: number): CandidateSession {
  const said = Array.from(
    { length: MESSAGES },
    (_, place) => `message ${place} of session ${index}: ${"some words of it ".repeat(10)}`,
  );
  return candidateSession(`s${index}`, said, { beganAt: index, lastAt: 1000 + index });
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

let isTooSlow = false;
const rows: string[][] = [];
for (const isNamed of [true, false])
  for (const [sessions, panes] of [
    [250, 1],
    [BUDGETED.sessions, BUDGETED.panes],
    [250, 10],
    [1000, 6],
  ] as const) {
    const input = {
      panes: Array.from({ length: panes }, (_, index) => pane(index, isNamed)),
      sessions: Array.from({ length: sessions }, (_, index) => session(index)),
    };
    const times = Array.from({ length: ROUNDS }, () => cpuMs(() => matchSessions(input)));
    const median = percentile(times, 50);
    const isBudgeted = sessions === BUDGETED.sessions && panes === BUDGETED.panes;
    if (isBudgeted && median > BUDGET_MS) isTooSlow = true;
    const who = isNamed ? "panes whose process names its session" : "panes told by their screens";
    rows.push([`${sessions} sessions, ${panes} ${who}`, ...[median, Math.max(...times)].map(ms)]);
  }

printTable(["one look, of processor", "median", "most"], rows);
if (isTooSlow) process.stderr.write(`more than ${BUDGET_MS} ms of processor\n`);
process.exit(isTooSlow ? 1 : 0);
