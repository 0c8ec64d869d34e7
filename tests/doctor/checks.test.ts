import { expect, test } from "bun:test";
import {
  addressChecks,
  type AddressFacts,
  creationChecks,
  imagesChecks,
  lookAtNaming,
  lookAtPairing,
  lookAtRuntimes,
  lookAtUsage,
  namingChecks,
  pairingChecks,
  serviceChecks,
  usageChecks,
} from "../../src/doctor/parts.ts";
import {
  configChecks,
  lookAtConfig,
  stateChecks,
  type StateFacts,
} from "../../src/doctor/state.ts";
import { muxChecks, type MuxFacts, wspChecks } from "../../src/doctor/multiplexer.ts";
import { examineTopics, hasFailure, renderReport } from "../../src/doctor/doctor.ts";
import { workspaceChecks, type WorkspaceFacts } from "../../src/doctor/workspace.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "../../src/doctor/topic.ts";
import { CONFIG_KEYS } from "../../src/config/fields.ts";
import { layerOf, readField, resolve } from "../../src/config/resolve.ts";

const TMUX: MuxFacts = {
  refusal: null,
  executable: "/usr/bin/tmux",
  version: "3.4",
  server: { socket: "/tmp/tmux-1/default", panes: 3, failure: null },
};
const CONFIG = { path: null, refusal: null, warnings: [], values: [], exposesToken: false };
const STATE: StateFacts = {
  path: "/home/ana/.panewatch",
  exists: true,
  isWritable: true,
  open: [],
  corrupt: [],
};
const ADDRESS: AddressFacts = { host: "127.0.0.1", port: 8787, tokenChars: 0, listener: "free" };
const NAMING = { enabled: false, backend: "claude", executable: "claude", path: null };
const USAGE = { enabled: false, executable: "tokscale", path: null };
const HERDR = { refusal: null, executable: "/bin/herdr", release: null, ignored: [] };
const DEMO = { check: "server", found: "session demo does not run", fault: { remedy: "start it" } };

const levels = (checks: readonly Check[]) => checks.map(({ level }) => level);

const GOOD: [string, readonly Check[], string][] = [
  ["no file", configChecks(CONFIG), "defaults hold"],
  ["tmux", muxChecks(TMUX), "server at /tmp/tmux-1/default, 3 panes"],
  ["a state folder", stateChecks(STATE), "/home/ana/.panewatch"],
  ["an address", addressChecks(ADDRESS), "127.0.0.1 port 8787 is free"],
  ["no usage", usageChecks(USAGE), "usage: off"],
  ["no creation", creationChecks({ enabled: false, roots: [], dropped: [] }), "creation: off"],
  ["no naming", namingChecks(NAMING), "naming by a model: off"],
  ["uploads", imagesChecks({ folder: "/s/uploads", isLinkOrFile: false }), "images: in"],
  [
    "a phone's address",
    pairingChecks({ hasToken: true, urls: ["https://box.example"], isLocal: false }),
    "https://box.example",
  ],
  ["no service", serviceChecks({ isInstalled: false, isRunning: false }), "not installed"],
];
for (const [what, checks, part] of GOOD) {
  test(`nothing to mend: ${what}`, () => {
    expect(new Set(levels(checks))).toEqual(new Set(["ok"]));
    expect(checks.map(({ text }) => text).join("\n")).toContain(part);
  });
}

const FAILURES: [string, readonly Check[], string][] = [
  [
    "a file that is refused",
    configChecks({ ...CONFIG, path: "/c", refusal: "/c:1:1: bad" }),
    "/c:1:1: bad",
  ],
  ["a session that does not run", wspChecks({ ...HERDR, findings: [DEMO] }), "server: session"],
  ["no multiplexer", muxChecks({ ...TMUX, refusal: "cannot find tmux" }), "cannot find tmux"],
  [
    "a server that does not answer",
    muxChecks({ ...TMUX, server: { socket: null, panes: null, failure: "permission denied" } }),
    "does not answer: permission denied",
  ],
  [
    "a state folder that is not writable",
    stateChecks({ ...STATE, isWritable: false }),
    "cannot be written",
  ],
  [
    "an open bind without a token",
    addressChecks({ ...ADDRESS, host: "0.0.0.0" }),
    "refusing to bind 0.0.0.0",
  ],
  ["a port that another has", addressChecks({ ...ADDRESS, listener: "other" }), "taken by another"],
  [
    "an address that is not here",
    addressChecks({ ...ADDRESS, listener: { failure: "EADDRNOTAVAIL" } }),
    "EADDRNOTAVAIL",
  ],
];
for (const [what, checks, part] of FAILURES) {
  test(`a failure with its remedy: ${what}`, () => {
    const failed = checks.filter(({ level }) => level === "fail");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.text).toContain(part);
    expect(failed[0]?.remedy).toBeTruthy();
  });
}

