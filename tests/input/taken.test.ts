import { expect, test } from "bun:test";
import { dialog, SimulatedPanes } from "./simulated.ts";
import { option } from "../support/detect-input.ts";

const ASKS = dialog("Run it?", [option("1", "Yes", { selected: true }), option("2", "No")]);

test("an option counts as taken once all of its plan was sent, and else not", async () => {
  const panes = new SimulatedPanes();
  panes.show("%1", ASKS);
  const prompt_fingerprint = "sha256:other";
  const late = panes.legacy.select({ id: "%1", key: "1", expected: { prompt_fingerprint } });
  await expect(late).rejects.toThrow();
  expect(panes.answered).toEqual([]);
  await panes.legacy.select({ id: "%1", key: "2" });
  expect(panes.answered).toEqual(["Run it? No"]);

  panes.outcome = "unknown";
  panes.show("%2", ASKS);
  await expect(panes.legacy.select({ id: "%2", key: "1" })).rejects.toThrow();
  await panes.legacy.key({ id: "%1", key: "Up" }).catch(() => null);
  expect(panes.answered).toEqual(["Run it? No"]);
});
