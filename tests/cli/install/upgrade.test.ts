import { afterEach, beforeEach, expect, test } from "bun:test";
import { cp, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findInstallation } from "../../../src/cli/install/installation.ts";
import { upgrade } from "../../../src/cli/install/upgrade.ts";
import { makeSigningKey, publicKeyOf, signatureOf } from "../../../src/release/sign.ts";
import { temporary } from "../../support/temporary.ts";

const TARGET = "linux-x64";
const ARCHIVE = `panewatch-${TARGET}.tar.gz`;
const KEY = makeSigningKey();
const OLD = "#!/bin/sh\necho 1.0.0\n";

let folder = "";
let executable = "";
let server: Bun.Server<undefined>;
let served: Record<string, () => Response> = {};
let requests: string[] = [];

beforeEach(async () => {
  folder = await temporary("upgrade");
  executable = join(folder, "bin", "panewatch");
  [served, requests] = [{}, []];
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      requests.push(pathname);
      return served[pathname.slice(1)]?.() ?? new Response("", { status: 404 });
    },
  });
  await mkdir(join(folder, "bin"));
  await writeFile(executable, OLD, { mode: 0o755 });
  await writeReceipt(`1.0.0\n${address()}\n${TARGET}\n`);
  await release({});
});
afterEach(async () => {
  await server.stop(true);
});

const address = () => server.url.href.replace(/\/$/, "");
const writeReceipt = (text: string) => writeFile(join(folder, "bin", ".panewatch-installed"), text);

