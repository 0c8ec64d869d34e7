import { expect, test } from "bun:test";
import fc from "fast-check";
import { type Layer, parseOverlay } from "../../src/config/resolve.ts";
import { Settings } from "../../src/config/settings.ts";
import { createLog } from "../../src/lib/log.ts";
import { NamingMode } from "../../src/protocol/config.ts";
import { PaneKind } from "../../src/protocol/pane.ts";
import { forAllInTime } from "../support/laws.ts";
import { refusalOf } from "../support/refusal.ts";

type Saved = Record<string, unknown>;

/** Settings over a file in memory, whose writes take a turn and can be made to fail. */
function settingsOver({
  yaml = {},
  saved = {},
  flags = {},
}: { yaml?: Layer; saved?: Saved; flags?: Layer } = {}) {
  const disk = { content: {} as Saved, failsWith: "", writes: 0 };
  const file = {
    async write(value: unknown) {
      await new Promise(setImmediate);
      if (disk.failsWith) throw Object.assign(new Error("no"), { code: disk.failsWith });
      disk.writes++;
      disk.content = JSON.parse(JSON.stringify(value));
    },
  };
  const log = createLog(() => {});
  return { settings: new Settings({ yaml, saved, flags, file, log }), disk };
}

test("a patch is in force at once, saved under the API's names and announced to listeners", async () => {
  const { settings, disk } = settingsOver({ yaml: { poll_interval: 1 } });
  const seen: number[] = [];
  const stop = settings.subscribe(() => seen.push(settings.current.poll_interval));
  expect(await settings.patch({ poll_interval: 3 })).toMatchObject({ poll_interval: 3 });
  expect(disk.content).toEqual({ poll_interval: 3 });
  stop();
  await settings.patch({ poll_interval: 4 });
  expect(seen).toEqual([3]);
});

test("numbers out of range clamp to their bounds", async () => {
  const { settings } = settingsOver();
  const low = { poll_interval: 0, capture_lines: -5, usage_quota_refresh: 1 };
  expect(await settings.patch(low)).toMatchObject({
    poll_interval: 0.2,
    capture_lines: 40,
    usage_quota_refresh: 30,
  });
  const high = { poll_interval: 1e9, capture_lines: 1e9, usage_alert_threshold: 101 };
  expect(await settings.patch(high)).toMatchObject({
    poll_interval: 10,
    capture_lines: 2000,
    usage_alert_threshold: 100,
  });
});

const REFUSED: [object, string][] = [
  [{ poll_interval: "1" }, "poll_interval must be a number"],
  [{ capture_lines: null }, "capture_lines must be a number"],
  [{ usage_alert_threshold: true }, "usage_alert_threshold must be a number"],
  [{ auto_discover: 1 }, "auto_discover must be a boolean"],
  [{ naming_mode: "nice" }, "bad naming_mode: nice"],
  [{ overrides: {} }, "overrides must be a list"],
  [
    { overrides: Array.from({ length: 1001 }, (_, i) => ({ target: `s:${i}.0` })) },
    "too many overrides (max 1000)",
  ],
  [{ overrides: [{ target: "x".repeat(513) }] }, "target too long (max 512 characters)"],
  [{ overrides: [{ target: "a:0.0", kind: "robot" }] }, "bad kind: robot"],
  [{ overrides: [{ target: "a:0.0", kind: "claude" }] }, "bad kind: claude"],
  [{ overrides: [{ target: "a:0.0", kind: "constructor" }] }, "bad kind: constructor"],
  [{ error_patterns: "x" }, "error_patterns must be a list"],
  [{ error_patterns: Array(41).fill("x") }, "too many patterns (max 40)"],
  [{ generic_prompt_patterns: ["x".repeat(201)] }, "pattern too long (max 200 chars)"],
  [{ error_patterns: ["ok", "(a+)+$"] }, "nested quantifier in (a+)+$"],
  [{ error_patterns: [3] }, "error_patterns must be a list of text"],
];
for (const [body, message] of REFUSED) {
  test(`a patch is refused as a whole: ${message}`, async () => {
    const { settings, disk } = settingsOver();
    const before = settings.live();
    const error = await refusalOf(settings.patch({ poll_interval: 5, ...body }));
    expect(error.kind).toBe("invalid");
    expect(error.detail).toBe(message);
    expect(settings.live()).toEqual(before);
    expect(disk.writes).toBe(0);
  });
}

