import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LogEvent } from "../../src/agents/logs/events.ts";
import { agentA } from "../../src/agents/logs/runtimes/agent-a.ts";
import { agentB } from "../../src/agents/logs/runtimes/agent-b.ts";
import {
  fieldsOf,
  recordEvents,
  type RuntimeReader,
} from "../../src/agents/logs/runtimes/reader.ts";
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
    return fields ? recordEvents(reader, fields) : [];
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

  test("a plan may be sent back", () => {
    const keys = ["1", 15, 15, "3", ..."less", "Enter"];
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

  test("a stop gives back what was queued", () => {
    const working = tickWorker(startWorker(0), 1);
    const queued = pressWorker([..."and then"].reduce(pressWorker, working), "Enter");
    expect(look(queued).status).toBe("working");
    expect(drawWorker(queued, { columns: 100, rows: 30 })).toContain("  ↳ and then");
    expect(pressWorker(queued, "Escape")).toMatchObject({ isWorking: false, typed: "and then" });
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
});
