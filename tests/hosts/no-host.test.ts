import { afterAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { HOST_NUMBERS_FILE } from "../../src/hosts/machines.ts";
import { startLiveService } from "../support/live-service.ts";
import { PrivateTmux } from "../support/tmux.ts";

const connections: string[] = [];

const tmux = await PrivateTmux.start();
const service = await startLiveService({
  tmux,
  linkCommand(ssh) {
    connections.push(ssh);
    return ["false"];
  },
  flags: { "discovery.include_shells": true },
});
await service.publishes("%0");
afterAll(async () => {
  await service?.stop();
  await tmux?.stop();
});

test("a service without hosts has no host field, no file of host numbers and no connection", async () => {
  const get = async (path: string) => (await fetch(`${service.url}${path}`)).json();
  const state = await get("/api/state");
  expect(Object.keys(state)).not.toContain("hosts");
  expect(Object.keys(state.panes[0])).not.toContain("host");
  expect(await get("/api/hosts")).toEqual({ hosts: [] });
  const { _info } = await get("/api/config");
  expect(_info.capabilities.hosts_v1).toEqual({ version: 1, enabled: true, max: 32 });
  expect(Object.keys(_info.capabilities.agent_context_v1)).not.toContain("hosts");
  expect(await readdir(service.stateDir)).not.toContain(HOST_NUMBERS_FILE);
  expect(connections).toEqual([]);
});
