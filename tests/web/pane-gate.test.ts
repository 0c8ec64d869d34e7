import { describe, expect, test } from "bun:test";
import type { Result } from "../../web/net/api.ts";
import { PaneGate } from "../../web/state/server/pane-gate.ts";
import { MemoryStorage } from "../support/memory-storage.ts";

const lost: Result<never> = { ok: false, failure: { kind: "lost" } };
const refused: Result<never> = {
  ok: false,
  failure: { kind: "refused", status: 409, detail: { reason: "prompt_changed" } },
};

/** A page, and the one that comes after it in the same browser. */
function page(storage = new MemoryStorage()) {
  const gate = new PaneGate(storage);
  return { gate, next: () => page(storage) };
}

test("a pane has one claim at a time, and one for several panes needs all of them", () => {
  const { gate } = page();
  const first = gate.claim(["%1"], "Yes");
  expect([gate.claim(["%1"], "No"), gate.claim(["%2", "%1"], "all")]).toEqual([null, null]);
  expect([gate.isHeld("%1"), gate.isHeld("%2")]).toEqual([true, false]);
  first?.release();
  expect(gate.claim(["%2", "%1"], "all")).not.toBeNull();
});

test("what is claimed and has not left is no doubt for the next page", () => {
  const { gate, next } = page();
  gate.claim(["%1"], "Yes");
  expect(next().gate.stored()).toEqual({});
});

test.each([
  ["arrives", { ok: true, value: null } as Result<unknown>, false],
  ["is refused", refused, false],
  ["is lost", lost, true],
])("what %s", async (_, result, isDoubted) => {
  const { gate } = page();
  const during: unknown[] = [];
  await gate.claim(["%1"], "Yes")?.send(async () => {
    during.push(gate.stored());
    return result;
  });
  expect(during).toEqual([{ "%1": "Yes" }]);
  expect([gate.isHeld("%1"), gate.isDoubted("%1")]).toEqual([isDoubted, isDoubted]);
  expect(gate.stored()).toEqual(isDoubted ? { "%1": "Yes" } : {});
});

test("a call that fails here may have arrived: its terminal is looked at, then the pane is free", async () => {
  const { gate } = page();
  const fault = new Error("no guard");
  let told: unknown = null;
  await gate
    .claim(["%1"], "Yes")
    ?.send(() => Promise.reject(fault))
    .catch((error: unknown) => {
      told = error;
    });
  expect([told, gate.isDoubted("%1")]).toEqual([fault, true]);
  gate.inspected("%1");
  expect(gate.isHeld("%1")).toBe(false);
});

test("a look ends what may have arrived, and not what is on its way", () => {
  const { gate } = page();
  const claim = gate.claim(["%1"], "Yes");
  claim?.leave();
  gate.inspected("%1");
  expect([gate.isHeld("%1"), gate.stored()]).toEqual([true, { "%1": "Yes" }]);
  let looks = 0;
  claim?.doubt(() => looks++);
  gate.inspected("%2");
  expect([gate.isDoubted("%1"), looks]).toEqual([true, 0]);
  gate.inspected("%1");
  gate.inspected("%1");
  expect([gate.isHeld("%1"), looks, gate.stored()]).toEqual([false, 1, {}]);
});

test("of a claim of several panes some may be known, and a look is about one pane", () => {
  const { gate } = page();
  const claim = gate.claim(["%1", "%2", "%3"], "all");
  claim?.leave();
  claim?.release(["%1"]);
  claim?.doubt();
  gate.inspected("%2");
  expect(["%1", "%2", "%3"].map((id) => gate.isDoubted(id))).toEqual([false, false, true]);
  expect(gate.stored()).toEqual({ "%3": "all" });
});

describe("after a reload", () => {
  const left = (label = "Yes", ids = ["%1"]) => {
    const before = page();
    before.gate.claim(ids, label)?.leave();
    return before.next().gate;
  };

  test("what had left is in doubt until somebody looks", () => {
    const gate = left();
    gate.recall(() => true);
    expect(gate.doubts()).toEqual([{ paneId: "%1", label: "Yes" }]);
    expect(gate.claim(["%1"], "Yes")).toBeNull();
    gate.inspected("%1");
    expect([gate.isHeld("%1"), gate.stored()]).toEqual([false, {}]);
  });

  test("a pane that is gone is forgotten", () => {
    const gate = left("all", ["%1", "%2"]);
    gate.recall((id) => id === "%1");
    expect([gate.isHeld("%2"), gate.stored()]).toEqual([false, { "%1": "all" }]);
  });

  test("who learns what became of it ends its doubt, long as its words may be", () => {
    const words = "go on ".repeat(100);
    const gate = left(words);
    const resumed = gate.resume("%1", words);
    gate.recall(() => true);
    gate.inspected("%1");
    // The look ended the doubt; who looks for it himself has not found it yet.
    expect([gate.isDoubted("%1"), gate.isHeld("%1")]).toEqual([false, true]);
    resumed.release();
    expect(gate.isHeld("%1")).toBe(false);
  });

  test("what another doubt is about stays", () => {
    const gate = left("Yes");
    gate.recall(() => true);
    gate.resume("%1", "go on").release();
    expect([gate.isDoubted("%1"), gate.stored()]).toEqual([true, { "%1": "Yes" }]);
  });

  test("the same words in doubt on this page are another doubt", () => {
    const { gate } = page();
    const claim = gate.claim(["%1"], "Yes");
    claim?.leave();
    claim?.doubt();
    gate.resume("%1", "Yes").release();
    expect([gate.isDoubted("%1"), gate.stored()]).toEqual([true, { "%1": "Yes" }]);
  });
});

test.each(["no json", "[]", "null", '{"%1":7}'])("stored as %s nothing is in doubt", (value) => {
  const storage = new MemoryStorage();
  storage.setItem("panewatch.doubts", value);
  const { gate } = page(storage);
  gate.recall(() => true);
  expect(gate.doubts()).toEqual([]);
});
