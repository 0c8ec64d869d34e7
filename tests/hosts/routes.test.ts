import { expect, test } from "bun:test";
import { Settings } from "../../src/config/settings.ts";
import { hostsSlice, type HostRoutesDeps } from "../../src/hosts/routes.ts";
import { NO_LINK } from "../../src/hosts/host.ts";
import { persistError } from "../../src/errors.ts";
import { createLog } from "../../src/lib/log.ts";
import type { HostState, HostStep } from "../../src/protocol/hosts.ts";
import { service } from "../support/service.ts";
import { jsonRequest } from "../support/json.ts";

const events: string[] = [];

const machines = { admit: async () => {}, findHost: () => null, settingsChanged: async () => {} };

function stage(deps: Partial<HostRoutesDeps> = {}, write = async () => {}) {
  const settings = new Settings({
    ...{ yaml: {}, saved: {}, flags: {} },
    file: { write },
    log: createLog(() => {}),
  });
  const states = () =>
    settings.current.hosts.map((host): HostState => ({
      ...NO_LINK,
      ...host,
      kind: "ssh",
      status: host.watch ? "connecting" : "off",
    }));
  const slice = hostsSlice({
    machines: { ...machines, states },
    settings,
    check: async () => [],
    unsupported: null,
    record: { changed: (_, event) => void events.push(`${event.kind} ${event.what}`) },
    ...deps,
  });
  const { request } = service({ slices: [slice] });
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await request(path, jsonRequest(method, body));
    return [reply.status, await reply.json()];
  };
  return { ask, slice };
}

const GPU = { name: "gpu-1", ssh: "me@gpu" };

test("a host is added, paused, watched again and removed, and adding and removing are recorded", async () => {
  const { ask } = stage();
  events.length = 0;
  expect(await ask("GET", "/api/hosts")).toEqual([200, { hosts: [] }]);
  expect(await ask("POST", "/api/hosts", GPU)).toMatchObject([200, { ...GPU, watch: true }]);
  expect(await ask("POST", "/api/hosts", GPU)).toEqual([
    409,
    { detail: "a host is called gpu-1 already" },
  ]);
  expect(await ask("PATCH", "/api/hosts/gpu-1", { watch: false })).toMatchObject([
    200,
    { status: "off", watch: false },
  ]);
  expect(await ask("POST", "/api/hosts/gpu-1/retry", {})).toEqual([
    409,
    { detail: "gpu-1 is not watched" },
  ]);
  expect(await ask("PATCH", "/api/hosts/gpu-1", { watch: true })).toMatchObject([
    200,
    { status: "connecting" },
  ]);
  expect(await ask("DELETE", "/api/hosts/gpu-1")).toEqual([200, { ok: true }]);
  expect(await ask("DELETE", "/api/hosts/gpu-1")).toMatchObject([404, {}]);
  expect(await ask("POST", "/api/hosts/gpu-1/retry", {})).toMatchObject([404, {}]);
  expect(events).toEqual(["host_added gpu-1", "host_removed gpu-1"]);
});

test.each([
  [{ name: "GPU", ssh: "x" }, "the name must be 1 to 32 of a-z, 0-9 and -"],
  [{ name: "a", ssh: "-oProxyCommand=x" }, "the destination must not begin with -"],
])("a host with %j is refused with a sentence", async (body, sentence) => {
  expect(await stage().ask("POST", "/api/hosts", body)).toMatchObject([
    400,
    { detail: expect.stringContaining(sentence) },
  ]);
});

test("a host that cannot be saved is not in the settings", async () => {
  const { ask } = stage({}, async () => {
    throw new Error("read-only");
  });
  expect(await ask("POST", "/api/hosts", GPU)).toMatchObject([500, {}]);
  expect(await ask("GET", "/api/hosts")).toEqual([200, { hosts: [] }]);
});

test("a host that cannot be watched is not added", async () => {
  const admit = async () => {
    throw persistError("gpu-1 cannot be watched", new Error("EISDIR"));
  };
  const { ask } = stage({ machines: { ...machines, admit, states: () => [] } });
  expect(await ask("POST", "/api/hosts", GPU)).toEqual([
    500,
    { detail: "gpu-1 cannot be watched" },
  ]);
  expect(await ask("GET", "/api/hosts")).toEqual([200, { hosts: [] }]);
});

test("one host is checked at a time, and an invalid destination is refused", async () => {
  const first = Promise.withResolvers<HostStep[]>();
  const { ask } = stage({ check: () => first.promise });
  const running = ask("POST", "/api/hosts/check", { ssh: "a" });
  expect(await ask("POST", "/api/hosts/check", { ssh: "b" })).toMatchObject([429, {}]);
  expect(await ask("POST", "/api/hosts/check", { ssh: "-oProxyCommand=x" })).toMatchObject([
    400,
    {},
  ]);
  first.resolve([]);
  expect(await running).toEqual([200, { steps: [] }]);
  expect(await ask("POST", "/api/hosts/check", { ssh: "b" })).toMatchObject([200, {}]);
});

test("a service that cannot watch other machines gives the reason", async () => {
  const unsupported = "Panes of other machines are watched with tmux only.";
  const { ask, slice } = stage({ unsupported });
  expect(slice.capabilities?.()).toEqual({
    hosts_v1: { version: 1, enabled: false, max: 32, reason: unsupported },
  });
  expect(await ask("POST", "/api/hosts", GPU)).toEqual([400, { detail: unsupported }]);
  expect(await ask("POST", "/api/hosts/check", GPU)).toMatchObject([400, {}]);
});
