import { expect, test } from "bun:test";
import { reusePanes } from "../../web/model/reuse.ts";
import { fixturePane, option } from "../support/fixture-panes.ts";

const pane = (number: number, question: string) =>
  fixturePane({
    number,
    session: "api",
    window: "auth",
    name: `pane-${number}`,
    status: "needs_input",
    ago: 5,
    question,
    menu: [option("1", "Yes")],
    lines: ["one", "two"],
  });

test("a pane that says the same stays the same object, another one is the new object", () => {
  const [kept, old] = [pane(1, "Go on?"), pane(2, "Which?")];
  const fresh = [pane(2, "Which one?"), structuredClone(kept), pane(3, "New?")];
  const shown = reusePanes([kept, old], fresh);
  expect(shown[0]).toBe(fresh[0]);
  expect(shown[1]).toBe(kept);
  expect(shown[2]).toBe(fresh[2]);
  expect(reusePanes(shown, structuredClone(fresh))).toBe(shown);
});

test("a difference in any member, how deep it may be, makes another pane", () => {
  const before = pane(1, "Go on?");
  for (const change of [
    { lines: ["one", "other"] },
    { preview: [] },
    { starred: true },
    { menu: [{ ...option("1", "Yes"), selected: true }] },
    { capabilities: { ...before.capabilities, menu_select: false } },
  ]) {
    const after = { ...before, ...change };
    expect(reusePanes([before], [after])[0]).toBe(after);
  }
});
