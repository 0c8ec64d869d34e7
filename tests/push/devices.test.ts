import { ConfiguredKind } from "../../src/protocol/push.ts";
import { beforeEach, expect, test } from "bun:test";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "../../src/lib/log.ts";
import { isReachable, MAX_DEVICES, MAX_OF_GRANT } from "../../src/push/device.ts";
import { Devices } from "../../src/push/devices.ts";
import { FakeClock } from "../support/clock.ts";
import { sampled } from "../support/thorough.ts";
import { temporary } from "../support/temporary.ts";
import { nativeFacts, webFacts } from "./stage.ts";

const DAY = 24 * 3600;
let folder: string;
let clock: FakeClock;
const logLines: string[] = [];
const path = () => join(folder, "panewatch-push.json");
const open = (configured: Iterable<ConfiguredKind> = [], onError = false) =>
  Devices.open({
    stateDir: folder,
    configured: new Set(configured),
    onError,
    access: { owner: "anybody", holds: (key, scope) => key === "anybody" || scope !== "own" },
    clock,
    log: createLog((line) => logLines.push(line)),
  });
const gone = () => ({ at: clock.now(), reason: "test", result: "gone", detail: "410" }) as const;

beforeEach(async () => {
  folder = await temporary("devices");
  clock = new FakeClock();
  logLines.length = 0;
});

test("a native token is registered once, and is kept in a private file", async () => {
  const devices = await open();
  expect((await devices.register(nativeFacts("aa".repeat(8)))).isNew).toBe(true);
  expect((await devices.register({ ...nativeFacts("aa".repeat(8)), name: "new" })).isNew).toBe(
    false,
  );
  expect((await stat(path())).mode & 0o777).toBe(0o600);
  const [device, ...others] = (await open()).all;
  expect(others).toEqual([]);
  expect(device).toMatchObject({ kind: "apns", name: "new", added: clock.now() });
  expect(device?.id).toMatch(/^[0-9a-f]{16}$/);
  expect(device?.preferences.reasons).not.toContain("error");
  expect((await open([], true)).all[0]?.preferences.reasons).toContain("error");
});

test("a subscription replaces that of its endpoint or the named one, and keeps the preferences", async () => {
  const devices = await open();
  const first = await devices.register(webFacts("https://push.example/1"));
  expect(first.isNew).toBe(true);
  const device = devices.require(first.id);
  await devices.setPreferences(device.id, { wait_minutes: 5 });
  expect(await devices.register(webFacts("https://push.example/1"))).toEqual({
    id: first.id,
    isNew: false,
  });
  expect(await devices.register(webFacts("https://push.example/2", first.id))).toEqual({
    id: first.id,
    isNew: false,
  });
  expect(devices.all).toHaveLength(1);
  expect(devices.require(first.id).preferences.wait_minutes).toBe(5);
});

test("a device that registers while its grant is removed is removed as well", async () => {
  const devices = await open();
  const registering = devices.register({ ...nativeFacts("aa".repeat(8)), grant: "removed" });
  const ended = devices.keepOnly((grant) => grant !== "removed");
  await registering;
  await ended;
  expect(devices.all).toEqual([]);
});

test("a subscription that ended is listed for 30 days, and is not counted", async () => {
  const devices = await open();
  const { id } = await devices.register(webFacts("https://push.example/1"));
  devices.noteDelivery(devices.require(id), gone());
  await devices.saved();
  expect(devices.count).toBe(0);
  clock.advance(29 * DAY);
  expect((await open()).all).toHaveLength(1);
  clock.advance(2 * DAY);
  expect((await open()).all).toEqual([]);
});

test("times that were saved by a clock ahead are read as now", async () => {
  const before = await open();
  const { id } = await before.register(webFacts("https://push.example/1"));
  before.noteDelivery(before.require(id), gone());
  await before.saved();
  clock.adjustWall(-20 * DAY);
  expect((await open()).require(id)).toMatchObject({
    added: clock.now(),
    gone: clock.now(),
  });
  clock.advance(51 * DAY);
  expect((await open()).all).toEqual([]);
});

test("deliveries that fail and arrive again are logged once per change", async () => {
  const devices = await open();
  const { id } = await devices.register(webFacts("https://push.example/1"));
  for (const result of ["accepted", "failed", "failed", "accepted", "accepted"] as const)
    devices.noteDelivery(devices.require(id), { ...gone(), result, detail: result });
  await devices.saved();
  expect(logLines.map((line) => line.replace(/^\S+ /, "").trim())).toEqual([
    `warn alerts to web device ${id} fail: failed`,
    `info alerts to web device ${id} arrive again`,
  ]);
});

test("a native device that is gone is removed", async () => {
  const devices = await open();
  await devices.register(nativeFacts("aa".repeat(8)));
  const [device] = devices.all;
  devices.noteDelivery(devices.require(device?.id ?? ""), gone());
  await devices.saved();
  expect((await open()).all).toEqual([]);
});