test("a patch drops a blank pattern, which would match everywhere", async () => {
  const { settings } = settingsOver();
  const lists = { error_patterns: ["", "^fail", " "], generic_prompt_patterns: [""] };
  expect(await settings.patch(lists)).toMatchObject({
    error_patterns: ["^fail"],
    generic_prompt_patterns: [],
  });
});

test("a bad regular expression in a patch is refused and named", async () => {
  const error = await refusalOf(settingsOver().settings.patch({ error_patterns: ["a("] }));
  expect(error.detail).toStartWith("bad regex a(");
});

test("a patch ignores unknown and read-only keys", async () => {
  const { settings, disk } = settingsOver();
  const before = settings.live();
  const body = {
    _info: { host: "x" },
    "server.token": "t",
    token: "t",
    version: "9",
    __proto__: 1,
  };
  expect(await settings.patch(body)).toEqual(before);
  expect(settings.current["server.token"]).toBe("");
  expect(disk.writes).toBe(0);
});

test("a patch replaces all overrides, without blank targets, with names cut and the last of each target", async () => {
  const { settings } = settingsOver({
    yaml: { panes: [{ target: "old:0.0", name: "old", kind: null, star: true }] },
  });
  const { overrides } = await settings.patch({
    overrides: [
      { target: "a:0.0", name: "first" },
      { target: " ", name: "dropped" },
      { target: "b:0.0", name: "😀".repeat(100), kind: "agent_a", star: true },
      { target: "a:0.0", kind: "shell" },
    ],
  });
  expect(overrides).toEqual([
    { target: "a:0.0", name: "", kind: "shell", star: false },
    { target: "b:0.0", name: "😀".repeat(80), kind: "agent_a", star: true },
  ]);
});

test("a star keeps the name of its override, and an override with nothing left is removed", async () => {
  const { settings } = settingsOver({
    yaml: { panes: [{ target: "a:0.0", name: "build", kind: null, star: false }] },
  });
  await settings.star("a:0.0", true);
  await settings.star("b:0.0", true);
  expect(settings.live().overrides).toEqual([
    { target: "a:0.0", name: "build", kind: null, star: true },
    { target: "b:0.0", name: "", kind: null, star: true },
  ]);
  await settings.star("a:0.0", false);
  await settings.star("b:0.0", false);
  expect(settings.live().overrides).toEqual([
    { target: "a:0.0", name: "build", kind: null, star: false },
  ]);
});

test("a star above the maximum of overrides is refused, and a star can be taken away above it", async () => {
  const panes = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      ...{ target: `s:${i}.0`, name: "", kind: null, star: true },
    }));
  const full = settingsOver({ yaml: { panes: panes(999) } });
  await full.settings.star("s:999.0", true);
  const refusal = await refusalOf(full.settings.star("t:0.0", true));
  expect([refusal.kind, refusal.message]).toEqual(["invalid", "too many overrides (max 1000)"]);
  expect(full.disk.writes).toBe(1);
  const overfull = settingsOver({ yaml: { panes: panes(1200) } });
  await overfull.settings.star("s:7.0", false);
  expect(overfull.settings.live().overrides).toHaveLength(1199);
});

test("a star that changes nothing is not saved, and keeps an override with nothing but its target", async () => {
  const listed = { target: "a:0.0", name: "", kind: null, star: false };
  const { settings, disk } = settingsOver({ yaml: { panes: [listed] } });
  await settings.star("a:0.0", false);
  await settings.star("b:0.0", false);
  expect(settings.live().overrides).toEqual([listed]);
  expect(disk.writes).toBe(0);
});

test("stars and patches at the same time are all kept", async () => {
  const { settings, disk } = settingsOver();
  const targets = Array.from({ length: 25 }, (_, i) => `s:${i}.0`);
  await Promise.all([
    ...targets.map((target) => settings.star(target, true)),
    settings.patch({ poll_interval: 2 }),
    settings.patch({ capture_lines: 300 }),
  ]);
  const live = settings.live();
  expect(live.overrides.map((one) => one.target)).toEqual(targets);
  expect(live).toMatchObject({ poll_interval: 2, capture_lines: 300 });
  expect(disk.content).toEqual({
    overrides: live.overrides,
    poll_interval: 2,
    capture_lines: 300,
  });
});

