import { expect, test } from "bun:test";
import { whyNotTyped } from "../../src/agents/acts/acts.ts";
import type { ObservedPane } from "../../src/agents/binding/observed-panes.ts";
import type { FreshRead } from "../../src/terminal/reading.ts";
import { Desk } from "./support/desk.ts";
import { conversationOn } from "../../src/agents/binding/screen-words.ts";
import { candidatePane } from "./support/candidates.ts";

/** A screen on which nobody knows the input line, and the pane as it was seen. */
function bare(now: readonly string[], seen: readonly string[]): [FreshRead, ObservedPane] {
  const desk = new Desk();
  const reading = desk.reading();
  const state = { ...reading.state, lines: [...now] };
  const place: ObservedPane = {
    ...candidatePane("%1", [], { runtime: "agent_a" }),
    home: null,
    identity: reading.pane.identity,
    state: { ...reading.state, lines: [...seen] },
  };
  return [{ ...reading, state, composer: null }, place];
}

const why = (now: readonly string[], seen = now) => whyNotTyped(...bare(now, seen), false);

test("where no input line is known, the same screen with a bare prompt at its end will do", () => {
  expect(why(["● Done.", "", ">"])).toBe(null);
  expect(why(["● Done.", "", "❯ "])).toBe(null);
  expect(why(["● Done.", "› "], ["● Done.", "", "› "])).toBe(null);
});

test("any other end, or any other screen than was seen, will not", () => {
  const reason = "no input line is recognised";
  expect(why(["● Done.", "> draft"])).toBe(reason);
  expect(why(["● Done.", "shop$"])).toBe(reason);
  expect(why(["● Done.", ">"], ["● Something else.", ">"])).toBe(reason);
  expect(why([])).toBe(reason);
});

test("rows above the last sixteen may differ", () => {
  const rows = Array.from({ length: 20 }, (_, index) => `row ${index}`);
  expect(why([...rows, ">"], ["scrolled away", ...rows.slice(1), ">"])).toBe(null);
  expect(why([...rows, ">"], [...rows.slice(0, 19), "another", ">"])).not.toBe(null);
});

test("a program that names another folder than when it was bound is typed into by nobody", () => {
  const lines = (folder: string) => ["• Done.", "", "› Ask", `  medium · ${folder}`];
  const typed = (now: string, seen: string) => {
    const [reading, place] = bare(lines(now), lines(seen));
    const state = { ...reading.state, kind: "agent_b" as const };
    const conversation = conversationOn(lines(seen), "agent_b", true);
    const bound: ObservedPane = { ...place, runtime: "agent_b", conversation };
    return whyNotTyped({ ...reading, state }, bound, true);
  };
  expect(typed("~/.codex/worktrees/4f/shop", "~/code/shop")).toBe(
    "the program works in another folder",
  );
  expect(typed("~/code/shop", "~/code/shop")).toBe("no input line is recognised");
});

test("an agent that asks is written to by nobody, also where only one of two signs says so", () => {
  const [reading, place] = bare(["● Done.", "", ">"], ["● Done.", "", ">"]);
  const why = (now: Partial<FreshRead>) => whyNotTyped({ ...reading, ...now }, place, false);
  const desk = new Desk();
  desk.show("question-single");
  const { prompt } = desk.reading();
  const asks = "the agent waits for an answer";
  expect(why({ prompt })).toBe(asks);
  expect(why({ state: { ...reading.state, status: "needs_input" } })).toBe(asks);
  const kept = { ...reading.finding, keepsPrevious: true };
  expect(why({ finding: kept })).toBe("the agent is not idle");
  expect(why({})).toBeNull();
});