interface Release {
  version?: string;
  program?: string;
  target?: string;
  size?: (real: number) => number;
  sha256?: (real: string) => string;
  signedBy?: string;
  archive?: (real: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;
}

/** Serves a release that is right except for these facts. */
async function release(facts: Release): Promise<void> {
  const { version = "1.1.0", target = TARGET } = facts;
  const { program = `#!/bin/sh\necho '${version} (for a test)'\n` } = facts;
  const content = join(folder, "content");
  await mkdir(content, { recursive: true });
  await writeFile(join(content, "panewatch"), program);
  await Bun.$`tar -czf ${join(folder, "archive")} -C ${content} panewatch`.quiet();
  const bytes = await Bun.file(join(folder, "archive")).bytes();
  const sum = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const size = facts.size?.(bytes.length) ?? bytes.length;
  const artifacts = [{ target, file: ARCHIVE, size, sha256: sum }];
  const sums = Buffer.from(`${facts.sha256?.(sum) ?? sum}  ${ARCHIVE}\n`);
  const signature = signatureOf(sums, facts.signedBy ?? KEY, "a test");
  served.SHA256SUMS = () => new Response(sums);
  served["SHA256SUMS.minisig"] = () => new Response(signature);
  served["manifest.json"] = () => Response.json({ version, from: address(), artifacts });
  served[ARCHIVE] = () => new Response(facts.archive?.(bytes) ?? bytes);
}

const printed: string[] = [];
const upgradeHere = async (keys = [publicKeyOf(makeSigningKey()), publicKeyOf(KEY)]) => {
  printed.length = 0;
  const installed = await findInstallation(executable);
  const print = (line: string) => void printed.push(line);
  return upgrade({ executable, installed, version: "1.0.0", keys, print });
};

test("an upgrade puts the newest release in place, and keeps the old program", async () => {
  expect(await upgradeHere()).toBe(true);
  expect(await Bun.$`${executable}`.text()).toBe("1.1.0 (for a test)\n");
  expect(await readFile(`${executable}.old`, "utf8")).toBe(OLD);
  expect((await stat(executable)).mode & 0o777).toBe(0o755);
  const receipt = await readFile(join(folder, "bin", ".panewatch-installed"), "utf8");
  expect(receipt).toBe(`1.1.0\n${address()}\n${TARGET}\n`);
  expect(await filesThere()).toEqual([".panewatch-installed", "panewatch", "panewatch.old"]);
  expect(printed.at(-1)).toContain(`${executable}.old`);
});

const filesThere = async () => (await readdir(join(folder, "bin"))).toSorted();

test.each(["1.0.0", "0.9.9", "1.0.0-rc.1"])(
  "release %s is not newer, so nothing is downloaded",
  async (version) => {
    await release({ version });
    expect(await upgradeHere()).toBe(false);
    expect(requests).toEqual(["/manifest.json"]);
    expect(printed.join()).toContain("1.0.0 is current");
  },
);

const flipped = (bytes: Uint8Array<ArrayBuffer>) => {
  const changed = bytes.slice();
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  return changed;
};
const REFUSED: [string, Release, RegExp][] = [
  ["a changed archive", { archive: flipped }, /not what was signed/],
  ["a truncated archive", { archive: (all) => all.slice(0, 40) }, /not what was signed/],
  ["a wrong sum", { sha256: () => "0".repeat(64) }, /not what was signed/],
  ["a size that no release has", { size: () => 1e12 }, /is no manifest of a release/],
  ["a size above the real size", { size: (real) => real + 1 }, /not what was signed/],
  ["a size below the real size", { size: (real) => real - 1 }, /the answer is over \d+ bytes/],
  ["a release without this platform", { target: "darwin-x64" }, /has no linux-x64/],
  ["a program of another version", { program: "#!/bin/sh\necho 1.0.5\n" }, /does not run/],
  ["a program that fails", { program: "#!/bin/sh\necho 1.1.0; exit 1\n" }, /does not run/],
  ["a program that cannot be started", { program: "\x7fELF" }, /does not run/],
  [
    "sums signed with an unknown key",
    { signedBy: makeSigningKey() },
    /signed by nobody of panewatch/,
  ],
  ["a malformed manifest", { version: "../../x" }, /is no manifest/],
];
test.each(REFUSED)("an upgrade to %s is refused, and changes nothing", async (_, facts, reason) => {
  await release(facts);
  await expect(upgradeHere()).rejects.toThrow(reason);
  expect(await readFile(executable, "utf8")).toBe(OLD);
  expect(await filesThere()).toEqual([".panewatch-installed", "panewatch"]);
});

test("an upgrade is refused without a known key or without a signature", async () => {
  await expect(upgradeHere([])).rejects.toThrow("knows no key that signs releases");
  delete served["SHA256SUMS.minisig"];
  await expect(upgradeHere()).rejects.toThrow("SHA256SUMS.minisig: it answers 404");
  expect(await filesThere()).toEqual([".panewatch-installed", "panewatch"]);
});

test("an upgrade removes the folder of a killed upgrade, but not of a running upgrade", async () => {
  const [left, busy] = ["left", "busy"].map((name) =>
    join(folder, "bin", `.panewatch-upgrade-${name}`),
  );
  for (const one of [left, busy]) await mkdir(one ?? "");
  const twoHoursAgo = Date.now() / 1000 - 2 * 3600;
  await utimes(left ?? "", twoHoursAgo, twoHoursAgo);
  expect(await upgradeHere()).toBe(true);
  const names = (await filesThere()).filter((name) => name.startsWith(".panewatch-upgrade"));
  expect(names).toEqual([".panewatch-upgrade-busy"]);
});

test("an upgrade is refused if its address is gone or redirects in a circle", async () => {
  served["manifest.json"] = () => Response.redirect(`${address()}/manifest.json`, 302);
  await expect(upgradeHere()).rejects.toThrow(/leads from one address to another/);
  served = {};
  await expect(upgradeHere()).rejects.toThrow(/answers 404/);
});

test("an upgrade follows a redirect, but not to plain HTTP on another machine", async () => {
  const whole = served["manifest.json"];
  served["elsewhere"] = () => whole?.() ?? new Response();
  served["manifest.json"] = () => Response.redirect(`${address()}/elsewhere`, 302);
  expect(await upgradeHere()).toBe(true);
  await writeFile(executable, OLD);
  served["manifest.json"] = () => Response.redirect("http://example.org/manifest.json", 302);
  await expect(upgradeHere()).rejects.toThrow(/refusing to download http:\/\/example.org/);
});

test("an executable that install.sh did not install is not upgraded, and nothing is requested", async () => {
  await writeReceipt("1.0.0\nhttps://example.org\n");
  await expect(upgradeHere()).rejects.toThrow(/was not placed by install.sh/);
  await rm(join(folder, "bin", ".panewatch-installed"));
  await expect(upgradeHere()).rejects.toThrow(/was not placed by install.sh/);
  const npm = join(folder, "node_modules", "panewatch-linux-x64");
  await mkdir(npm, { recursive: true });
  await cp(executable, join(npm, "panewatch"));
  executable = join(npm, "panewatch");
  await expect(upgradeHere()).rejects.toThrow("installed by npm: npm install -g panewatch@latest");
  expect(requests).toEqual([]);
});

test("a folder that cannot be written is refused before the archive is requested", async () => {
  // Even root cannot write there.
  executable = "/proc/self/panewatch";
  const receipt = { address: address(), target: TARGET };
  const installed = { by: "install.sh", target: TARGET, receipt };
  const deps = { executable, installed, version: "1.0.0", keys: [], print: () => {} };
  await expect(upgrade(deps)).rejects.toThrow("cannot write to /proc/self: nothing was downloaded");
  expect(requests).not.toContain(`/${ARCHIVE}`);
});
