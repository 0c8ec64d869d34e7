import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { StartupError } from "../../../src/errors.ts";
import { requireSessionName } from "../../../src/terminal/wsp/examine.ts";
import { isTakenForFlag, withSession } from "../../../src/terminal/wsp/tool.ts";
import {
  checkList,
  checkSchema,
  checkServer,
  checkSession,
  checkSocket,
  checkVersion,
} from "../../../src/terminal/wsp/identity.ts";
import type { WireStatus } from "../../../src/terminal/wsp/wire.ts";
import { openChannel, type WspOptions } from "../../../src/terminal/wsp/provider.ts";
import { WspDouble } from "../../support/wsp/double.ts";
import { SCHEMA } from "../../support/wsp/schema.ts";
import { parseArguments } from "../../support/wsp/words.ts";
import { forAll } from "../../support/laws.ts";

function openOptions(double: WspDouble): WspOptions {
  return {
    ...{ session: "demo", events: "auto", reads: "auto", accept: "verified" },
    ...{ binary: double.binary, env: double.env, run: double.start },
  };
}

async function refusal(
  prepare: (double: WspDouble) => void,
  options: Partial<WspOptions> = {},
): Promise<string> {
  const double = await WspDouble.start();
  try {
    prepare(double);
    await openChannel({ ...openOptions(double), ...options });
    return "";
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return error.message;
  } finally {
    await double.stop();
  }
}

const nothing = () => {};

describe("a start with herdr", () => {
  test.each<[string, RegExp, (double: WspDouble) => void, Partial<WspOptions>?]>([
    [
      "no session named",
      /^wsp session: none is named; set terminal\.wsp\.session/,
      nothing,
      { session: "" },
    ],
    ["a name that is none", /^wsp session: "a\/b" is no session name/, nothing, { session: "a/b" }],
    [
      "a path that is no program",
      /^wsp executable: no program \/etc\/passwd is found/,
      nothing,
      { binary: "/etc/passwd" },
    ],
    ["no executable", /^wsp executable: no program nosuch is found/, nothing, { binary: "nosuch" }],
    [
      "neither name of it",
      /^wsp executable: no program wsp or herdr is found/,
      nothing,
      { binary: "wsp" },
    ],
    [
      "a stopped session",
      /^wsp server: session demo does not run; start it with: herdr --session demo$/,
      (double) => double.end("demo", "stopped"),
    ],
    [
      "a session that is not there",
      /^wsp server: session other does not run/,
      nothing,
      { session: "other" },
    ],
    [
      "a tool behind its server",
      /^wsp version: client 0\.8\.1 \(protocol 20\), server 0\.8\.2 \(protocol 20\); the tool is behind: install herdr 0\.8\.2, /,
      (double) => void (double.version = "0.8.1"),
    ],
    [
      "a server behind its tool",
      /^wsp version: client 0\.10\.3 \(protocol 22\), server 0\.8\.2 \(protocol 20\); the session's server is behind: restart the session with herdr 0\.10\.3$/,
      (double) => void Object.assign(double, { version: "0.10.3", protocol: 22 }),
    ],
    [
      "a protocol that nothing is known of",
      /^wsp version: client 1\.0\.0 \(protocol 30\), .*; herdr 0\.8\.2 \(protocol 20\) is known to work$/,
      (double) => double.become({ version: "1.0.0", protocol: 30 }),
    ],
    [
      "a release that nobody tried, whose methods take something else",
      /^wsp schema: pane\.send_keys takes something else than is sent; herdr 0\.8\.2 /,
      (double) => {
        double.become({ version: "0.9.9", protocol: 22 });
        const text = JSON.stringify(double.schema).replace(
          '"keys":{"type":"array"',
          '"keys":{"type":"string"',
        );
        double.schema = JSON.parse(text);
      },
    ],
    [
      "a socket that others may use",
      /^wsp socket: .* has mode 0666: others may use it; chmod 600 /,
      (double) => chmodSync(double.socketPath(), 0o666),
    ],
    [
      "a link in the socket's place",
      /^wsp socket: .* is not a socket; /,
      (double) => {
        rmSync(double.socketPath());
        symlinkSync(join(double.folder, "control"), double.socketPath());
      },
    ],
    ["no socket", /^wsp socket: .* is not there; /, (double) => rmSync(double.socketPath())],
    [
      "a schema without a method",
      /^wsp schema: it does not name session\.snapshot, pane\.get/,
      (double) => void (double.schema = { protocol: 20 }),
    ],
    [
      "a schema of another protocol",
      /^wsp schema: it is of protocol 19; herdr 0\.8\.2 \(protocol 20\) is known to work$/,
      (double) => void (double.schema = { ...SCHEMA, protocol: 19 }),
    ],
    [
      "a tool that answers with a debug line",
      /^wsp tool: wsp status --json: exit 1; /,
      (double) => void double.session().fail("garbage", { method: "ping" }),
    ],
  ])(
    "is refused in one line that names the check and the remedy: %s",
    async (_, line, prepare, options = {}) => {
      const message = await refusal(prepare, options);
      expect(message).toMatch(line);
      expect(message).not.toContain("\n");
    },
  );

  test("opens a session that passes all checks, with the calls of the checks alone", async () => {
    const double = await WspDouble.start();
    await openChannel(openOptions(double));
    expect(double.calls.map(({ args }) => args)).toEqual([
      ["status", "--json", "--session", "demo"],
      ["session", "list", "--json", "--session", "demo"],
      ["api", "schema", "--json", "--session", "demo"],
    ]);
    expect(double.violations).toEqual([]);
    await double.stop();
  });

  test("finds the executable under its second name where the first is missing", async () => {
    const double = await WspDouble.start();
    rmSync(double.binary);
    const script = join(double.folder, "herdr");
    await Bun.write(script, await double.script());
    chmodSync(script, 0o755);
    const channel = await openChannel({
      ...{ binary: "wsp", session: "demo", events: "auto", reads: "auto", accept: "verified" },
      env: { ...double.env, PATH: double.folder },
    });
    expect(channel.tool.executable).toEndWith("/herdr");
    await double.stop();
  });

  test("opens the default session, which the executable reports without a name", async () => {
    const double = await WspDouble.start("default");
    const channel = await openChannel({
      ...openOptions(double),
      session: "default",
    });
    expect(channel.identity.socket.path).toBe(double.socketPath("default"));
    await double.stop();
  });
});

