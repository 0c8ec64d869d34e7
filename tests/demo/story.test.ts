import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LogEvent } from "../../src/agents/logs/events.ts";
import { agentA } from "../../src/agents/logs/runtimes/agent-a.ts";
import { agentB } from "../../src/agents/logs/runtimes/agent-b.ts";
import { fieldsOf, type RuntimeReader } from "../../src/agents/logs/runtimes/reader.ts";
import { type AgentState, press, startAgent, tick } from "../../src/demo/agent.ts";
import { DISCOUNTS, PERMISSIONS, type Script, SEARCH, STORAGE } from "../../src/demo/scripts.ts";
import { entriesOf, type SessionEntry } from "../../src/demo/sessions/story.ts";
import { type SampleFacts, SessionLog } from "../../src/demo/sessions/session-file.ts";
import { detect } from "../../src/detect/detect.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import {
  BUSY,
  drawWorker,
  pressWorker,
  startWorker,
  taskAt,
  tickWorker,
  workerEntries,
  type WorkerState,
} from "../../src/demo/worker.ts";

const ID = "9a2e812f-bb5a-49f0-8774-f6d44ac086d8";

function facts(): SampleFacts {
  let ids = 0;
  return { id: ID, cwd: "/code/shop", nowMs: () => 1_800_000_000_000, newId: () => `id${++ids}` };
}

/** What the workspace reads out of these entries. */
function read(
  reader: RuntimeReader,
  format: SessionLog,
  entries: readonly SessionEntry[],
): LogEvent[] {
  const records = [...format.open(), ...entries.flatMap((entry) => format.records(entry))];
  return records.flatMap((record) => {
    // As through a file: what is no JSON does not come back.
    const fields = fieldsOf(JSON.parse(JSON.stringify(record)));
    return fields ? reader.read(fields) : [];
  });
}

const messages = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.kind === "message" ? [`${event.role}: ${event.text}`] : []));
const of = <Kind extends LogEvent["kind"]>(events: readonly LogEvent[], kind: Kind) =>
  events.filter((event): event is Extract<LogEvent, { kind: Kind }> => event.kind === kind);

/** The entries of a sample agent that is pressed these keys, with time between them. */
function lived(keys: readonly (string | number)[], script: Script): SessionEntry[] {
  let state: AgentState = startAgent(0);
  const entries = entriesOf(null, state, script);
  for (const key of keys) {
    const next =
      typeof key === "string" ? press(state, key, script) : tick(state, state.now + key, script);
    entries.push(...entriesOf(state, next, script));
    state = next;
  }
  return entries;
}

