import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Credentials, MAX_PHONES } from "../../src/config/credentials.ts";
import { accessPath, readKeptAccess } from "../../src/config/kept-access.ts";
import { loadState, readSources } from "../../src/config/load.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { fakeCredentials } from "../support/credentials.ts";

const whoCome = ({ grants }: Credentials) => grants.map(({ who, access }) => `${who} ${access}`);

describe("a token that is made here", () => {
  test("holds at once, is long and is kept", async () => {
    const { credentials, written } = fakeCredentials();
    expect(credentials.isRequired).toBe(false);
    const token = await credentials.makeToken();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(credentials.token).toBe(token);
    expect(credentials.isRequired).toBe(true);
    expect(written.at(-1)?.token).toBe(token);
  });

  test("is not in force where it could not be kept", async () => {
    const { credentials, refuse } = fakeCredentials();
    refuse(new Error("EROFS"));
    expect(credentials.makeToken()).rejects.toThrow("what signs in cannot be kept");
    await credentials.makeToken().catch(() => undefined);
    expect(credentials.isRequired).toBe(false);
    expect(credentials.grants).toEqual([]);
  });

  test("is refused where there is one, also when two ask at once", async () => {
    for (const one of [
      fakeCredentials({ flags: { "server.token": "t" } }),
      fakeCredentials({ kept: { token: "t" } }),
    ])
      expect(one.credentials.makeToken()).rejects.toThrow("there is a token already");
    const { credentials } = fakeCredentials();
    const made = await Promise.allSettled([credentials.makeToken(), credentials.makeToken()]);
    expect(made.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  test("gives way to that of the configuration", () => {
    const { credentials } = fakeCredentials({
      flags: { "server.token": "configured" },
      kept: { token: "kept" },
    });
    expect(credentials.token).toBe("configured");
    expect(credentials.isConfigured).toBe(true);
  });
});

describe("a token is removed", () => {
  test("with everything that signed in by it, but the commands of this machine", async () => {
    const { credentials, written } = fakeCredentials({ localSecret: "local" });
    await credentials.makeToken();
    await credentials.addPhone("iPhone", 1);
    expect(whoCome(credentials)).toEqual(["token all", "local all", "phone all"]);
    await credentials.removeToken();
    expect(whoCome(credentials)).toEqual(["local all"]);
    expect(written.at(-1)).toEqual({ token: "", addresses: [], phones: [] });
  });

  test.each([
    [{ "server.host": "0.0.0.0" }, "the token stays: the service listens on 0.0.0.0"],
    [{ "server.read_token": "guest" }, "the token stays: server.read_token needs it"],
  ] as const)("not where others could come in then: %p", async (flags, why) => {
    const { credentials } = fakeCredentials({ flags, kept: { token: "t" } });
    expect(credentials.removeToken()).rejects.toThrow(why);
    expect(credentials.token).toBe("t");
  });

  test("only after the addresses that were set up with it", async () => {
    const { credentials } = fakeCredentials({ kept: { token: "t" } });
    await credentials.accept("https://box.example");
    expect(credentials.removeToken()).rejects.toThrow("forget them first");
    await credentials.forgetAddresses();
    await credentials.removeToken();
    expect(credentials.isRequired).toBe(false);
  });

  test("and that of the configuration stays, while its phones go", async () => {
    const { credentials } = fakeCredentials({ flags: { "server.token": "configured" } });
    await credentials.addPhone("iPhone", 1);
    await credentials.removeToken();
    expect(credentials.token).toBe("configured");
    expect(credentials.phones).toEqual([]);
  });
});

describe("a phone", () => {
  test("has a token of its own that is nowhere, and is removed alone", async () => {
    const { credentials, written } = fakeCredentials({ kept: { token: "t" } });
    const tokens = [await credentials.addPhone("A", 1), await credentials.addPhone("B", 2)];
    expect(new Set([...tokens, "t"]).size).toBe(3);
    for (const token of tokens) expect(JSON.stringify(written)).not.toContain(token);
    const [first] = credentials.phones;
    expect(await credentials.removePhone(first?.id ?? "")).toBe(true);
    expect(await credentials.removePhone(first?.id ?? "")).toBe(false);
    expect(credentials.phones.map(({ name }) => name)).toEqual(["B"]);
  });

  test("takes the place of the oldest where there are too many", async () => {
    const { credentials } = fakeCredentials({ kept: { token: "t" } });
    for (let n = 0; n <= MAX_PHONES; n += 1) await credentials.addPhone(`phone ${n}`, n);
    expect(credentials.phones.length).toBe(MAX_PHONES);
    expect(credentials.phones[0]?.name).toBe("phone 1");
  });
});

test("addresses that were set up here stand behind those of the configuration, each once", async () => {
  const { credentials } = fakeCredentials({
    flags: { "server.public_urls": ["https://own.example"] },
    kept: { token: "t" },
  });
  for (const address of ["https://own.example", "https://b.example", "https://b.example"])
    await credentials.accept(address);
  expect(credentials.publicUrls).toEqual(["https://own.example", "https://b.example"]);
  await credentials.forgetAddresses();
  expect(credentials.publicUrls).toEqual(["https://own.example"]);
});

test("what was set up behind a token holds no more where that is gone, or is another", async () => {
  const before = fakeCredentials({ flags: { "server.token": "first" } });
  await before.credentials.accept("https://box.example");
  await before.credentials.addPhone("A", 1);
  const kept = before.written.at(-1) ?? {};
  const changed = fakeCredentials({ flags: { "server.token": "second" }, kept }).credentials;
  expect(whoCome(changed)).toEqual(["token all"]);
  expect(changed.phones).toEqual([]);
  const { credentials } = fakeCredentials({ kept });
  expect(credentials.publicUrls).toEqual([]);
  expect(credentials.grants).toEqual([]);
  expect(credentials.accept("https://else.example")).rejects.toThrow(
    "an address needs a token first",
  );
  await credentials.makeToken();
  expect(credentials.publicUrls).toEqual(["https://box.example"]);
  expect(credentials.phones).toEqual([]);
});

describe("in the state directory", () => {
  let home = "";
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "kept-"));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));
  const log = createLog(() => {});
  const sources = () => readSources({ configPath: null, flags: {}, home, log });
  const load = async () => loadState(await sources(), { log, clock: systemClock });

  test("a token outlives a restart, in a file for its user alone", async () => {
    const { credentials, stateDir } = await load();
    const token = await credentials.makeToken();
    expect((await stat(accessPath(stateDir))).mode & 0o777).toBe(0o600);
    expect((await load()).credentials.token).toBe(token);
    expect((await sources()).kept.token).toBe(token);
  });

  test("a file that is broken is moved aside, once the lock is held", async () => {
    const { stateDir } = await load();
    for (const broken of ["{", '{"token":1}']) {
      await writeFile(accessPath(stateDir), broken);
      expect((await readKeptAccess(stateDir)).token).toBe("");
      expect(await readFile(accessPath(stateDir), "utf8")).toBe(broken);
      expect((await load()).credentials.isRequired).toBe(false);
      expect(await Bun.file(accessPath(stateDir)).exists()).toBe(false);
    }
  });
});
