import { expect, test } from "bun:test";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CONFIG_KEYS } from "../../src/config/fields.ts";
import { type Layer, layerOf, readField, resolve } from "../../src/config/resolve.ts";
import { examineTopics } from "../../src/doctor/doctor.ts";
import { herdrChecks, hostCheck, examineMultiplexer } from "../../src/doctor/multiplexer.ts";
import {
  examineAddress,
  examineCreation,
  examineNaming,
  examinePairing,
  examineRuntimes,
  examineUsage,
  serviceCheck,
} from "../../src/doctor/parts.ts";
import { examineConfig, examineState } from "../../src/doctor/state.ts";
import {
  type Check,
  type DoctorContext,
  fail,
  type Examiner,
  ok,
  warn,
} from "../../src/doctor/topic.ts";
import { homeCheck, storeChecks } from "../../src/doctor/workspace.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { temporary } from "../support/temporary.ts";

/** A context with a new state directory and these settings in the file. */
async function contextOf(yaml: Layer = {}): Promise<DoctorContext> {
  const layers = { yaml, overlay: {}, flags: {} };
  const stateDir = await temporary("doctor");
  const read = { configPath: null, refusal: null, warnings: [] };
  return { flags: {}, ...read, layers, config: resolve(layers), stateDir };
}

const checksOf = async (look: Examiner, yaml?: Layer) =>
  Array.fromAsync(look(await contextOf(yaml)));
const levels = (checks: readonly Check[]) => checks.map(({ level }) => level);
const linesOf = (checks: readonly Check[]) =>
  checks.map(({ level, text, remedy = "" }) => `${level}: ${text} ${remedy}`.trim()).join("\n");

const A_TOKEN = "0123456789abcdef";
const TMUX = { "mux.binary": "/no/such/tmux" };
const HERDR = { "terminal.provider": "wsp", "terminal.wsp.session": "demo" } as const;
const FOUND: readonly [what: string, look: Examiner, yaml: Layer, level: string, part: string][] = [
  ["no file", examineConfig, {}, "ok", "defaults hold"],
  ["a state folder", examineState, {}, "ok", "panewatch-doctor"],
  ["any port", examineAddress, { "server.port": 0 }, "ok", "127.0.0.1, any free port"],
  ["no usage", examineUsage, {}, "ok", "usage: off"],
  ["no creation", examineCreation, { "creation.enabled": false }, "ok", "creation: off"],
  ["no naming", examineNaming, {}, "ok", "naming by a model: off"],
  ["a machine that is left out", examineMultiplexer, { "local.watch": false }, "ok", "not watched"],
  [
    "a phone's address",
    examinePairing,
    { "server.token": A_TOKEN, "server.public_urls": ["https://box.example"] },
    "ok",
    "https://box.example",
  ],
  ["no multiplexer", examineMultiplexer, TMUX, "fail", "or set mux.binary to its path"],
  [
    "no herdr",
    examineMultiplexer,
    { ...HERDR, "terminal.wsp.binary": "no-such-herdr" },
    "fail",
    "see docs/wsp.md",
  ],
  [
    "an open bind without a token",
    examineAddress,
    { "server.host": "0.0.0.0" },
    "fail",
    "refusing to bind 0.0.0.0",
  ],
  [
    "an address that is not here",
    examineAddress,
    { "server.host": "192.0.2.1" },
    "fail",
    "EADDRNOTAVAIL",
  ],
  ["a short token", examineAddress, { "server.token": "abcd" }, "warn", "openssl rand -hex 32"],
  [
    "a short token on an open bind",
    examineAddress,
    { "server.host": "0.0.0.0", "server.token": "abcd" },
    "fail",
    "can be guessed",
  ],
  [
    "a read token without a token",
    examineAddress,
    { "server.read_token": A_TOKEN },
    "fail",
    "server.read_token needs server.token",
  ],
  [
    "a missing collector",
    examineUsage,
    { "usage.enabled": true, "usage.command": ["no-such"] },
    "warn",
    "usage.command",
  ],
  [
    "creation without a root",
    examineCreation,
    { "creation.roots": [{ label: "gone", path: "/no/such" }] },
    "warn",
    "creation.roots",
  ],
  [
    "a token, and an address that no phone reaches",
    examinePairing,
    { "server.token": A_TOKEN },
    "warn",
    "panewatch phone",
  ],
  [
    "a missing naming backend",
    examineNaming,
    { "auto_naming.ai_enabled": true, "auto_naming.claude_bin": "no-such" },
    "warn",
    "auto_naming.claude_bin",
  ],
];
test.each(FOUND)("doctor's checks for %s", async (_, look, yaml, level, part) => {
  const checks = await checksOf(look, yaml);
  const found = checks.filter((check) => check.level === level);
  expect(linesOf(found)).toContain(part);
  if (level === "ok") expect(new Set(levels(checks))).toEqual(new Set(["ok"]));
  if (level === "warn") expect(levels(checks)).not.toContain("fail");
});

