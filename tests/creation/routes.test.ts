import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ResumableSession, Resume } from "../../src/creation/resume.ts";
import { creationRoutes, creationSlice } from "../../src/creation/routes.ts";
import { unknownDelivery, type ErrorKind } from "../../src/errors.ts";
import {
  CreateReply,
  CreateRequest,
  CreationState,
  DirectoryListing,
  ResumeState,
} from "../../src/protocol/creation.ts";
import { memoryLedger } from "../support/in-memory.ts";
import { routed } from "../support/routed.ts";
import { until } from "../support/until.ts";
import { creationOn, depsOn, MuxHost } from "./mux-host.ts";

const host = await MuxHost.open();
const ENDED = crypto.randomUUID();
const NATIVE = crypto.randomUUID();
let monotonic = 0;
const ledger = memoryLedger();
let resumable: ResumableSession;
const code = join(host.folder, "code");
const app = (enabled: boolean) => {
  const commands = { agent_a: [join(host.folder, "claude")] };
  const creation = creationOn(host, commands, { enabled, paneDirectories: () => [code] });
  const session = (id: string) => (id === ENDED ? resumable : null);
  const routes = routed(
    creationRoutes({
      ledger,
      here: creation,
      resume: new Resume({ creation, session, clock: { monotonic: () => monotonic } }),
      named: async () => creation,
      of: async () => creation,
    }),
  );
  return {
    request: (path: string, init: RequestInit = {}) =>
      routes.request(path, init, { peer: "127.0.0.1" }),
  };
};
const get = (path: string, enabled = true) => app(enabled).request(path);
const post = (body: unknown, enabled = true) =>
  app(enabled).request("/api/mux/create", {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const kind = async (reply: Response | Promise<Response>) => (await (await reply).json()).kind;

const session = { type: "session", cwd: code, runtime: "shell", name: null };
const window = { ...session, type: "window", parent_session: "work" };
const { name: _, ...unnamed } = session;
const pane = {
  ...unnamed,
  type: "pane",
  parent_pane_id: "%0",
  split: "stacked",
  size_percent: 50,
};

await mkdir(code);
afterAll(() => host.stop());

test("the replies have exactly the contract's members", async () => {
  CreationState.strict().parse(await (await get("/api/mux/creation")).json());
  const listing = await get(`/api/mux/directories?path=${encodeURIComponent(code)}`);
  DirectoryListing.strict().parse(await listing.json());
  const created = await post(session);
  expect(created.status).toBe(201);
  CreateReply.strict().parse(await created.json());
});

test.each<[string, ErrorKind]>([
  ["", "invalid"],
  ["?path=/etc", "forbidden"],
  [`?path=${code}/gone`, "not_found"],
])("GET /api/mux/directories%s is refused as %s", async (query, expected) => {
  expect(await kind(get(`/api/mux/directories${query}`))).toBe(expected);
});

test("disabled creation refuses everything but its state", async () => {
  expect((await get("/api/mux/creation", false)).status).toBe(200);
  expect(await kind(get("/api/mux/directories", false))).toBe("unavailable");
  expect(await kind(post({}, false))).toBe("unavailable");
});

test.each([
  { enabled: true, closes: "all", hasSessions: true },
  { enabled: true, closes: "created", hasSessions: false },
  { enabled: false, closes: "created", hasSessions: true },
] as const)("closing and resuming are announced as they are allowed: %j", async (allowed) => {
  const { enabled, closes, hasSessions } = allowed;
  const { capabilities } = await creationSlice({
    ...depsOn(host, {}, { enabled, closes }),
    ...{ ledger, session: () => null, hasSessions: () => hasSessions },
    clock: { monotonic: () => monotonic },
    remote: { named: () => null, of: () => null },
  });
  expect(capabilities?.()).toEqual({
    mux_create_v1: expect.objectContaining({ version: 1, enabled }),
    pane_close_v1: { version: 1, enabled, all: closes === "all" },
    session_resume_v1: enabled && hasSessions ? { version: 1 } : undefined,
  });
});

test("a body that is not JSON is malformed", async () => {
  expect(await kind(post("{"))).toBe("malformed");
});

test.each<[string, unknown]>([
  ["a bad type", { ...session, type: "server" }],
  ["a field of another type", { ...session, parent_session: "work" }],
  ["an environment", { ...session, env: { A: "1" } }],
  ["an unknown runtime", { ...session, runtime: "bash" }],
  ["an empty name", { ...session, name: "" }],
  ["a long name", { ...session, name: "x".repeat(65) }],
  ["a name with a space", { ...session, name: "a b" }],
  ["a name with a line break", { ...session, name: "a\n" }],
  ["a name that is a format", { ...session, name: "#{pid}" }],
  ["a name beyond ASCII", { ...session, name: "ü" }],
  ["a parent with a window", { ...window, parent_session: "work:1" }],
  ["a parent pane that is no id", { ...pane, parent_pane_id: "work:0.0" }],
  ["a bad split", { ...pane, split: "left" }],
  ["a size below 10", { ...pane, size_percent: 9 }],
  ["a size above 90", { ...pane, size_percent: 91 }],
  ["a size with a fraction", { ...pane, size_percent: 50.5 }],
  ["a name for a pane", { ...pane, name: null }],
])("a request with %s is invalid", async (_what, body) => {
  expect(await kind(post(body))).toBe("invalid");
});

test("a pane gets half of the size if the request has none", () => {
  expect(CreateRequest.parse({ ...pane, size_percent: undefined })).toMatchObject({
    size_percent: 50,
  });
});

test("POST /api/mux/close closes a pane by its id, and refuses other ids and members", async () => {
  const { pane_id: id } = CreateReply.parse(await (await post(session)).json());
  const close = (body: unknown) =>
    app(true).request("/api/mux/close", { method: "POST", body: JSON.stringify(body) });
  expect(await kind(close({ id: "work:1.0" }))).toBe("malformed");
  expect(await kind(close({ id, force: true }))).toBe("malformed");
  expect(await (await close({ id })).json()).toEqual({ ok: true });
  expect(await kind(close({ id }))).toBe("not_found");
});

test("creation and closing are recorded with their outcome", async () => {
  const { pane_id: id } = CreateReply.parse(await (await post(session)).json());
  const close = () =>
    app(true).request("/api/mux/close", { method: "POST", body: JSON.stringify({ id }) });
  await close();
  await close();
  expect((await ledger.page({ withEvents: true })).slice(0, 3)).toMatchObject([
    { kind: "close", pane_id: id, state: "refused" },
    { kind: "close", pane_id: id, state: "confirmed" },
    { kind: "create", label: session.runtime, state: "confirmed", by: { grant: "anybody" } },
  ]);
});

test("a resume without a known end is recorded as unknown, and the session is not resumed again", async () => {
  const lost = async () => {
    throw unknownDelivery("nobody said", null);
  };
  const creation = { ...{ create: lost, requireEnabled: () => {} }, whyNotIn: async () => null };
  resumable = { runtime: "agent_a", nativeId: NATIVE, cwd: code, hasEnded: true };
  const clock = { monotonic: () => monotonic };
  const resume = new Resume({ creation, session: () => resumable, clock });
  const here = creationOn(host, {});
  const deps = { ...{ ledger, here, resume }, named: async () => here, of: async () => here };
  const ask = () =>
    routed(creationRoutes(deps)).request(
      "/api/mux/resume",
      { method: "POST", body: JSON.stringify({ agent_id: ENDED }) },
      { peer: "127.0.0.1" },
    );
  expect([await kind(ask()), await kind(ask())]).toEqual(["unavailable", "conflict"]);
  const [again, first] = await ledger.page({ withEvents: true });
  expect([first, again]).toMatchObject([{ state: "unknown" }, { state: "refused" }]);
});

describe("resuming an ended session", () => {
  beforeEach(async () => {
    monotonic += 60;
    resumable = { runtime: "agent_a", nativeId: NATIVE, cwd: code, hasEnded: true };
    const argv = join(host.folder, "argv");
    const script = `#!/bin/sh\necho "$@" > '${argv}'\npwd >> '${argv}'\nexec sleep 60\n`;
    await writeFile(join(host.folder, "claude"), script, { mode: 0o755 });
  });
  const resumed = (agent_id: string, routes = app(true)) =>
    routes.request("/api/mux/resume", { method: "POST", body: JSON.stringify({ agent_id }) });
  const look = async (agent_id = ENDED) =>
    ResumeState.strict().parse(await (await get(`/api/mux/resume?agent_id=${agent_id}`)).json());

  test("the session is resumed once, in its folder by its program, and its state shows the command", async () => {
    expect(await look()).toEqual({ command: `claude --resume ${NATIVE}`, cwd: code, reason: null });
    const routes = app(true);
    const [first, second] = await Promise.all([resumed(ENDED, routes), resumed(ENDED, routes)]);
    expect([first.status, await kind(second)]).toEqual([201, "conflict"]);
    CreateReply.strict().parse(await first.json());
    const ran = await until(async () => {
      const text = await readFile(join(host.folder, "argv"), "utf8").catch(() => "");
      return text.split("\n").length === 3 ? text : null;
    });
    expect(ran).toBe(`--resume ${NATIVE}\n${code}\n`);
    monotonic += 31;
    expect((await resumed(ENDED, routes)).status).toBe(201);
  });

  test.each<[string, () => Partial<ResumableSession>]>([
    ["it has not ended", () => ({ hasEnded: false })],
    ["its id is of no known form", () => ({ nativeId: "--dangerously" })],
    ["its log names no folder", () => ({ cwd: null })],
    ["its folder is gone, or outside", () => ({ cwd: "/etc" })],
    ["its folder is gone, or outside", () => ({ cwd: join(code, "gone") })],
    ["its program is not installed", () => ({ runtime: "agent_b" })],
  ])("the session is not resumed because %s", async (reason, change) => {
    resumable = { ...resumable, ...change() };
    expect((await look()).reason).toStartWith(reason);
    expect(await kind(resumed(ENDED))).toBe("conflict");
    expect((await look()).reason).toStartWith(reason);
  });

  test("an unknown session is not_found, and resuming is unavailable if creation is disabled", async () => {
    const other = crypto.randomUUID();
    expect(await kind(get(`/api/mux/resume?agent_id=${other}`))).toBe("not_found");
    expect(await kind(resumed(other))).toBe("not_found");
    expect(await kind(resumed("x"))).toBe("malformed");
    expect(await kind(resumed(ENDED, app(false)))).toBe("unavailable");
  });
});