test("a device above the maximum is refused, a known token is not", async () => {
  const devices = await open();
  for (let index = 0; index < MAX_DEVICES; index++)
    await devices.register(nativeFacts(index.toString(16).padStart(16, "0")));
  await expect(devices.register(nativeFacts("f".repeat(16)))).rejects.toMatchObject({
    kind: "conflict",
  });
  // A known token is no new device.
  expect((await devices.register(nativeFacts("0".repeat(16)))).isNew).toBe(false);
});

test("a device that is no owner takes a few places, however many subscriptions of it have ended", async () => {
  const devices = await open();
  const endpoint = (index: number) => `https://push.example/${index}`;
  const add = (index: number) =>
    devices.register({ ...webFacts(endpoint(index)), grant: "a-phone" });
  for (let index = 0; index < MAX_OF_GRANT; index++) await add(index);
  await expect(add(MAX_OF_GRANT)).rejects.toMatchObject({
    kind: "conflict",
    message: expect.stringContaining(`at most ${MAX_OF_GRANT} of one`),
  });
  // It replaces its own, and others still have their places.
  expect((await add(0)).isNew).toBe(false);
  expect((await devices.register(nativeFacts("aa".repeat(8)))).isNew).toBe(true);
  expect(devices.count).toBe(MAX_OF_GRANT + 1);

  for (let index = MAX_OF_GRANT; index < 4 * MAX_OF_GRANT; index++) {
    const oldest = devices.all.find((one) => one.kind === "web" && isReachable(one));
    devices.noteDelivery(devices.require(oldest?.id ?? ""), gone());
    await add(index);
  }
  const saved = await open();
  expect(saved.all).toHaveLength(MAX_OF_GRANT + 1);
  expect(saved.count).toBe(MAX_OF_GRANT + 1);
});

test("a file of another version is read, and entries that are not understood are kept", async () => {
  const strange = { token: 7, of: "another version" };
  const content = {
    devices: [{ token: "ab".repeat(8), name: "old", more: 1 }, strange],
    extra: [1],
  };
  await writeFile(path(), JSON.stringify(content));
  const devices = await open();
  // Devices from before grants are the owner's.
  expect(devices.all).toMatchObject([
    { kind: "apns", name: "old", platform: "ios", grant: "anybody" },
  ]);
  await devices.register(nativeFacts("cd".repeat(8)));
  const saved = JSON.parse(await readFile(path(), "utf8"));
  expect(saved).toMatchObject({ version: 1, extra: [1] });
  expect(saved.devices).toContainEqual(strange);
  expect(saved.devices).toContainEqual(expect.objectContaining({ name: "old", more: 1 }));
});

test.each(["{ no JSON", '"a word"', '{"devices": 7}'])(
  "a file of %p is moved aside",
  async (text) => {
    await writeFile(path(), text);
    expect((await open()).all).toEqual([]);
    expect((await readdir(folder)).filter((name) => name.includes(".corrupt-"))).toHaveLength(1);
    expect(logLines.join("")).not.toContain(text);
  },
);

test("changes that are made while the file is written are all saved in the end", async () => {
  const devices = await open();
  const tokens = Array.from({ length: 20 }, (_, index) => `${index}`.padStart(16, "0"));
  await Promise.all(tokens.map((token) => devices.register(nativeFacts(token))));
  devices.notices = [{ device: "d", tag: "t", identities: ["1"], reason: "error", pane: "%1" }];
  await devices.saved();
  const again = await open();
  expect(again.count).toBe(20);
  expect(again.notices).toHaveLength(1);
});

test.each(ConfiguredKind.options)(
  "%s in the configuration is a device with saved preferences and deliveries",
  async (kind) => {
    const devices = await open([kind]);
    expect(devices.all).toMatchObject([{ kind, id: kind }]);
    expect(devices.count).toBe(0);
    await devices.setPreferences(kind, { wait_minutes: 3 });
    const again = await open([kind]);
    expect(again.require(kind).preferences.wait_minutes).toBe(3);
    await again.setPreferences(kind, { wait_minutes: 4 });
    const last = { at: 1, reason: "test", result: "failed", detail: "403" } as const;
    again.noteDelivery(again.require(kind), last);
    await again.saved();
    const third = (await open([kind])).require(kind);
    expect(third.preferences.wait_minutes).toBe(4);
    expect(third).toMatchObject({ last, failures: 1 });
  },
);

test("the file can be read after the service was killed at any moment", async () => {
  for (const _ of sampled([1, 2, 3, 4, 5, 6], 3)) {
    const child = Bun.spawn(
      [process.execPath, "--no-env-file", join(import.meta.dir, "keep-registering.ts"), folder],
      { stdout: "pipe" },
    );
    // At any point after its first write.
    const reader = child.stdout.getReader();
    await reader.read();
    child.kill("SIGKILL");
    await child.exited;
    const devices = await open();
    expect(devices.count).toBeGreaterThan(0);
    expect((await readdir(folder)).filter((name) => name.includes("corrupt"))).toEqual([]);
  }
});
