import { describe, expect, test } from "bun:test";
import { expectedOf, promptOf, signatureOf } from "../../web/model/guard.ts";
import { optionOfDigit } from "../../web/model/answer.ts";
import { canSelect, canWrite, type Pane } from "../../web/model/pane.ts";
import { option } from "../support/fixture-panes.ts";
import { pane } from "../support/pane.ts";

const asking = (members: Partial<Pane> = {}): Pane => ({
  ...pane({
    status: "needs_input",
    question: "Make this edit?",
    evidence: ["- a", "+ b"],
    menu: [option("1", "Yes", { selected: true }), option("2", "No")],
  }),
  ...members,
});

const GUARD = {
  endpoint_revision: "7",
  prompt_fingerprint: "sha256:01",
  options_fingerprint: "sha256:02",
};

test("a digit chooses the option with that key, and by place only where no option has a digit", () => {
  expect(["1", "2", "3", "4"].map((digit) => optionOfDigit(["2", "3", "Esc"], digit))).toEqual([
    -1, 0, 1, -1,
  ]);
  expect(["1", "2"].map((digit) => optionOfDigit(["y", "n"], digit))).toEqual([0, 1]);
  expect(optionOfDigit(["10", "1"], "1")).toBe(1);
});

test("the expected guard has the pane's fingerprints and its selected option", () => {
  const guard = {
    prompt_fingerprint: "sha256:01",
    options_fingerprint: "sha256:02",
    selected: "1",
  };
  expect(expectedOf(asking({ legacy_guard: guard }))).toEqual(guard);
  expect(expectedOf(asking({ legacy_guard: null, menu: [] }))).toEqual({
    prompt_fingerprint: null,
    options_fingerprint: null,
    selected: null,
  });
});

test("the prompt that keys and texts belong to does not depend on the output of an idle pane", () => {
  const idle = (preview: string[]) => pane({ status: "idle", preview });
  expect(promptOf(idle(["a"]))).toBe(promptOf(idle(["b"])));
  expect(promptOf(asking())).not.toBe(promptOf(idle(["a"])));
  expect(promptOf(asking({ evidence: ["other"] }))).not.toBe(promptOf(asking()));
});

describe("the actions that a pane takes", () => {
  const legacy = asking().capabilities;
  const guarded = { ...legacy, input: "guarded_v1" as const };
  const known = { ...option("1", "Yes"), id: "o1" };

  test("leave out a choice without menu_select, and words without literal_text", () => {
    const menuless = asking({ capabilities: { ...legacy, menu_select: false } });
    expect(canSelect(menuless, option("1", "Yes"))).toBe(false);
    expect(canWrite(menuless)).toBe(true);
    const mute = asking({ capabilities: { ...legacy, literal_text: false } });
    expect(canSelect(mute, option("1", "Yes"))).toBe(true);
    expect(canWrite(mute)).toBe(false);
  });

  test("need the guard of a guarded pane, and a choice also the option's id", () => {
    const whole = asking({ capabilities: guarded, action_guard: GUARD });
    expect(canSelect(whole, known)).toBe(true);
    expect(canSelect(whole, option("1", "Yes"))).toBe(false);
    expect(canSelect({ ...whole, action_guard: null }, known)).toBe(false);
    expect(canWrite({ ...whole, action_guard: null })).toBe(false);
  });
});

const moved = [option("1", "Yes"), option("2", "No", { selected: true })];
const guarded = { ...asking().capabilities, input: "guarded_v1" as const };

test.each([
  ["with another diff above the question", {}, { evidence: ["- a", "+ c"] }, false],
  ["with another question", {}, { question: "Delete it all?" }, false],
  ["with another option", {}, { menu: [option("1", "No"), option("2", "Yes")] }, false],
  [
    "without evidence, with other lines above the question",
    { evidence: [], lines: ["rm -rf build", "Make this edit?"] },
    { evidence: [], lines: ["rm -rf /", "Make this edit?"] },
    false,
  ],
  ["with another focus in a legacy pane", {}, { menu: moved }, true],
  [
    "with another focus in a guarded pane",
    { capabilities: guarded },
    { capabilities: guarded, menu: moved },
    false,
  ],
  [
    "with another id of an option",
    { menu: [{ ...option("1", "Yes"), id: "o:1" }] },
    { menu: [{ ...option("1", "Yes"), id: "o:2" }] },
    true,
  ],
  ["with other output beside the evidence", {}, { updated: 5, lines: ["x"] }, true],
])("whether the prompt stays the same: %s", (_, before, after, isSame) => {
  expect(signatureOf(asking(after)) === signatureOf(asking(before))).toBe(isSame);
});
