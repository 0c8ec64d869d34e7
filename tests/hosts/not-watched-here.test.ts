import { expect, test } from "bun:test";
import { ConfigReply } from "../../src/protocol/config.ts";
import { until } from "../support/until.ts";
import { HostStage } from "./stage.ts";

const stage = await HostStage.open();
const { lab, get } = stage;
await stage.host("box");
// A tmux that is missing here must not matter.
await stage.begin({ "local.watch": false, "mux.binary": "no-such-tmux" });

async function health() {
  const { body } = await get("/api/config");
  return ConfigReply.parse(body)._info.capabilities.terminal_provider_v1.health;
}

test("a machine that is not watched needs no tmux, and its hosts are watched", async () => {
  const panes = await until(async () => {
    const panes = await stage.panes();
    return panes.length > 0 ? panes : null;
  });
  expect(panes.map(({ host, actionable }) => ({ host, actionable }))).toEqual([
    { host: "box", actionable: true },
  ]);
  expect(await stage.hosts()).toMatchObject([
    { kind: "local", watch: false, status: "off", panes: 0, version: null },
    { name: "box", watch: true, panes: 1 },
  ]);
});

test("creation is refused on a machine that is not watched", async () => {
  expect((await get("/api/mux/creation")).body).toMatchObject({
    reason: "This machine is not watched.",
  });
});

test("the health is ready while every host is live, and degraded while a host is away", async () => {
  await until(async () => (await health()).status === "ready");
  await lab.halt("box");
  const unwell = await until(async () => {
    const now = await health();
    return now.status === "degraded" ? now : null;
  });
  expect(unwell).toMatchObject({ last_error: "host_away", message: "away: box" });
});
