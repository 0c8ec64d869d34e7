import { beforeEach, describe, expect, test } from "bun:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { type Credentials, MIN_TOKEN_CHARS } from "../../src/config/credentials.ts";
import {
  accessPath,
  markOf,
  StoredAccess,
  readStoredAccess,
} from "../../src/config/stored-access.ts";
import { loadState, readSources } from "../../src/config/load.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import type { Scope } from "../../src/protocol/scope.ts";
import { FakeClock } from "../support/clock.ts";
import { fakeCredentials } from "../support/credentials.ts";
import { temporary } from "../support/temporary.ts";

const DAY = 24 * 3600;
const device = (name: string) => ({ name, scope: "type" as Scope, by: "token" });
const scopesOf = ({ grants }: Credentials) =>
  grants.map(({ id, scope }) => `${/-/.test(id) ? "device" : id} ${scope}`);

describe("a token made by the service", () => {
  test("is required at once, has 43 characters and is stored", async () => {
    const { credentials, written } = fakeCredentials();
    expect(credentials.isRequired).toBe(false);
    const token = await credentials.makeToken("local");
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(credentials.token).toBe(token);
    expect(credentials.isRequired).toBe(true);
    expect(written.at(-1)?.token).toBe(token);
  });

  test("is refused when there is a token already, also to the second of two requests at once", async () => {
    for (const fake of [
      fakeCredentials({ flags: { "server.token": "t" } }),
      fakeCredentials({ access: { token: "t" } }),
    ])
      expect(fake.credentials.makeToken("local")).rejects.toThrow("there is a token already");
    const { credentials } = fakeCredentials();
    const outcomes = await Promise.allSettled([
      credentials.makeToken("local"),
      credentials.makeToken("local"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  test("yields to the token of the configuration", () => {
    const { credentials } = fakeCredentials({
      flags: { "server.token": "configured" },
      access: { token: "kept" },
    });
    expect(credentials.token).toBe("configured");
    expect(credentials.isConfigured).toBe(true);
  });
});

describe("removing the token", () => {
  test("signs out every device, but not the commands of this machine", async () => {
    const { credentials, written } = fakeCredentials({ localSecret: "local" });
    await credentials.makeToken("local");
    await credentials.admit(device("iPhone"), "192.0.2.1");
    expect(scopesOf(credentials)).toEqual(["token own", "local own", "device type"]);
    await credentials.removeToken();
    expect(scopesOf(credentials)).toEqual(["local own"]);
    expect(written.at(-1)).toEqual({ token: "", token_made: null, addresses: [], grants: [] });
  });

  test.each([
    [{ "server.host": "0.0.0.0" }, "the token stays: the service listens on 0.0.0.0"],
    [{ "server.read_token": "guest" }, "the token stays: server.read_token needs it"],
  ] as const)("is refused where others could come in without a token: %j", async (flags, why) => {
    const { credentials } = fakeCredentials({ flags, access: { token: "t" } });
    expect(credentials.removeToken()).rejects.toThrow(why);
    expect(credentials.token).toBe("t");
  });

  test("removes the devices, but keeps a token of the configuration", async () => {
    const { credentials } = fakeCredentials({ flags: { "server.token": "configured" } });
    await credentials.admit(device("iPhone"), "192.0.2.1");
    await credentials.removeToken();
    expect(credentials.token).toBe("configured");
    expect(credentials.devices).toEqual([]);
  });
});

describe("a device", () => {
  const admit = async (
    { credentials }: Pick<ReturnType<typeof fakeCredentials>, "credentials">,
    change: Partial<ReturnType<typeof device>> = {},
  ) => (await credentials.admit({ ...device("A"), ...change }, "192.0.2.1")).device;

  test("has a token of its own that is not stored, and is removed alone", async () => {
    const { credentials, written } = fakeCredentials({ access: { token: "t" } });
    const first = await credentials.admit(device("A"), "192.0.2.1");
    const second = await credentials.admit(device("B"), "192.0.2.1");
    const tokens = [first.token, second.token];
    expect(new Set([...tokens, "t"]).size).toBe(3);
    for (const token of tokens) expect(JSON.stringify(written)).not.toContain(token);
    const { removed, letIn } = await credentials.removeDevice(first.device.id);
    expect([removed.map(({ name }) => name), letIn]).toEqual([["A"], []]);
    expect(credentials.removeDevice(first.device.id)).rejects.toThrow("no such device");
    expect(credentials.devices.map(({ name }) => name)).toEqual(["B"]);
  });

  test("is removed alone, or with all devices that it let in, directly or through others", async () => {
    const fake = fakeCredentials({ access: { token: "t" } });
    const a = await admit(fake, { scope: "own" });
    const b = await admit(fake, { name: "B", scope: "own", by: a.id });
    await admit(fake, { name: "C", by: b.id });
    await admit(fake, { name: "D" });
    const alone = await fake.credentials.removeDevice(b.id);
    expect(alone.letIn.map(({ name }) => name)).toEqual(["C"]);
    const e = await admit(fake, { name: "E", scope: "own", by: a.id });
    await admit(fake, { name: "F", by: e.id });
    const all = await fake.credentials.removeDevice(a.id, { alsoLetIn: true });
    expect(all.removed.map(({ name }) => name)).toEqual(["A", "E", "F"]);
    expect(fake.credentials.devices.map(({ name }) => name)).toEqual(["C", "D"]);
  });

  test("is removed after 180 days without use, counted from its last use", async () => {
    const clock = new FakeClock();
    const fake = fakeCredentials({ access: { token: "t" }, clock });
    const [used, idle] = [await admit(fake), await admit(fake, { name: "idle" })];
    clock.advance(100 * DAY);
    fake.credentials.noteUse(used, "192.0.2.2");
    clock.advance(100 * DAY);
    await fake.credentials.tend();
    expect(fake.credentials.devices).toEqual([
      expect.objectContaining({ id: used.id, last_address: "192.0.2.2" }),
    ]);
    expect(fake.credentials.grants.map(({ id }) => id)).not.toContain(idle.id);
    expect(fake.written.at(-1)?.grants.map(({ last_address }) => last_address)).toEqual([
      "192.0.2.2",
    ]);
  });

  test("is neither written nor announced while nothing about devices has changed", async () => {
    const clock = new FakeClock();
    const fake = fakeCredentials({ access: { token: "t" }, clock });
    let announced = 0;
    fake.credentials.subscribe(() => (announced += 1));
    await fake.credentials.tend();
    expect([fake.written.length, announced]).toEqual([0, 0]);
    const used = await admit(fake);
    clock.advance(3600);
    await fake.credentials.tend();
    expect([fake.written.length, announced]).toEqual([1, 1]);
    fake.credentials.noteUse(used, "192.0.2.2");
    await fake.credentials.tend();
    expect([fake.written.length, announced]).toEqual([2, 2]);
  });

  test("is not signed out by a wall clock that is set ahead before that has stayed for hours", async () => {
    const clock = new FakeClock();
    const fake = fakeCredentials({ access: { token: "t" }, clock });
    const { id } = await admit(fake);
    clock.adjustWall(200 * DAY);
    for (let hour = 0; hour < 2; hour++) {
      await fake.credentials.tend();
      clock.advance(3600);
    }
    clock.adjustWall(-200 * DAY);
    await fake.credentials.tend();
    expect(fake.credentials.grants.map((grant) => grant.id)).toContain(id);
    clock.adjustWall(200 * DAY);
    for (let hour = 0; hour < 5; hour++) {
      await fake.credentials.tend();
      clock.advance(3600);
    }
    expect(fake.credentials.grants.map((grant) => grant.id)).not.toContain(id);
  });

  test("is not signed out when a wall clock that was behind at the start is set right", async () => {
    const clock = new FakeClock();
    const before = fakeCredentials({ access: { token: "t" }, clock });
    const ids = [await admit(before), await admit(before)].map(({ id }) => id);
    const behind = clock.now();
    clock.adjustWall(-behind);
    const fake = fakeCredentials({ access: before.written.at(-1) ?? {}, clock });
    await fake.credentials.tend();
    const [used] = fake.credentials.devices;
    if (used) fake.credentials.noteUse(used, "192.0.2.2");
    await fake.credentials.tend();
    clock.adjustWall(behind);
    for (let hour = 0; hour < 5; hour++) {
      clock.advance(3600);
      await fake.credentials.tend();
    }
    expect(fake.credentials.devices.map(({ id }) => id)).toEqual(ids);
    expect(fake.credentials.devices[0]?.last_used_at).toBe(behind);
  });

  test("keeps the wall clock's time of its last use, however long the machine slept since", async () => {
    const clock = new FakeClock();
    const fake = fakeCredentials({ access: { token: "t" }, clock });
    const used = await admit(fake);
    clock.advance(60);
    const at = clock.now();
    fake.credentials.noteUse(used, "192.0.2.2");
    for (let night = 0; night < 12; night++) {
      // A monotonic clock stands still while the machine sleeps.
      clock.adjustWall(16 * 3600);
      clock.advance(3600);
      await fake.credentials.tend();
    }
    expect(fake.credentials.useOf(used.id)).toEqual({ at, address: "192.0.2.2" });
    expect(fake.credentials.devices).toEqual([
      expect.objectContaining({ last_used_at: at, expires_at: at + 180 * DAY }),
    ]);
    clock.adjustWall(-13 * DAY);
    expect(fake.credentials.devices[0]?.last_used_at).toBe(clock.now() - 12 * 3600);
  });

  test("from a store without grants may type, and has 180 days from now on", async () => {
    const digest = "ab".repeat(32);
    const under = markOf("t");
    const phone = { id: "p-1", name: "Old", paired_at: 5, digest, under };
    const access = StoredAccess.parse({ token: "t", addresses: [], phones: [phone] });
    const clock = new FakeClock();
    const { credentials } = fakeCredentials({ access, clock });
    expect(credentials.devices).toEqual([
      expect.objectContaining({
        ...{ id: "p-1", name: "Old", scope: "type", by: null, created_at: 5 },
        ...{ last_used_at: null, expires_at: clock.now() + 180 * DAY },
      }),
    ]);
  });

  test("let in while its host is removed is removed as well, whichever is written first", async () => {
    for (const isFirst of [true, false]) {
      const fake = fakeCredentials({ access: { token: "t" } });
      const host = await admit(fake, { name: "Host", scope: "own" });
      // While this is written both wait for the next write.
      const writing = fake.credentials.accept("https://a.example");
      const admission = () => admit(fake, { name: "Guest", by: host.id });
      const removal = () => fake.credentials.removeDevice(host.id, { alsoLetIn: true });
      const both = isFirst ? [admission(), removal()] : [removal(), admission()];
      await Promise.allSettled([writing, ...both]);
      expect(fake.credentials.devices).toEqual([]);
    }
  });

  test("has a name of one line and 60 characters at most, and can be renamed", async () => {
    const fake = fakeCredentials({ access: { token: "t" } });
    const hostile = await admit(fake, { name: `\u202e Pixel\n\u001b[31m9${"x".repeat(200)}` });
    expect(hostile.name).toStartWith("Pixel [31m9xxx");
    expect(hostile.name.length).toBe(60);
    expect((await admit(fake, { name: "\u0007 " })).name).toBe("A device");
    await fake.credentials.changeDevice(hostile.id, { name: "Mine", scope: "look" });
    expect(fake.credentials.devices[0]).toMatchObject({ name: "Mine", scope: "look" });
    expect(fake.credentials.changeDevice("nobody", {})).rejects.toThrow("no such device");
  });
});

test("a renewed token replaces a stored one and signs out every device, but never a configured one", async () => {
  const { credentials, written } = fakeCredentials({ access: { token: "t" } });
  await credentials.admit(device("A"), "192.0.2.1");
  const token = await credentials.makeToken("local", { renew: true });
  expect(credentials.token).toBe(token);
  expect(credentials.devices).toEqual([]);
  expect(written.at(-1)?.token_made?.by).toBe("local");
  const configured = fakeCredentials({ flags: { "server.token": "t" } }).credentials;
  expect(configured.makeToken("local", { renew: true })).rejects.toThrow(
    "the token is that of the configuration: change it there",
  );
});

test("keys of the owner and of devices end with their token, those of this machine do not", async () => {
  const { credentials } = fakeCredentials({ access: { token: "t" } });
  const { owner } = credentials;
  const { device: phone } = await credentials.admit(device("A"), "192.0.2.1");
  const holds = () => [owner, phone.id, "anybody", "local"].map((key) => credentials.holds(key));
  expect(holds()).toEqual([true, true, true, true]);
  await credentials.makeToken("local", { renew: true });
  expect(holds()).toEqual([false, false, true, true]);
});

test("accepted addresses follow those of the configuration, each once, also when several come at once", async () => {
  const own = "https://own.example";
  const flags = { "server.public_urls": [own] };
  const { credentials } = fakeCredentials({ flags, access: { token: "t" } });
  const [b, a] = ["https://b.example", "https://a.example"];
  await Promise.all([own, b, a, a].map((address) => credentials.accept(address)));
  expect([credentials.addresses, credentials.publicUrls]).toEqual([
    [b, a],
    [own, b, a],
  ]);
  await credentials.forgetAddresses();
  expect(credentials.publicUrls).toEqual([own]);
});

test("an address without encryption is accepted only with a token of the minimum length", async () => {
  const acceptWith = (chars: number, address: string) =>
    fakeCredentials({ access: { token: "t".repeat(chars) } }).credentials.accept(address);
  await acceptWith(MIN_TOKEN_CHARS, "http://box.example");
  await acceptWith(1, "https://box.example");
  await expect(acceptWith(MIN_TOKEN_CHARS - 1, "http://box.example")).rejects.toThrow("guessed");
  await expect(acceptWith(0, "https://box.example")).rejects.toThrow("needs a token first");
});

test("devices do not hold under another token or none, addresses do not hold without a token", async () => {
  const before = fakeCredentials({ flags: { "server.token": "first" } });
  await before.credentials.accept("https://box.example");
  await before.credentials.admit(device("A"), "192.0.2.1");
  const access = before.written.at(-1) ?? {};
  const changed = fakeCredentials({ flags: { "server.token": "second" }, access }).credentials;
  expect(scopesOf(changed)).toEqual(["token own"]);
  expect(changed.devices).toEqual([]);
  const { credentials } = fakeCredentials({ access });
  expect(credentials.publicUrls).toEqual([]);
  expect(credentials.grants).toEqual([]);
  expect(credentials.accept("https://else.example")).rejects.toThrow(
    "an address needs a token first",
  );
  await credentials.makeToken("local");
  expect(credentials.publicUrls).toEqual(["https://box.example"]);
  expect(credentials.devices).toEqual([]);
});

describe("credentials in the state directory", () => {
  let home = "";
  beforeEach(async () => {
    home = await temporary("kept");
  });
  const log = createLog(() => {});
  const sources = () => readSources({ configPath: null, flags: {}, home, log });
  const load = async () => loadState(await sources(), { log, clock: systemClock });

  test("a token survives a restart in a file that only its user can read", async () => {
    const { credentials, stateDir } = await load();
    const token = await credentials.makeToken("local");
    expect((await stat(accessPath(stateDir))).mode & 0o777).toBe(0o600);
    expect((await load()).credentials.token).toBe(token);
    expect((await sources()).access.token).toBe(token);
  });

  test("a malformed file is left in place by a read, and removed by the start of a service", async () => {
    const { stateDir } = await load();
    for (const broken of ["{", '{"token":1}']) {
      await writeFile(accessPath(stateDir), broken);
      expect((await readStoredAccess(stateDir)).token).toBe("");
      expect(await readFile(accessPath(stateDir), "utf8")).toBe(broken);
      expect((await load()).credentials.isRequired).toBe(false);
      expect(await Bun.file(accessPath(stateDir)).exists()).toBe(false);
    }
  });
});