describe("the log of an asking agent is read like a real one", () => {
  test("a question with its choices, the answer to it, and the next question", () => {
    const events = read(agentA, new SessionLog("agent_a", facts()), lived(["2", 10, 10], STORAGE));
    const [first, second] = of(events, "question");
    expect(first?.questions[0]?.question).toBe("Which database should the orders service use?");
    expect(first?.questions[0]?.options.map(({ label }) => label)).toEqual([
      ...["SQLite", "PostgreSQL", "Plain files"],
    ]);
    const answer = of(events, "answer").find(({ id }) => id === first?.id);
    expect(answer?.answers).toEqual({
      "Which database should the orders service use?": "PostgreSQL",
    });
    expect(second?.questions[0]?.header).toBe("Migration");
    expect(messages(events)).toEqual([
      "user: Set up storage for the orders service",
      "assistant: I need a decision before I go on.",
      "assistant: Going with PostgreSQL.",
      "assistant: A trial run has moved the first hundred orders.",
      "assistant: I need a decision before I go on.",
    ]);
    expect(of(events, "session").every(({ nativeId }) => nativeId === ID)).toBe(true);
  });

  test("words of the person's own are the answer as they were typed", () => {
    const events = read(
      agentA,
      new SessionLog("agent_a", facts()),
      lived(["4", ..."two", "Enter"], STORAGE),
    );
    const [asked] = of(events, "question");
    const answer = of(events, "answer").find(({ id }) => id === asked?.id);
    expect(Object.values(answer?.answers ?? {})).toEqual(["two"]);
    expect(messages(events).at(-1)).toBe("assistant: Noted: two");
  });

  test("a question that is turned away has no answer, and the turn ends", () => {
    const events = read(agentA, new SessionLog("agent_a", facts()), lived(["Escape"], STORAGE));
    expect(of(events, "answer").at(-1)?.answers).toBeNull();
    expect(of(events, "turn").at(-1)?.state).not.toBe("working");
  });

  test("what is typed into the composer is a message of the person", () => {
    const keys = ["Escape", ..."try again", "Enter"];
    const events = read(agentA, new SessionLog("agent_a", facts()), lived(keys, STORAGE));
    expect(messages(events).slice(-2)).toEqual([
      "user: try again",
      "assistant: You wrote: try again",
    ]);
    expect(of(events, "turn").at(-1)?.state).toBe("working");
  });

  test("a plan is proposed whole, and approved or sent back", () => {
    const toPlan = ["1", 15, 15];
    const approved = read(
      agentA,
      new SessionLog("agent_a", facts()),
      lived([...toPlan, "1"], DISCOUNTS),
    );
    const [proposed] = of(approved, "plan_request");
    expect(proposed?.plan).toContain("1. Add discount codes to the basket.");
    expect(of(approved, "answer").find(({ id }) => id === proposed?.id)?.answers).toEqual({});
    const keys = [...toPlan, "3", ..."less", "Enter"];
    const back = read(agentA, new SessionLog("agent_a", facts()), lived(keys, DISCOUNTS));
    const answer = of(back, "answer").find(({ id }) => id === of(back, "plan_request")[0]?.id);
    expect(answer?.answers).toBeNull();
  });

  test("its plan goes on with each answer, and says what blocks it", () => {
    const entries = lived(["1", 15, 15, "1", 15, 15, "1"], DISCOUNTS);
    const plans = of(read(agentA, new SessionLog("agent_a", facts()), entries), "plan").map(
      ({ lines }) => lines.map(({ status }) => status).join(" "),
    );
    expect(plans).toEqual([
      "in_progress pending pending",
      "completed in_progress pending",
      "completed in_progress pending",
      "completed completed in_progress",
      "completed completed in_progress blocked",
      "completed completed completed",
    ]);
  });

  test("Codex: a question, the choice under its id, and the next question", () => {
    const keys = ["2", 20, 20];
    const events = read(agentB, new SessionLog("agent_b", facts()), lived(keys, SEARCH));
    const [first, second] = of(events, "question");
    expect(first?.questions[0]?.question).toBe("Which index should the search over names use?");
    expect(of(events, "answer").find(({ id }) => id === first?.id)?.answers).toEqual({
      index: "Whole words",
    });
    expect(second?.questions[0]?.header).toBe("Cache");
    expect(of(events, "answer").some(({ id }) => id === second?.id)).toBe(false);
  });

  test("Codex: a note stands beside the choice, and is no choice itself", () => {
    const keys = ["Down", "Tab", ..."soon", "Enter"];
    const events = read(agentB, new SessionLog("agent_b", facts()), lived(keys, SEARCH));
    const [asked] = of(events, "question");
    const answer = of(events, "answer").find(({ id }) => id === asked?.id);
    expect(answer?.answers).toEqual({ index: "Whole words" });
    expect(messages(events).at(-1)).toBe("assistant: Noted: soon");
  });

  test("Codex: an interruption ends the turn, once", () => {
    const events = read(agentB, new SessionLog("agent_b", facts()), lived(["Escape"], SEARCH));
    expect(of(events, "turn").filter(({ state }) => state === "idle")).toHaveLength(1);
    expect(of(events, "turn").at(-1)?.state).toBe("idle");
  });

  test("whatever is pressed: every call is closed but the one that waits", () => {
    const key = fc.oneof(
      fc.constantFrom("1", "2", "3", "4", "Up", "Down", "Enter", "Escape", "x"),
      fc.constantFrom(1, 7, 30),
    );
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 30 }),
        fc.constantFrom(PERMISSIONS, STORAGE, DISCOUNTS),
        (keys, script) => {
          const entries = lived(keys, script);
          const events = read(agentA, new SessionLog("agent_a", facts()), entries);
          const opened = [
            ...of(events, "question").map(({ id }) => id),
            ...of(events, "plan_request").map(({ id }) => id),
            ...of(events, "tool").flatMap(({ id, open }) => (open ? [id] : [])),
          ];
          const closed = new Set(of(events, "answer").map(({ id }) => id));
          const isAsking = ["asks", "runs", "proposes"].includes(entries.at(-1)?.kind ?? "");
          expect(opened.filter((id) => !closed.has(id))).toHaveLength(isAsking ? 1 : 0);
        },
      ),
    );
  });
});

