import { afterAll, beforeEach, expect, test } from "bun:test";
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeSigningKey, publicKeyOf, signatureOf } from "../../src/release/sign.ts";
import { VERSION } from "../../src/protocol/version.ts";
import { endOf } from "../support/child.ts";
import { temporary } from "../support/temporary.ts";
import { TEST_MS } from "../support/until.ts";

const ENTRY = join(import.meta.dir, "..", "support", "upgrading.ts");
const TARGET = "linux-x64-musl";
const NEWER = "99.0.0";

let bin = "";
let home = "";
let requests = 0;

const folder = await temporary("upgrade-binary", afterAll);
await writeFile(join(folder, "panewatch"), `#!/bin/sh\necho ${NEWER}\n`);
const archive = join(folder, "archive");
await Bun.$`tar -czf ${archive} -C ${folder} panewatch`.quiet();
const bytes = await Bun.file(archive).bytes();
const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
const artifacts = [{ target: TARGET, file: "p.tar.gz", size: bytes.length, sha256 }];
const sums = Buffer.from(`${sha256}  p.tar.gz\n`);
const key = makeSigningKey();
await Bun.build({
  entrypoints: [ENTRY],
  target: "bun",
  define: { KEY_OF_TEST: JSON.stringify(publicKeyOf(key)) },
  compile: { outfile: join(folder, "built") },
});
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: (request) => {
    requests++;
    if (request.url.endsWith("/p.tar.gz")) return new Response(bytes);
    if (request.url.endsWith("/SHA256SUMS")) return new Response(sums);
    if (request.url.endsWith(".minisig")) return new Response(signatureOf(sums, key, "a test"));
    return Response.json({ version: NEWER, from: "", artifacts });
  },
});
afterAll(() => server.stop(true));

/** A home as install.sh leaves it, and a systemctl that records its calls. */
beforeEach(async () => {
  home = await mkdtemp(join(folder, "home-"));
  bin = join(home, ".local", "bin");
  await mkdir(bin, { recursive: true });
  await copyFile(join(folder, "built"), join(bin, "panewatch"));
  const receipt = `${VERSION}\n${server.url.href.replace(/\/$/, "")}\n${TARGET}\n`;
  await writeFile(join(bin, ".panewatch-installed"), receipt);
  const systemctl = `#!/bin/sh\necho "$*" >> ${join(home, "asked")}\n`;
  await writeFile(join(bin, "systemctl"), systemctl, { mode: 0o755 });
});

function start(...args: string[]) {
  return startAt(join(bin, "panewatch"), args);
}

function startAt(executable: string, args: readonly string[]) {
  const PATH = `${bin}:${process.env.PATH}`;
  const env = {
    PATH,
    HOME: home,
    TMUX_TMPDIR: home,
    TMPDIR: home,
    HTTP_PROXY: "http://127.0.0.1:9",
  };
  return Bun.spawn([executable, ...args], {
    ...{ cwd: home, env, timeout: TEST_MS },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const once = (...args: string[]) => endOf(start(...args));

test("the version of the installed program names install.sh, without a request", async () => {
  requests = 0;
  expect(await once("--version")).toEqual({
    stdout: `${VERSION} (${TARGET}, installed by install.sh)\n`,
    stderr: "",
    code: 0,
  });
  expect(requests).toBe(0);
});

test("an upgrade replaces the installed program and restarts its service", async () => {
  expect(await once("service", "install")).toMatchObject({ stderr: "", code: 0 });
  const unit = join(home, ".config", "systemd", "user", "panewatch.service");
  expect(await readFile(unit, "utf8")).toContain(`ExecStart="${join(bin, "panewatch")}"`);
  await rm(join(home, "asked"));
  const upgraded = await once("upgrade");
  expect(upgraded).toMatchObject({ stderr: "", code: 0 });
  expect(upgraded.stdout).toContain(`from ${VERSION}, which is kept as`);
  expect((await readFile(join(home, "asked"), "utf8")).trimEnd().split("\n")).toEqual([
    "--user is-active --quiet panewatch.service",
    "--user restart panewatch.service",
  ]);
  expect(await once("--version")).toMatchObject({ stdout: `${NEWER}\n`, code: 0 });
  const old = await Bun.$`${join(bin, "panewatch.old")} --version`.text();
  expect(old).toStartWith(VERSION);
});

test("an upgrade leaves a service that was started by hand running, and says to start it again", async () => {
  const service = start("--port", "0");
  const reader = service.stdout.getReader();
  await reader.read();
  const { stdout, code } = await once("upgrade");
  expect(code).toBe(0);
  expect(stdout).toContain(`panewatch ${VERSION} still runs (pid ${service.pid}): start it again`);
  expect(service.exitCode).toBeNull();
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
});

test("a service starts an executable of Homebrew by its stable link", async () => {
  const place = join(home, "Cellar/panewatch/1.0.0/bin");
  await mkdir(place, { recursive: true });
  const executable = join(place, "panewatch");
  await rename(join(bin, "panewatch"), executable);
  const { stdout, code } = await endOf(startAt(executable, ["service", "install", "--dry-run"]));
  expect(code).toBe(0);
  expect(stdout).toContain(`ExecStart="${home}/opt/panewatch/bin/panewatch"`);
});
