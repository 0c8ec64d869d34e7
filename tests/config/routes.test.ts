import { expect, test } from "bun:test";
import { configSlice } from "../../src/config/routes.ts";
import { Settings } from "../../src/config/settings.ts";
import { createLog } from "../../src/lib/log.ts";
import { ConfigReply, Info, LiveConfig, NamingMode } from "../../src/protocol/config.ts";

import type { Scope } from "../../src/protocol/scope.ts";
import { ANYBODY } from "../../src/slice.ts";
import { fixture } from "../support/fixture.ts";
import { routed } from "../support/routed.ts";

const CLIENT = { peer: "127.0.0.1" };

const INFO = fixture(Info, { host: "127.0.0.1", token_set: true });

function api(options: { fails?: boolean; onRecord?: (what: string) => void } = {}) {
  const file = {
    async write() {
      if (options.fails) throw new Error("disk full: /home/someone/secret");
    },
  };
  const flags = { "server.token": "sesame", "auto_naming.local_api_key": "key-of-mine" };
  const log = createLog(() => {});
  const settings = new Settings({ yaml: {}, saved: {}, flags, file, log });
  return routed(
    configSlice({
      settings,
      info: () => INFO,
      hasWorkspace: true,
      patched: () => {},
      record: { changed: (_, { what }) => options.onRecord?.(what) },
    }).routes,
  );
}

const patch = (app: ReturnType<typeof api>, body: string) =>
  app.request("/api/config", { method: "PATCH", body }, CLIENT);

test("GET /api/config gives the live values and _info, and no secret", async () => {
  const reply = await api().request("/api/config", {}, CLIENT);
  const text = await reply.text();
  expect(ConfigReply.strict().parse(JSON.parse(text))._info).toEqual(INFO);
  expect(text).not.toContain("sesame");
  expect(text).not.toContain("key-of-mine");
});

test("GET /api/config describes every setting to owners, and none to any other scope", async () => {
  const fieldsFor = async (scope: Scope) => {
    const grant = { ...ANYBODY, id: "one", scope };
    const reply = await api().request("/api/config", {}, { ...CLIENT, grant });
    return ConfigReply.parse(await reply.json()).fields;
  };
  for (const scope of ["look", "answer", "type"] as const)
    expect(await fieldsFor(scope)).toBeUndefined();
  const fields = (await fieldsFor("own")) ?? [];
  expect(fields.map(({ live }) => live).sort()).toEqual(Object.keys(LiveConfig.shape).sort());
  expect(fields.find(({ live }) => live === "poll_interval")).toEqual({
    key: "poll_interval",
    live: "poll_interval",
    kind: "number",
    label: "Poll interval",
    group: "Watching",
    help: "Seconds between two passes over the panes.",
    ...{ min: 0.2, max: 10, values: null, default: 0.7 },
  });
  const naming = fields.find(({ live }) => live === "naming_mode");
  expect(naming).toMatchObject({ kind: "choice", values: [...NamingMode.options], min: null });
  expect(fields.filter(({ label, group }) => label === "" || group === "")).toEqual([]);
});

test("PATCH /api/config replies with the body of GET, and does not change _info", async () => {
  const app = api();
  const reply = await patch(app, `{"poll_interval": 2, "_info": {"host": "evil"}}`);
  expect(reply.status).toBe(200);
  const body = await reply.json();
  expect(body).toMatchObject({ poll_interval: 2, _info: { host: "127.0.0.1" } });
  expect(await (await app.request("/api/config", {}, CLIENT)).json()).toEqual(body);
});

test("PATCH /api/config records the settings that it changed, and no unknown name", async () => {
  const records: string[] = [];
  const app = api({ onRecord: (what) => records.push(what) });
  const stranger = "x".repeat(100_000);
  expect((await patch(app, JSON.stringify({ [stranger]: 1, _info: {} }))).status).toBe(200);
  expect((await patch(app, "{}")).status).toBe(200);
  expect(records).toEqual([]);
  await patch(app, JSON.stringify({ [stranger]: 1, capture_lines: 90, poll_interval: 2 }));
  expect(records).toEqual(["capture_lines, poll_interval"]);
});

test("PATCH /api/config replies malformed to bad JSON and to no object, invalid to a bad value", async () => {
  const app = api();
  for (const body of ["{", "[]", "null", '"x"', ""])
    expect(await (await patch(app, body)).json()).toMatchObject({
      kind: "malformed",
      detail: [{ loc: ["body"] }],
    });
  expect(await (await patch(app, `{"capture_lines":"9"}`)).json()).toEqual({
    kind: "invalid",
    detail: "capture_lines must be a number",
  });
});

test("the reply to a failed save of the settings does not name the path", async () => {
  const reply = await patch(api({ fails: true }), `{"capture_lines":99}`);
  expect(await reply.json()).toEqual({
    kind: "persist_failed",
    detail: "cannot save the settings",
  });
});
