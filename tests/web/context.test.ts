import { expect, test } from "bun:test";
import { compactCommand, contextBar, contextNote } from "../../web/model/lifecycle.ts";
import { context as words } from "../../web/words/context.ts";
import { pane } from "../support/pane.ts";
import { workOf } from "../review/works.ts";

const full = (context_percent: number | null) => pane({ context_percent });

test("a context is a bar from 70 percent on, a note from 85, and red from 90", () => {
  expect(contextBar(full(69), null)).toBeNull();
  expect(contextBar(full(70), null)).toEqual({ percent: 70, isHigh: false });
  expect(contextBar(full(8), null, 0)).toEqual({ percent: 8, isHigh: false });
  expect(contextBar(full(90), null)).toEqual({ percent: 90, isHigh: true });
  expect(contextNote(full(84), null)).toBeNull();
  expect(contextNote(full(85), null)).toBe(85);
  expect(words.note(89)).toBe("89 % of its context.");
  expect(words.note(90)).toBe("90 % of its context. It compacts soon.");
});

test("the screen is believed before the log, and where neither tells there is nothing", () => {
  const agent = { ...workOf(1).agent, context_percent: 70 };
  expect(contextBar(full(95), agent)?.percent).toBe(95);
  expect(contextBar(full(null), agent)?.percent).toBe(70);
  expect(contextBar(full(null), { ...agent, context_percent: null })).toBeNull();
  expect(contextBar(null, null)).toBeNull();
});

test("an agent that knows the command is offered it", () => {
  const of = (id: string) => compactCommand({ agent: { id, label: "" } });
  expect(["agent_a", "agent_b", "agent_d", "gemini"].map(of)).toEqual([
    "/compact",
    "/compact",
    "/compact",
    null,
  ]);
  expect(compactCommand({ agent: null })).toBeNull();
});
