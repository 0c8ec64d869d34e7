import { expect, spyOn, test } from "bun:test";
import { Api, type Pass } from "../../web/net/api.ts";
import { HostsApi } from "../../web/net/hosts-api.ts";
import { LaterApi } from "../../web/net/later-api.ts";

test("what is done is done in the name of the socket's session, once there is one", async () => {
  const named: [string, string | null][] = [];
  let sid: string | null = null;
  const api = new Api({
    fetch: async (path, init) => {
      named.push([path, new Headers(init.headers).get("x-panewatch-sid")]);
      return Response.json({});
    },
    token: () => "",
    sid: () => sid,
    onServerTime: () => undefined,
    onUnauthorized: () => {},
  });
  const { signal } = new AbortController();
  const pass = {} as Pass; // Nothing here reaches a pane.
  await api.key(pass, { id: "%1", key: "Up" }, signal);
  sid = "0a1b2c3d";
  await api.key(pass, { id: "%1", key: "Up" }, signal);
  await new LaterApi(api).removePushDevice("d");
  await api.state();
  expect(named).toEqual([
    ["/api/key", null],
    ["/api/key", "0a1b2c3d"],
    ["/api/push/devices/d", "0a1b2c3d"],
    ["/api/state", null],
  ]);
});

test("a check of another machine is awaited for longer than the server takes for it", async () => {
  using timeouts = spyOn(AbortSignal, "timeout");
  const api = new Api({
    fetch: async () => Response.json({ steps: [] }),
    token: () => "",
    sid: () => null,
    onServerTime: () => undefined,
    onUnauthorized: () => {},
  });
  await new HostsApi(api).check("gpu-1", new AbortController().signal);
  const [[waitedMs = 0] = []] = timeouts.mock.calls;
  expect(waitedMs).toBeGreaterThan(20_000);
});

test("a token that is refused ends the session, unless another is in use by then", async () => {
  let token = "old";
  let ended = 0;
  const api = new Api({
    fetch: async () => {
      if (token === "slow") token = "new";
      return Response.json({ detail: "x" }, { status: 401 });
    },
    token: () => token,
    sid: () => null,
    onServerTime: () => undefined,
    onUnauthorized: () => void ended++,
  });
  expect(await api.state()).toEqual({ ok: false, failure: { kind: "unauthorized" } });
  expect(ended).toBe(1);
  token = "slow";
  await api.state();
  expect(ended).toBe(1);
});