test("a failed save leaves the values as they were, and the next change does not carry the lost one", async () => {
  const { settings, disk } = settingsOver();
  const announced: unknown[] = [];
  settings.subscribe(() => announced.push(1));
  disk.failsWith = "EIO";
  expect((await refusalOf(settings.patch({ poll_interval: 2 }))).kind).toBe("persist_failed");
  expect((await refusalOf(settings.star("a:0.0", true))).kind).toBe("persist_failed");
  expect(settings.live()).toMatchObject({ poll_interval: 0.7, overrides: [] });
  expect(announced).toEqual([]);
  disk.failsWith = "";
  await settings.patch({ capture_lines: 100 });
  expect(disk.content).toEqual({ capture_lines: 100 });
});

test.each(["ENOSPC", "EDQUOT"])(
  "a save on a full disk (%s) fails with that reason",
  async (code) => {
    const { settings, disk } = settingsOver();
    disk.failsWith = code;
    const { kind, message } = await refusalOf(settings.patch({ poll_interval: 2 }));
    expect([kind, message]).toEqual(["storage", "cannot save the settings: the disk is full"]);
    expect(settings.live().poll_interval).toBe(0.7);
  },
);

test("values that another version saved stay in the file until a patch changes them", async () => {
  const saved = { naming_mode: "of_later", later: { deep: [1] }, poll_interval: 0.1 };
  const { settings, disk } = settingsOver({ saved });
  expect(settings.live()).toMatchObject({ naming_mode: "session_window_pane", poll_interval: 0.2 });
  await settings.patch({ capture_lines: 300 });
  await settings.star("a:0.0", true);
  expect(disk.content).toMatchObject({ ...saved, capture_lines: 300 });
  await settings.patch({ naming_mode: "title" });
  expect(disk.content).toMatchObject({ ...saved, naming_mode: "title", capture_lines: 300 });
});

test("a change holds over a flag until the next start", async () => {
  const flags = { "discovery.include_shells": true };
  const { settings, disk } = settingsOver({ flags });
  expect(await settings.patch({ include_shells: false })).toMatchObject({ include_shells: false });
  expect(settingsOver({ saved: disk.content, flags }).settings.live().include_shells).toBe(true);
});

test("a failing listener of the settings does not stop the others", async () => {
  const { settings } = settingsOver();
  const heard: string[] = [];
  settings.subscribe(() => {
    throw new Error("mine");
  });
  settings.subscribe(() => heard.push("other"));
  await settings.patch({ poll_interval: 1 });
  expect(heard).toEqual(["other"]);
});

const override = fc.record({
  target: fc.oneof(fc.constantFrom("a:0.0", "b:1.2", " "), fc.string()),
  name: fc.string(),
  kind: fc.option(fc.constantFrom(...PaneKind.options)),
  star: fc.boolean(),
});
const patch = fc.record(
  {
    poll_interval: fc.double({ noNaN: true }),
    capture_lines: fc.integer(),
    include_shells: fc.boolean(),
    naming_mode: fc.constantFrom(...NamingMode.options),
    overrides: fc.array(override, { maxLength: 5 }),
    error_patterns: fc.array(fc.constantFrom("^a", "b+", "\\d"), { maxLength: 3 }),
    usage_alert_threshold: fc.double({ noNaN: true }),
  },
  { requiredKeys: [] },
);

test("law: after any patches and stars a restart gives the same live values", async () => {
  const step = fc.oneof(patch, fc.constantFrom("a:0.0", "b:1.2"));
  await forAllInTime(
    [fc.array(step, { maxLength: 6 }), fc.boolean()],
    100,
    async (steps, starred) => {
      const yaml: Layer = { poll_interval: 3, naming_mode: "title" };
      const { settings, disk } = settingsOver({ yaml });
      for (const one of steps) {
        if (typeof one === "string") await settings.star(one, starred);
        else await settings.patch(one);
      }
      expect(parseOverlay(disk.content).warnings).toEqual([]);
      const again = settingsOver({ yaml, saved: disk.content });
      expect(again.settings.live()).toEqual(settings.live());
    },
  );
});
