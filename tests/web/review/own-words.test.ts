import { expect, test } from "bun:test";
import type { MenuOption } from "../../../src/protocol/pane.ts";
import { ownWordsOf } from "../../../web/model/queue/own-words.ts";
import { decisionOf } from "../../review/works.ts";
import { guard } from "../../support/fixture-panes.ts";
import { pane } from "../../support/pane.ts";

const option = (key: string, label: string, freeform = false): MenuOption => ({
  key,
  label,
  description: "",
  selected: false,
  freeform,
  checked: null,
});
const seen = guard();
const decision = {
  ...decisionOf(1, 1),
  prompt_fingerprint: seen.prompt_fingerprint,
  options: ["Yes, please", "No, and say why"].map((label, index) => ({
    id: String(index + 1),
    label,
    description: "",
    recommended: false,
  })),
};
const menu = [
  option("1", "Yes please"),
  option("2", "No, and say why…", true),
  option("3", "Type something", true),
  option("4", "Chat about this"),
];
const live = (members: object = {}) => pane({ legacy_guard: seen, menu, ...members });

test("an option that the live menu calls freeform, and what the program has added to them", () => {
  const { ids, added } = ownWordsOf(decision, live());
  expect(ids).toEqual(["2"]);
  expect(added.map(({ key }) => key)).toEqual(["3"]);
});

test.each([
  ["no pane is known", null],
  ["its menu has none", live({ menu: menu.slice(0, 1) })],
  ["another prompt is on the screen", live({ legacy_guard: guard() })],
  ["nothing is known of the prompt", live({ legacy_guard: null })],
])("none while %s", (_why, shown) => {
  expect(ownWordsOf(decision, shown)).toEqual({ ids: [], added: [] });
});