describe("an agent that only works", () => {
  function look(state: WorkerState) {
    const rows = drawWorker(state, { columns: 100, rows: 30 });
    const lines = rows.map((text) => ({ text: text.trimEnd(), runs: [] }));
    return detect(
      {
        ...{ screen: { lines }, title: "Orders", command: "codex-demo" },
        ...{ processes: [["codex-demo"]], width: 100, height: 30, alternate: true },
        ...{ cursor: null, kindOverride: null },
      },
      NO_PATTERNS,
    );
  }
  /** Through a whole task, a quarter of a second at a time, into its rest. */
  function worked() {
    let state = startWorker(0);
    const entries = workerEntries(null, state);
    for (let now = 0.25; state.isWorking && now < 600; now += 0.25) {
      const next = tickWorker(state, now);
      entries.push(...workerEntries(state, next));
      state = next;
    }
    return { state, entries };
  }

  test("is seen to work, and to rest", () => {
    expect(look(startWorker(0))).toMatchObject({ kind: "agent_b", status: "working" });
    expect(look(worked().state)).toMatchObject({ kind: "agent_b", status: "idle" });
  });

  test("tells each step of its task, with a plan that moves on, and the end", () => {
    const events = read(agentB, new SessionLog("agent_b", facts()), worked().entries);
    const task = taskAt(0);
    expect(messages(events)).toEqual([
      `user: ${task.prompt}`,
      ...task.steps.map(({ says }) => `assistant: ${says}`),
    ]);
    const done = of(events, "plan").map(
      ({ lines }) => lines.filter(({ status }) => status === "completed").length,
    );
    expect(done).toEqual([0, 1, 2, 3]);
    expect(of(events, "turn").at(-1)?.state).toBe("idle");
  });

  test("takes what is typed as its next task", () => {
    const rest = worked().state;
    const typed = [..."go on"].reduce(pressWorker, rest);
    const next = pressWorker(typed, "Enter");
    const events = read(agentB, new SessionLog("agent_b", facts()), workerEntries(typed, next));
    expect(messages(events)).toEqual(["user: go on"]);
    expect(look(next).status).toBe("working");
    const answered = workerEntries(next, tickWorker(next, next.now + 5));
    expect(answered[0]).toEqual({ kind: "says", text: "You wrote: go on" });
  });

  test("queues what is sent while it works, and does it next; a stop gives it back", () => {
    const working = tickWorker(startWorker(0), 1);
    const queued = pressWorker([..."and then"].reduce(pressWorker, working), "Enter");
    expect(look(queued).status).toBe("working");
    expect(drawWorker(queued, { columns: 100, rows: 30 })).toContain("  ↳ and then");
    expect(pressWorker(queued, "Escape")).toMatchObject({ isWorking: false, typed: "and then" });

    const rested = [20, 40, 60].reduce(tickWorker, queued);
    const next = tickWorker(rested, 80);
    expect(next).toMatchObject({ isWorking: true, queued: [], task: { prompt: "and then" } });
    const events = read(agentB, new SessionLog("agent_b", facts()), workerEntries(rested, next));
    expect(messages(events)).toEqual(["user: and then"]);
  });

  test("tells how full its context is, which /compact empties", () => {
    const start = startWorker(0, BUSY);
    const busy = tickWorker(start, 100);
    expect(drawWorker(busy, { columns: 100, rows: 30 }).at(-2)).toBe(
      "  Sample · demo · 84% context used",
    );
    expect(workerEntries(start, busy)).toContainEqual({
      kind: "fills",
      percent: 84,
    });
    const rest = worked().state;
    const compact = pressWorker([..."/compact"].reduce(pressWorker, rest), "Enter");
    expect(tickWorker(compact, rest.now + 5).filled).toBeLessThan(10);
  });

  test("works for minutes where messages are to wait for it", () => {
    const busy = startWorker(0, BUSY);
    const halfway = tickWorker(busy, 100);
    expect(look(halfway).status).toBe("working");
    expect(halfway.said).toHaveLength(1);
    expect(busy.task.prompt).not.toBe(startWorker(0).task.prompt);
  });

  test("a rest ends by itself, with another task", () => {
    const rest = worked().state;
    const next = tickWorker(rest, rest.now + 300);
    expect(workerEntries(rest, next)[0]).toEqual({ kind: "prompt", text: taskAt(1).prompt });
  });
});
