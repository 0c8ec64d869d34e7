import { expect, test } from "bun:test";
import { decisionAlert } from "../../src/review/slice.ts";
import { decisionOf, uuid } from "./works.ts";

test("a decision alerts as one of the pane that shows it, and says whether it is urgent", () => {
  const asked = { agentId: uuid(2), decisionId: uuid(2003), revision: 4, paneId: "%7" };
  expect(decisionAlert(decisionOf(2, 3, { revision: 4 }), "%7")).toEqual({
    ...asked,
    isUrgent: false,
  });
  const critical = decisionOf(2, 3, { revision: 4, priority: "critical" });
  expect(decisionAlert(critical, "%7")).toEqual({ ...asked, isUrgent: true });
});

test("a decision that no pane shows alerts nobody", () => {
  for (const paneId of [null, undefined])
    expect(decisionAlert(decisionOf(2, 3), paneId)).toBeNull();
});