test("a refused configuration file is a failure, and a readable token has a chmod as remedy", async () => {
  const context = await contextOf({ "server.token": A_TOKEN });
  const configPath = join(context.stateDir, "c.yaml");
  await writeFile(configPath, "", { mode: 0o644 });
  const refusal = "/c:1:1: bad";
  const checks = await Array.fromAsync(examineConfig({ ...context, configPath, refusal }));
  expect(linesOf(checks)).toStartWith(`fail: ${refusal} correct the file`);
  expect(linesOf(checks)).toEndWith(`chmod 600 ${configPath}`);
});

test("state files that others may open, and corrupt state files, are warnings", async () => {
  const context = await contextOf();
  const path = join(context.stateDir, "panewatch-names.json");
  await writeFile(path, "");
  await chmod(path, 0o644);
  await writeFile(`${path}.corrupt-1`, "", { mode: 0o600 });
  await chmod(context.stateDir, 0o755);
  const lines = linesOf(await Array.fromAsync(examineState(context)));
  expect(lines).toContain(`warn: ${path} has mode 644: others may open it chmod go= ${path}`);
  expect(lines).toContain(`warn: ${path}.corrupt-1 was set aside`);
  const { stateDir } = context;
  expect(lines).toContain(`warn: others can read in ${stateDir} chmod go= ${stateDir}`);
  const within = { ...context, stateDir: join(path, "below") };
  expect(levels(await Array.fromAsync(examineState(within)))).toContain("fail");
});

test("an unreadable file of the state folder is named with its error", async () => {
  const context = await contextOf();
  await mkdir(join(context.stateDir, "panewatch-access.json"));
  const { report } = await examineTopics({ Address: [examineAddress] }, context);
  expect(report).toContain("panewatch-access.json (EISDIR)");
  expect(report).toContain("or move it away");
});

test("a port of another program is reported as taken", async () => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
  const checks = await checksOf(examineAddress, { "server.port": server.port ?? 0 });
  expect(linesOf(checks)).toContain("is taken by another program");
});

test("a tmux server that does not answer is a failure", async () => {
  const context = await contextOf();
  const binary = join(context.stateDir, "tmux");
  const script = '#!/bin/sh\n[ "$1" = -V ] && echo "tmux 3.4" && exit\necho "no way" >&2\nexit 1\n';
  await writeFile(binary, script, { mode: 0o755 });
  const checks = await checksOf(examineMultiplexer, { "mux.binary": binary });
  expect(linesOf(checks)).toBe(
    `ok: tmux 3.4 at ${binary}\n` +
      "fail: the server does not answer: no way see mux.socket and TMUX_TMPDIR",
  );
});

test("the service's check follows its manager's state", () => {
  const lineFor = (isInstalled: boolean, isRunning: boolean | null) =>
    linesOf([serviceCheck({ isInstalled, isRunning, sentence: "so" })]);
  expect(lineFor(false, false)).toBe("ok: service: so (panewatch service install)");
  expect(lineFor(true, true)).toBe("ok: service: so");
  expect(lineFor(true, false)).toBe("warn: service: so panewatch service install starts it");
  expect(lineFor(true, null)).toBe("warn: service: so ask from a session that has a user bus");
});

test("herdr's checks are listed one by one, and settings without effect are warnings", async () => {
  const findings = [
    { check: "server", found: "session demo runs", fault: null },
    { check: "socket", found: "gone", fault: { code: "server", remedy: "start it" } },
  ] as const;
  const context = await contextOf({ ...HERDR, "mux.socket": "work" });
  const checks = [...herdrChecks(context, "/bin/herdr", { checks: findings, identity: null })];
  expect(linesOf(checks)).toBe(
    [
      "ok: herdr at /bin/herdr",
      "ok: server: session demo runs",
      "fail: socket: gone start it",
      "warn: mux.socket has no effect with wsp remove it",
    ].join("\n"),
  );
});

test("an unverified herdr release is a warning, or ok if terminal.wsp.accept is untested", async () => {
  const identity = { release: { version: "0.9.3", isVerified: false } };
  const checksWith = async (accept: "verified" | "untested") => {
    const context = await contextOf({ ...HERDR, "terminal.wsp.accept": accept });
    return [...herdrChecks(context, "/bin/herdr", { checks: [], identity })].slice(1);
  };
  expect(linesOf(await checksWith("verified"))).toBe(
    "warn: herdr 0.9.3 has not been tried: answers are off terminal.wsp.accept: untested lets them through",
  );
  expect(linesOf(await checksWith("untested"))).toBe(
    "ok: herdr 0.9.3 has not been tried; terminal.wsp.accept lets it be answered",
  );
});

