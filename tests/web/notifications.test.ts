import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  checklist,
  type DeviceFacts,
  failedStep,
  mutedWith,
  stillMuted,
  tomorrowMorning,
} from "../../web/model/notifications.ts";

const READY: DeviceFacts = {
  isSecure: true,
  needsHomeScreen: false,
  isOnHomeScreen: false,
  hasPush: true,
  permission: "granted",
  device: { gone: null, last: null },
};
const words = (facts: DeviceFacts) => checklist(facts).map(({ name, state }) => `${name} ${state}`);
const refused = { at: 1, reason: "test", result: "failed", detail: "403 BadJwtToken" } as const;

describe("the checklist of a device", () => {
  test.each([
    ["ready", {}, ["https done", "allowed done", "subscribed done"]],
    [
      "never asked",
      { permission: "default", device: null },
      ["https done", "allowed open", "subscribed open"],
    ],
    [
      "plain HTTP",
      { isSecure: false, hasPush: false },
      ["https failed", "allowed open", "subscribed open"],
    ],
    [
      "iOS, not on the home screen",
      { needsHomeScreen: true, hasPush: false, permission: "default", device: null },
      ["https done", "home_screen failed", "allowed open", "subscribed open"],
    ],
    [
      "a browser without push",
      { hasPush: false },
      ["https done", "supported failed", "allowed open", "subscribed open"],
    ],
    ["blocked", { permission: "denied" }, ["https done", "allowed failed", "subscribed open"]],
    [
      "dropped",
      { device: { gone: 7, last: null } },
      ["https done", "allowed done", "subscribed failed"],
    ],
    [
      "refused",
      { device: { gone: null, last: refused } },
      ["https done", "allowed done", "subscribed done", "server failed"],
    ],
  ] as const)("%s", (_, facts, steps) => {
    expect(words({ ...READY, ...facts })).toEqual([...steps]);
  });

  test("at most one step fails, and nothing behind it is done", () => {
    const facts = fc.record({
      isSecure: fc.boolean(),
      needsHomeScreen: fc.boolean(),
      isOnHomeScreen: fc.boolean(),
      hasPush: fc.boolean(),
      permission: fc.constantFrom("default" as const, "granted" as const, "denied" as const),
      device: fc.constantFrom(null, { gone: null, last: refused }, { gone: 1, last: null }),
    });
    fc.assert(
      fc.property(facts, (one) => {
        const steps = checklist(one);
        const failed = steps.filter(({ state }) => state === "failed");
        expect(failed.length).toBeLessThanOrEqual(1);
        expect(failedStep(steps)).toBe(failed[0]?.name ?? null);
        const firstNotDone = steps.findIndex(({ state }) => state !== "done");
        const behind = firstNotDone < 0 ? [] : steps.slice(firstNotDone + 1);
        expect(behind.every(({ state }) => state === "open")).toBe(true);
      }),
    );
  });
});

test("a pane is muted once, until then or for good", () => {
  const muted = mutedWith([{ target: "a", until: 5 }], "a", null);
  expect(muted).toEqual([{ target: "a", until: null }]);
  expect(mutedWith(muted, "a", "not")).toEqual([]);
  expect(stillMuted([...muted, { target: "b", until: 10 }], 10)).toEqual(muted);
});

test("tomorrow is the next morning of this device's clock", () => {
  const late = new Date(2026, 0, 31, 23, 30).getTime() / 1000;
  expect(tomorrowMorning(late)).toBe(new Date(2026, 1, 1, 7).getTime() / 1000);
  const early = new Date(2026, 0, 31, 0, 30).getTime() / 1000;
  expect(tomorrowMorning(early)).toBe(new Date(2026, 1, 1, 7).getTime() / 1000);
});
