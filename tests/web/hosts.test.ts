import { describe, expect, test } from "bun:test";
import { byHost, hostOf, isAway, nameFor, untilRetry } from "../../web/model/hosts.ts";
import { filterPanes } from "../../web/model/filter.ts";
import { triesText } from "../../web/views/hosts/hosts.tsx";
import { fixtureHost } from "../support/fixture-hosts.ts";
import { pane } from "../support/pane.ts";

const laptop = fixtureHost({ name: "laptop", kind: "local" });
const gpu = fixtureHost({ name: "gpu-1" });
const near = { ...pane(), id: "%1", host: null };
const far = { ...pane(), id: "%1000001", host: "gpu-1" };

describe("the machine of a pane", () => {
  test("is the server's own where the pane names none", () => {
    expect(hostOf(near, [laptop, gpu])).toBe(laptop);
    expect(hostOf(far, [laptop, gpu])).toBe(gpu);
  });

  test("is none while one machine is alone, whatever panes still say", () => {
    expect(hostOf(near, [])).toBeNull();
    expect(hostOf(far, [])).toBeNull();
  });

  test("is found by the words of a search", () => {
    expect(filterPanes([near, far], { words: "gpu", status: null })).toEqual([far]);
  });
});

describe("panes by machine", () => {
  test("follow the order of the machines, those without panes left out", () => {
    const empty = fixtureHost({ name: "pi" });
    expect(byHost([far, near], [laptop, empty, gpu])).toEqual([
      { host: laptop, panes: [near] },
      { host: gpu, panes: [far] },
    ]);
  });

  test("are one list while a machine is alone", () => {
    expect(byHost([near], [])).toEqual([{ host: null, panes: [near] }]);
  });

  test("of a machine that has just left the list stay at its end", () => {
    expect(byHost([far, near], [laptop])).toEqual([
      { host: laptop, panes: [near] },
      { host: null, panes: [far] },
    ]);
  });
});

describe("a machine is away", () => {
  test("also while it is tried again, and not when it is first connected to", () => {
    expect(isAway(fixtureHost({ name: "a", status: "away" }))).toBe(true);
    expect(isAway(fixtureHost({ name: "a", status: "connecting", reason: "timeout" }))).toBe(true);
    expect(isAway(fixtureHost({ name: "a", status: "connecting" }))).toBe(false);
    expect(isAway(fixtureHost({ name: "a", status: "off" }))).toBe(false);
  });

  test("until it is tried again, or somebody asks", () => {
    expect(untilRetry(fixtureHost({ name: "a", retry_at: 108 }), 100)).toBe(8);
    expect(untilRetry(fixtureHost({ name: "a", retry_at: 90 }), 100)).toBe(0);
    expect(untilRetry(fixtureHost({ name: "a" }), 100)).toBeNull();
    expect(triesText(7.2)).toBe("Tried again in 8 s.");
    expect(triesText(0)).toBe("Tried again now.");
    expect(triesText(280)).toBe("Tried again in 5 min.");
    expect(triesText(null)).toBe("It is not tried again by itself.");
  });
});

test.each([
  ["gpu-1", "gpu-1"],
  ["me@10.0.0.7", "10-0-0-7"],
  ["ssh://me@Box.example.org:2222", "box-example-org"],
  ["-", ""],
])("%s is called %s here", (destination, name) => {
  expect(nameFor(destination)).toBe(name);
});
