import { expect, test } from "bun:test";
import {
  examine,
  hasFailure,
  renderReport,
  type DoctorFacts,
  type MuxFacts,
} from "../../src/cli/checks.ts";

const TMUX: MuxFacts = {
  refusal: null,
  executable: "/usr/bin/tmux",
  version: "3.4",
  server: { socket: "/tmp/tmux-1/default", panes: 3, failure: null },
};

const GOOD: DoctorFacts = {
  versions: { panewatch: "0.1.0", bun: "1", system: "linux x64" },
  config: { path: null, refusal: null, warnings: [], values: [], exposesToken: false },
  multiplexer: { provider: "mux", mux: TMUX },
  state: { path: "/home/ana/.panewatch", exists: true, isWritable: true, open: [], corrupt: [] },
  bind: { host: "127.0.0.1", port: 8787, tokenChars: 0, listener: "free" },
  runtimes: [{ id: "agent_a", executable: "claude", path: "/bin/claude" }],
  usage: { enabled: false, executable: "tokscale", path: null },
  creation: { enabled: false, roots: [], dropped: [] },
  naming: { enabled: false, backend: "claude", executable: "claude", path: null },
  images: { folder: "/home/ana/.panewatch/uploads", isLinkOrFile: false },
  phone: { urls: ["http://127.0.0.1:8787"], isLocal: true },
  service: { isInstalled: false, isRunning: false },
};

test("a good machine has nothing to mend", () => {
  const sections = examine(GOOD);
  expect(hasFailure(sections)).toBe(false);
  const report = renderReport(sections);
  expect(report).toContain("server at /tmp/tmux-1/default, 3 panes");
  expect(report).toContain("Claude Code: /bin/claude");
  expect(report).toEndWith("Ready.\n");
});

const FAILURES: [string, Partial<DoctorFacts>, string][] = [
  [
    "a file that is refused",
    { config: { ...GOOD.config, path: "/c", refusal: "/c:1:1: bad" } },
    "/c:1:1: bad",
  ],
  [
    "a session that does not run",
    {
      multiplexer: {
        provider: "wsp",
        wsp: {
          refusal: null,
          executable: "/bin/herdr",
          findings: [
            { check: "server", found: "session demo does not run", fault: { remedy: "start it" } },
          ],
          ignored: [],
        },
      },
    },
    "server: session demo does not run",
  ],
  [
    "no multiplexer",
    { multiplexer: { provider: "mux", mux: { ...TMUX, refusal: "cannot find tmux" } } },
    "install tmux 3.2 or newer",
  ],
  [
    "a server that does not answer",
    {
      multiplexer: {
        provider: "mux",
        mux: { ...TMUX, server: { socket: null, panes: null, failure: "permission denied" } },
      },
    },
    "does not answer: permission denied",
  ],
  [
    "a state folder that is not writable",
    { state: { ...GOOD.state, isWritable: false } },
    "cannot be written",
  ],
  [
    "an open bind without a token",
    { bind: { ...GOOD.bind, host: "0.0.0.0" } },
    "refusing to bind 0.0.0.0",
  ],
  ["a port that another has", { bind: { ...GOOD.bind, listener: "other" } }, "--port"],
  [
    "an address that is not here",
    { bind: { ...GOOD.bind, listener: { failure: "EADDRNOTAVAIL" } } },
    "EADDRNOTAVAIL",
  ],
];
for (const [what, facts, part] of FAILURES) {
  test(`a failure with its remedy: ${what}`, () => {
    const sections = examine({ ...GOOD, ...facts });
    expect(hasFailure(sections)).toBe(true);
    const failed = sections.flatMap(({ checks }) => checks).filter(({ level }) => level === "fail");
    expect(failed).toHaveLength(1);
    expect(failed[0]?.remedy).toBeTruthy();
    expect(renderReport(sections)).toContain(part);
  });
}

const NOTES: [string, Partial<DoctorFacts>, string][] = [
  ["a short token", { bind: { ...GOOD.bind, tokenChars: 4 } }, "openssl rand -hex 32"],
  [
    "a file that others may open",
    { state: { ...GOOD.state, open: [{ path: "/s/a", mode: "644" }] } },
    "chmod go= /s/a",
  ],
  ["a corrupt file", { state: { ...GOOD.state, corrupt: ["/s/a.corrupt-1"] } }, "/s/a.corrupt-1"],
  ["a missing collector", { usage: { ...GOOD.usage, enabled: true } }, "usage.command"],
  [
    "creation without a root",
    { creation: { enabled: true, roots: [], dropped: ["gone"] } },
    "creation.roots",
  ],
  [
    "an upload folder that is a link",
    { images: { folder: "/s/uploads", isLinkOrFile: true } },
    "/s/uploads is a link",
  ],
  [
    "a token, and an address that no phone reaches",
    { bind: { ...GOOD.bind, tokenChars: 40 } },
    "server.public_urls",
  ],
  [
    "a service that does not run",
    { service: { isInstalled: true, isRunning: false } },
    "service install",
  ],
  [
    "a missing naming backend",
    { naming: { ...GOOD.naming, enabled: true } },
    "auto_naming.claude_bin",
  ],
];
for (const [what, facts, part] of NOTES) {
  test(`a note that does not fail: ${what}`, () => {
    const sections = examine({ ...GOOD, ...facts });
    expect(hasFailure(sections)).toBe(false);
    expect(sections.flatMap(({ checks }) => checks).some(({ level }) => level === "warn")).toBe(
      true,
    );
    expect(renderReport(sections)).toContain(part);
  });
}

test("the session's checks are told one by one, and settings without effect are named", () => {
  const findings = [
    { check: "server", found: "session demo runs", fault: null },
    { check: "socket", found: "/run/herdr.sock", fault: null },
  ];
  const wsp = { refusal: null, executable: "/bin/herdr", findings, ignored: ["mux.socket"] };
  const report = renderReport(examine({ ...GOOD, multiplexer: { provider: "wsp", wsp } }));
  for (const { check, found } of findings) expect(report).toContain(`ok    ${check}: ${found}`);
  expect(report).toContain("note  mux.socket has no effect with wsp");
  expect(report).toEndWith("Ready.\n");
});