const NOTES: [string, readonly Check[], string][] = [
  ["a short token", addressChecks({ ...ADDRESS, tokenChars: 4 }), "openssl rand -hex 32"],
  [
    "a file that others may open",
    stateChecks({ ...STATE, open: [{ path: "/s/a", mode: "644" }] }),
    "chmod go= /s/a",
  ],
  ["a corrupt file", stateChecks({ ...STATE, corrupt: ["/s/a.corrupt-1"] }), "/s/a.corrupt-1"],
  ["a missing collector", usageChecks({ ...USAGE, enabled: true }), "usage.command"],
  [
    "creation without a root",
    creationChecks({ enabled: true, roots: [], dropped: ["gone"] }),
    "creation.roots",
  ],
  [
    "an upload folder that is a link",
    imagesChecks({ folder: "/s/uploads", isLinkOrFile: true }),
    "/s/uploads is a link",
  ],
  [
    "a token, and an address that no phone reaches",
    pairingChecks({ hasToken: true, urls: ["http://127.0.0.1:8787"], isLocal: true }),
    "panewatch phone",
  ],
  [
    "a service that does not run",
    serviceChecks({ isInstalled: true, isRunning: false }),
    "service install",
  ],
  [
    "a service manager that cannot be asked",
    serviceChecks({ isInstalled: true, isRunning: { unknown: "no bus" } }),
    "cannot be told: no bus",
  ],
  [
    "a missing naming backend",
    namingChecks({ ...NAMING, enabled: true }),
    "auto_naming.claude_bin",
  ],
];
for (const [what, checks, part] of NOTES) {
  test(`a note that does not fail: ${what}`, () => {
    expect(levels(checks)).not.toContain("fail");
    const notes = checks.filter(({ level }) => level === "warn");
    expect(notes.map(({ text, remedy }) => `${text} ${remedy}`).join("\n")).toContain(part);
  });
}

test("the session's checks are told one by one, and settings without effect are named", () => {
  const findings = [
    { check: "server", found: "session demo runs", fault: null },
    { check: "socket", found: "/run/herdr.sock", fault: null },
  ];
  const checks = wspChecks({ ...HERDR, findings, ignored: ["mux.socket"] });
  expect(checks.map(({ text }) => text)).toEqual([
    "herdr at /bin/herdr",
    "server: session demo runs",
    "socket: /run/herdr.sock",
    "mux.socket has no effect with wsp",
  ]);
});

test("a release that nobody tried is told as the configuration treats it", () => {
  const checksOf = (isAnswered: boolean) =>
    wspChecks({
      ...HERDR,
      findings: [],
      release: { version: "0.9.3", isVerified: false, isAnswered },
    }).slice(1);
  expect(checksOf(false)).toEqual([
    {
      level: "warn",
      text: "herdr 0.9.3 has not been tried: answers are off",
      remedy: "terminal.wsp.accept: untested lets them through",
    },
  ]);
  expect(checksOf(true)).toMatchObject([
    {
      level: "ok",
      text: "herdr 0.9.3 has not been tried; terminal.wsp.accept lets it be answered",
    },
  ]);
});

const CONTEXT: DoctorContext = {
  flags: {},
  configPath: null,
  refusal: null,
  warnings: [],
  layers: { yaml: {}, overlay: {}, flags: {} },
  config: resolve({ yaml: {}, overlay: {}, flags: {} }),
  stateDir: "/s",
};

test("no report holds a token, or what stands behind the host of an address", async () => {
  const secrets = CONFIG_KEYS.flatMap((key) => {
    const typed = /token|api_key/.test(key) ? "s3cret" : "https://host.example/s3cret?key=s3cret";
    const reading = readField(key, typed, { name: key, brands: false });
    return "refused" in reading ? [] : [[key, reading.value] as const];
  });
  expect(secrets.map(([key]) => key)).toEqual(
    expect.arrayContaining(["server.token", "push.ntfy_url", "auto_naming.local_url"]),
  );
  const on = { "auto_naming.ai_enabled": true, "auto_naming.ai_backend": "local" } as const;
  const yaml = { ...layerOf(secrets), ...on };
  const layers = { yaml, overlay: {}, flags: {} };
  const context = { ...CONTEXT, layers, config: resolve(layers) };
  const looks = [lookAtConfig, lookAtNaming, lookAtPairing, lookAtUsage, lookAtRuntimes];
  const report = renderReport(await examineTopics([{ title: "All", looks }], context));
  expect(report).toContain("server.token = (set, not shown)");
  expect(report).toContain("naming by a model: https://host.example/…");
  expect(report).not.toContain("s3cret");
});