test("the report has no token, and nothing behind the host of an address", async () => {
  const secrets = CONFIG_KEYS.flatMap((key) => {
    const typed = /token|api_key/.test(key) ? "s3cret" : "https://host.example/s3cret?key=s3cret";
    const reading = readField(key, typed, { name: key, brands: false });
    return "refused" in reading ? [] : [[key, reading.value] as const];
  });
  expect(secrets.map(([key]) => key)).toEqual(
    expect.arrayContaining(["server.token", "push.ntfy_url", "auto_naming.local_url"]),
  );
  const on = { "auto_naming.ai_enabled": true, "auto_naming.ai_backend": "local" } as const;
  const looks = [examineConfig, examineNaming, examinePairing, examineUsage, examineRuntimes];
  const context = await contextOf({ ...layerOf(secrets), ...on });
  const { report } = await examineTopics({ All: looks }, context);
  expect(report).toContain("server.token = (set, not shown)");
  expect(report).toContain("naming by a model: https://host.example/…");
  expect(report).not.toContain("s3cret");
});

test("a setting is listed with its source, and an address without a path in full", async () => {
  const context = await contextOf({ "server.public_urls": ["https://box.example"] });
  const layers = { ...context.layers, overlay: { capture_lines: 300 } };
  const changed = { ...context, layers, config: resolve(layers) };
  const lines = linesOf(await Array.fromAsync(examineConfig(changed)));
  expect(lines).toContain('server.public_urls = ["https://box.example"] (configuration file)');
  expect(lines).toContain("capture_lines = 300 (changed in the settings page)");
});

test("the report has its topics in order, and counts the failures", async () => {
  const One = [() => [ok("a")], () => [warn("b", "mend b")]];
  const context = await contextOf();
  expect(await examineTopics({ One, Two: [] }, context)).toEqual({
    report: "One\n  ok    a\n  note  b\n        -> mend b\n\nTwo\n\nReady.\n",
    failures: 0,
  });
  const bad = await examineTopics({ One, Two: [() => [fail("c", "d")]] }, context);
  expect(bad.report).toEndWith("1 to mend before it works.\n");
  expect(bad.failures).toBe(1);
});

test("a check that throws is a failure, and the other checks are made", async () => {
  const broken = () => {
    throw new Error("no disk");
  };
  const One = [broken, () => [ok("a")]];
  const { report, failures } = await examineTopics({ One }, await contextOf());
  expect(report).toContain("no disk");
  expect(report).toContain("  ok    a\n");
  expect(failures).toBe(1);
});

test("the workspace's checks name log folders, the store's size, and the source of each binding", () => {
  const home = { path: "/h", state: "ok", logs: 3 } as const;
  expect(homeCheck("agent_a", home).text).toBe("agent workspace: Claude Code: /h, 3 logs");
  expect(homeCheck("agent_a", { ...home, state: "foreign" }).level).toBe("warn");
  expect(homeCheck("agent_a", { ...home, state: "missing" }).level).toBe("ok");
  const pane = { runtime: "agent_a", target: "shop:0.1", association: "confirmed" } as const;
  const store = { version: 2, known: 2, sessions: 3, messages: 40 };
  const look = { ...store, bound: [{ ...pane, source: "process" }] };
  expect(storeChecks("/s", 1024 * 1024, look).map(({ text }) => text)).toEqual([
    "agent workspace: /s: 3 sessions, 40 messages, 1.0 MiB, version 2",
    "shop:0.1: Claude Code, confirmed: its own process says so",
  ]);
  expect(levels(storeChecks("/s", 1, { ...look, version: 3 }))).toEqual(["fail"]);
  // No such fault is a reason to advise deleting the store.
  for (const kind of ["corrupt", "busy", "unreadable", "full"] as const) {
    const { message } = new StoreError(kind, "/s");
    const checks = storeChecks("/s", 1, { failure: message });
    expect(levels(checks)).toEqual(["fail"]);
    expect(linesOf(checks)).toContain(message);
    expect(linesOf(checks)).not.toContain("agents clear");
  }
});

test("a missing program is listed as missing from New", async () => {
  const runtimes = { agent_a: ["no-such-claude"], agent_b: ["sh"] };
  const checks = await checksOf(examineRuntimes, { "creation.runtimes": runtimes });
  expect(checks.map(({ text }) => text)).toEqual([
    "New offers no Claude Code: no no-such-claude here",
    `Codex: ${Bun.which("sh")}`,
  ]);
});

const HOST = { name: "gpu-1", ssh: "me@gpu", watch: true };

test("a host with all steps ok can be watched", () => {
  const steps = [{ step: "tmux", ok: true, detail: "tmux 3.3a", ms: 4 }] as const;
  expect(hostCheck(HOST, steps)).toEqual({
    level: "ok",
    text: "gpu-1 can be watched, with tmux 3.3a",
  });
});

test("a host with a failed step is a warning with the step, its output and a command", () => {
  const output = "Host key verification failed.";
  expect(hostCheck(HOST, [{ step: "host_key", ok: false, detail: output, ms: 4 }])).toEqual({
    level: "warn",
    text: `gpu-1 cannot be watched: host key: ${output}`,
    remedy: "ssh me@gpu true",
  });
});
