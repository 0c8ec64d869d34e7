import { expect, test } from "bun:test";
import { z } from "zod";
import { AgentSession, DecisionItem } from "../../src/protocol/agents.ts";
import { PaneState } from "../../src/protocol/pane.ts";
import { agentOf, decisionOf } from "../review/works.ts";
import { fixture } from "./fixture.ts";
import { pane } from "./pane.ts";

const Thing = z.object({
  id: z.uuid(),
  word: z.string(),
  count: z.int(),
  state: z.enum(["new", "old"]),
  kind: z.literal("thing"),
  parts: z.array(z.string()),
  names: z.record(z.string(), z.string()),
  place: z.object({ row: z.number(), isShown: z.boolean() }),
  last: z.object({ row: z.number() }).nullable(),
  note: z.string().optional(),
});

test("what is not given is the least that the schema has, and parses", () => {
  const made = fixture(Thing, { place: { row: 3 }, last: {} });
  expect(Thing.parse(made)).toEqual(made);
  expect(made).toEqual({
    ...{ id: "00000000-0000-4000-8000-000000000000", word: "", count: 0, state: "new" },
    ...{ kind: "thing", parts: [], names: {}, place: { row: 3, isShown: false }, last: { row: 0 } },
  });
  expect(fixture(Thing, { note: "x", last: null, parts: ["a"] })).toMatchObject({
    ...{ note: "x", last: null, parts: ["a"] },
  });
});

test("what tests are written with has the form that goes over the wire", () => {
  expect(PaneState.parse(pane())).toEqual(pane());
  expect(AgentSession.parse(agentOf(1))).toEqual(agentOf(1));
  expect(DecisionItem.parse(decisionOf(1, 2))).toEqual(decisionOf(1, 2));
});