const STATUS: WireStatus = {
  client: { version: "0.8.2", protocol: 20, session: "demo" },
  server: {
    ...{ running: true, version: "0.8.2", protocol: 20, compatible: true },
    ...{ socket: "/run/demo.sock", session: "demo" },
  },
};
const ENTRY = { name: "demo", default: false, running: true, socket_path: "/run/demo.sock" };

test("each startup check passes for what it requires, and fails for anything else", () => {
  const { release } = checkVersion(STATUS, null);
  if (!release) throw new Error("the verified release is not known");
  const fault = (finding: { fault: { category: string } | null }) =>
    finding.fault?.category ?? null;
  expect(fault(checkServer(STATUS, "demo"))).toBeNull();
  expect(fault(checkVersion(STATUS, null))).toBeNull();
  const unsaid = { ...STATUS, client: { protocol: 20 } };
  expect(fault(checkVersion(unsaid, "0.8.2"))).toBeNull();
  expect(fault(checkVersion(unsaid, null))).toBe("incompatible");
  const apart = { ...STATUS, server: { ...STATUS.server, compatible: false } };
  expect(checkVersion(apart, null).found).toContain("0.8.2 (protocol 20)");
  expect(fault(checkSession(STATUS, "demo"))).toBeNull();
  expect(fault(checkSession(STATUS, "other"))).toBe("identity_ambiguous");
  expect(fault(checkSession(STATUS, "default"))).toBe("identity_ambiguous");
  const list = (...sessions: (typeof ENTRY)[]) =>
    fault(checkList({ sessions }, "demo", "/run/demo.sock"));
  expect(list(ENTRY)).toBeNull();
  expect(list()).toBe("identity_ambiguous");
  expect(list(ENTRY, ENTRY)).toBe("identity_ambiguous");
  expect(list({ ...ENTRY, running: false })).toBe("session_unavailable");
  expect(list({ ...ENTRY, default: true })).toBe("identity_ambiguous");
  expect(list({ ...ENTRY, socket_path: "/elsewhere" })).toBe("identity_ambiguous");
  const file = { isSocket: true, uid: 5, mode: 0o600, mark: "" };
  expect(fault(checkSocket("/run/demo.sock", file, 5))).toBeNull();
  expect(fault(checkSocket("run/demo.sock", file, 5))).toBe("socket_invalid");
  expect(fault(checkSocket("/run/demo.sock", file, 6))).toBe("socket_invalid");
  expect(checkSchema(SCHEMA, release)).toMatchObject({ fault: null, hasEvents: true });
});

test("for any text: a session name is accepted exactly where the executable takes it", () => {
  forAll([fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9._-]{0,66}$/))], (name) => {
    const parsed = parseArguments(["status", "--session", name], undefined);
    const isName = expect(() => requireSessionName(name));
    if (parsed.kind === "words") isName.not.toThrow();
    else isName.toThrow(StartupError);
  });
});

test("for any text: the executable reads the text and the session that were sent", () => {
  const words = [
    ...["--", "--session", "--session=x", "--remote", "--remote=", "-", "--help", "x"],
    ...["-x", "-h", "-V", "--version", "--handoff", "-- x", "$(id) `id`", "ä 日本 👍🏽"],
  ];
  forAll([fc.oneof(fc.constantFrom(...words), fc.string())], (text) => {
    fc.pre(!isTakenForFlag(text));
    const args = withSession(["pane", "send-text", "w1:p1", text], "demo");
    expect(parseArguments(args, undefined)).toEqual({
      kind: "words",
      words: ["pane", "send-text", "w1:p1", text],
      session: "demo",
    });
  });
});
