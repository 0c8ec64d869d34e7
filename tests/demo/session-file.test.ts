import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mkdtempSync, readFileSync } from "node:fs";
import type { LogEvent } from "../../src/agents/logs/events.ts";
import { agentA } from "../../src/agents/logs/runtimes/agent-a.ts";
import { agentB } from "../../src/agents/logs/runtimes/agent-b.ts";
import { fieldsOf, recordEvents } from "../../src/agents/logs/runtimes/reader.ts";
import { SampleAgent } from "../../src/demo/agent.ts";
import { SAMPLE_AGENTS } from "../../src/demo/scripts.ts";
import { SessionFile } from "../../src/demo/session-file.ts";
import { FakeClock } from "../support/clock.ts";
import { temporary } from "../support/temporary.ts";
import { forAll } from "../support/laws.ts";

const READERS = { agent_a: agentA, agent_b: agentB };
let home: string;
beforeEach(async () => {
  home = await temporary("demo-session");
});

/** What the workspace reads in the log of a sample agent that was pressed these keys, with time between. */
function playLog(name: string, keys: readonly (string | number)[]) {
  const script = SAMPLE_AGENTS[name];
  if (!script) throw new Error(`no sample agent ${name}`);
  const clock = new FakeClock();
  const session = { id: "9a2e812f-bb5a-49f0-8774-f6d44ac086d8", home: mkdtempSync(`${home}/`) };
  const facts = { cwd: "/code/shop", nowMs: () => 1_800_000_000_000 };
  const file = new SessionFile(script.runtime, session, facts);
  let last = "";
  const agent = new SampleAgent(script, clock, (entry) => {
    last = entry.kind;
    file.write([entry]);
  });
  for (const key of keys)
    if (typeof key === "string") agent.press(key);
    else {
      clock.advance(key);
      agent.tick();
    }
  file.close();
  const events = readFileSync(file.path, "utf8")
    .trim()
    .split("\n")
    .flatMap((line) => {
      const fields = fieldsOf(JSON.parse(line));
      return fields ? recordEvents(READERS[script.runtime], fields) : [];
    });
  const of = <Kind extends LogEvent["kind"]>(kind: Kind) =>
    events.filter((event): event is Extract<LogEvent, { kind: Kind }> => event.kind === kind);
  const answerTo = (id: string | undefined) => of("answer").find((answer) => answer.id === id);
  const [said] = of("message").slice(-1);
  return { of, answerTo, last, said: said && `${said.role}: ${said.text}` };
}

describe("the log of a sample agent", () => {
  test("has a plan that was sent back without an answer", () => {
    const { of, answerTo } = playLog("discounts", ["1", 15, 15, "3", ..."less", "Enter"]);
    expect(answerTo(of("plan_request")[0]?.id)?.answers).toBeNull();
  });

  test("has a plan whose steps go on with each answer, and its blocked step", () => {
    const { of } = playLog("discounts", ["1", 15, 15, "1", 15, 15, "1"]);
    const plans = of("plan").map(({ lines }) => lines.map(({ status }) => status).join(" "));
    expect(plans.filter((plan, i) => plan !== plans[i - 1])).toEqual([
      "in_progress pending pending",
      "completed in_progress pending",
      "completed completed in_progress",
      "completed completed in_progress blocked",
      "completed completed completed",
    ]);
  });

  test("of Codex has a note apart from the choice beside it", () => {
    const { of, answerTo, said } = playLog("search", ["Down", "Tab", ..."soon", "Enter"]);
    expect(answerTo(of("question")[0]?.id)?.answers).toEqual({ index: "Whole words" });
    expect(said).toBe("assistant: Noted: soon");
  });

  test("has no open call but the one that waits, for any keys", () => {
    const key = fc.oneof(
      fc.constantFrom("1", "2", "3", "4", "Up", "Down", "Enter", "Escape", "x"),
      fc.constantFrom(1, 7, 30),
    );
    const names = fc.constantFrom("permission", "questions", "discounts");
    forAll([fc.array(key, { maxLength: 30 }), names], (keys, name) => {
      const { of, last } = playLog(name, keys);
      const opened = [
        ...of("question").map(({ id }) => id),
        ...of("plan_request").map(({ id }) => id),
        ...of("tool").flatMap(({ id, open }) => (open ? [id] : [])),
      ];
      const closed = new Set(of("answer").map(({ id }) => id));
      const isAsking = ["asks", "runs", "proposes"].includes(last);
      expect(opened.filter((id) => !closed.has(id))).toHaveLength(isAsking ? 1 : 0);
    });
  });
});
