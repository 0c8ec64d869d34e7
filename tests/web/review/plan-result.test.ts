import { describe, expect, test } from "bun:test";
import { countsOf, differenceOf, inResultOrder } from "../../../web/model/review/plan-result.ts";
import { decisionOf } from "../../review/works.ts";

test("a result counts what was sent, what was not and what is unclear", () => {
  const steps = [
    { outcome: "sent" },
    { outcome: "changed" },
    { outcome: "uncertain" },
    { outcome: null },
  ] as const;
  expect(countsOf(steps)).toEqual({ sent: 1, unsent: 2, unclear: 1 });
  expect(inResultOrder(steps).map(({ outcome }) => outcome)).toEqual([
    "uncertain",
    "changed",
    null,
    "sent",
  ]);
});

describe("what changed is", () => {
  const option = (id: string, label: string) => ({
    id,
    label,
    description: "",
    recommended: false,
  });
  const two = [option("1", "This way"), option("2", "That way")];
  const seen = decisionOf(1, 1, { options: two });
  test.each([
    ["the question", { title: "Another?" }, { kind: "question" }],
    [
      "one option",
      { options: [option("1", "This way"), option("2", "No way")] },
      { kind: "option", before: "That way", after: "No way" },
    ],
    ["several options", { options: [option("1", "A"), option("2", "B")] }, { kind: "options" }],
    ["their number", { options: [option("1", "This way")] }, { kind: "options" }],
    ["nothing that is read", { binding_revision: 2 }, { kind: "other" }],
  ])("%s", (_name, members, difference) => {
    expect(differenceOf(seen, { ...seen, ...members })).toEqual(difference as never);
  });
});
