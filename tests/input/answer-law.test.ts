import { expect, test } from "bun:test";
import fc from "fast-check";
import type { AnswerStep } from "../../src/detect/finding.ts";
import { option } from "../support/detect-input.ts";
import { forAllInTime } from "../support/laws.ts";
import { CLIENT } from "./agent-pane.ts";
import { dialog, SimulatedPanes } from "./simulated.ts";

const typed: fc.Arbitrary<AnswerStep> = fc.oneof(
  fc.record({ do: fc.constant("key" as const), key: fc.constantFrom("Enter", "Up", "Tab") }),
  fc.record({ do: fc.constant("type" as const), text: fc.constantFrom("1", "y", "12") }),
);
const other: fc.Arbitrary<AnswerStep> = fc.constantFrom(
  ...(["text", "verify"] as const).map((name) => ({ do: name })),
);
const plans = fc.array(fc.oneof(typed, other), { maxLength: 12 });

test("law: a plan is sent in its order, in pieces that end at each check and behind the words", async () => {
  await forAllInTime([typed, plans], 200, async (first, others) => {
    const plan = [first, ...others];
    const panes = new SimulatedPanes();
    const show = (label: string) => {
      const more = { selected: true, freeform: true, answerWithText: plan };
      return dialog("Which one?", [option("1", label, more)]);
    };
    panes.show("%1", show("Other"));
    panes.program("%1", (input) => (input.includes("words") ? show("words") : null));
    await panes.legacy.select({ id: "%1", key: "1", text: "words" }, CLIENT);
    const pieces = plan.map((step) => {
      if (step.do === "key") return `<${step.key}>`;
      if (step.do === "type") return step.text;
      return step.do === "text" ? "words\n" : "\n";
    });
    expect(panes.inputs()).toEqual(pieces.join("").split("\n").filter(Boolean));
  });
});