test("an address without a path is shown whole", async () => {
  const yaml = {
    "server.public_urls": ["https://box.example"],
    "push.apns_url": "https://a.example/",
  };
  const layers = { yaml, overlay: {}, flags: {} };
  const checks = await lookAtConfig({ ...CONTEXT, layers, config: resolve(layers) });
  const texts = checks.map(({ text }) => text).join("\n");
  expect(texts).toContain('server.public_urls = ["https://box.example"]');
  expect(texts).toContain('push.apns_url = "https://a.example/"');
});

test("the report has its topics in order, and says whether all is well", async () => {
  const good = { title: "One", looks: [() => [ok("a")], async () => [warn("b", "mend b")]] };
  const sections = await examineTopics([good, { title: "Two", looks: [] }], CONTEXT);
  expect(renderReport(sections)).toBe(
    "One\n  ok    a\n  note  b\n        -> mend b\n\nTwo\n\nReady.\n",
  );
  expect(hasFailure(sections)).toBe(false);
  const bad = await examineTopics(
    [good, { title: "Two", looks: [() => [fail("c", "d")]] }],
    CONTEXT,
  );
  expect(renderReport(bad)).toEndWith("1 to mend before it works.\n");
  expect(hasFailure(bad)).toBe(true);
});

test("a look that fails is a finding, and the others are made all the same", async () => {
  const broken = () => Promise.reject(new Error("no disk"));
  const sections = await examineTopics(
    [{ title: "One", looks: [broken, () => [ok("a")]] }],
    CONTEXT,
  );
  expect(levels(sections[0]?.checks ?? [])).toEqual(["fail", "ok"]);
  expect(renderReport(sections)).toContain("no disk");
});

test("the workspace says whose logs it reads, what it keeps, and how panes are proved", () => {
  const home = { runtime: "agent_a", path: "/h", state: "ok", logs: 3 } as const;
  const look = {
    version: 2,
    known: 2,
    sessions: 3,
    messages: 40,
    bound: [
      { runtime: "agent_a", target: "shop:0.1", association: "confirmed", source: "process" },
    ],
  } as const;
  const facts = (over: Partial<WorkspaceFacts>): WorkspaceFacts => ({
    enabled: true,
    homes: [home],
    store: { path: "/s", bytes: 1024 * 1024, look: { ...look, bound: [...look.bound] } },
    ...over,
  });
  const texts = workspaceChecks(facts({})).map(({ text }) => text);
  expect(texts).toEqual([
    "agent workspace: on",
    "agent workspace: Claude Code: /h, 3 logs",
    "agent workspace: /s: 3 sessions, 40 messages, 1.0 MiB, version 2",
    "shop:0.1: Claude Code, confirmed: its own process says so",
  ]);
  expect(levels(workspaceChecks(facts({ homes: [{ ...home, state: "foreign" }] })))[1]).toBe(
    "warn",
  );
  expect(levels(workspaceChecks(facts({ homes: [{ ...home, state: "missing" }] })))[1]).toBe("ok");
  const newer = { ...look, version: 3, bound: [] };
  const store = { path: "/s", bytes: 1, look: newer };
  expect(levels(workspaceChecks(facts({ store })))).toEqual(["ok", "ok", "fail"]);
  const corrupt = { path: "/s", bytes: 1, look: { failure: "corrupt" } };
  expect(levels(workspaceChecks(facts({ enabled: false, store: corrupt })))).toEqual([
    "ok",
    "fail",
  ]);
});

test("a program that is not there is told as what New does without", () => {
  const flags = { "creation.runtimes": { agent_a: ["no-such-claude"], agent_b: ["sh"] } };
  const config = resolve({ yaml: {}, overlay: {}, flags });
  const texts = lookAtRuntimes({ ...CONTEXT, config }).map(({ text }) => text);
  expect(texts).toEqual([
    "New offers no Claude Code: no no-such-claude here",
    `Codex: ${Bun.which("sh")}`,
  ]);
});
