import { afterAll, beforeAll, expect, test } from "bun:test";
import { Info } from "../../src/protocol/config.ts";
import { HostsReply } from "../../src/protocol/hosts.ts";
import { StateFrame } from "../../src/protocol/pane.ts";
import { type LiveService, startLiveService } from "../support/live-service.ts";
import { SshLab } from "../support/sshd.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

let lab: SshLab;
let here: PrivateTmux;
let there: PrivateTmux;
let service: LiveService;

beforeAll(async () => {
  lab = await SshLab.open();
  [here, there] = await Promise.all([PrivateTmux.start(), PrivateTmux.start()]);
  await lab.host("box", { tmux: there.folder });
  service = await startLiveService({
    tmux: here,
    linkCommand: lab.command,
    flags: {
      "local.watch": false,
      // Nothing of it is looked for.
      "mux.binary": "no-such-tmux",
      "discovery.include_shells": true,
      hosts: [{ name: "box", ssh: "box", watch: true }],
    },
  });
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await lab?.stop();
  await Promise.all([here, there].map((tmux) => tmux?.stop()));
});

async function get(path: string): Promise<unknown> {
  return (await fetch(`${service.url}${path}`)).json();
}

async function health() {
  const { _info } = (await get("/api/config")) as { _info: unknown };
  return Info.parse(_info).capabilities.terminal_provider_v1.health;
}

test("where this machine is not watched, its hosts are, and it needs no tmux", async () => {
  const panes = await until(async () => {
    const { panes } = StateFrame.parse(await get("/api/state"));
    return panes.length > 0 ? panes : null;
  });
  expect(panes.map(({ host, actionable }) => ({ host, actionable }))).toEqual([
    { host: "box", actionable: true },
  ]);
  const { hosts } = HostsReply.parse(await get("/api/hosts"));
  expect(hosts).toMatchObject([
    { kind: "local", watch: false, status: "off", panes: 0, version: null },
    { name: "box", watch: true, panes: 1 },
  ]);
});

test("nothing is created on it", async () => {
  expect(await get("/api/mux/creation")).toMatchObject({
    reason: "This machine is not watched.",
  });
});

test("all is well while every host is there, and not while one is away", async () => {
  await until(async () => (await health()).status === "ready" || null);
  await lab.halt("box");
  const unwell = await until(async () => {
    const now = await health();
    return now.status === "degraded" ? now : null;
  });
  expect(unwell).toMatchObject({ last_error: "host_away", message: "away: box" });
});
