import { afterAll, beforeAll, expect, test } from "bun:test";
import { hostname } from "node:os";
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
  await lab.host("self", { tmux: here.folder });
  await lab.host("box", { tmux: there.folder });
  await lab.host("box-too", { tmux: there.folder });
  service = await startLiveService({
    tmux: here,
    // The second name always answers first.
    linkCommand: (name) =>
      name === "box"
        ? ["/bin/sh", "-c", 'sleep 0.7; exec "$@"', "sh", ...lab.command(name)]
        : lab.command(name),
    flags: {
      "discovery.include_shells": true,
      hosts: ["self", "box", "box-too"].map((name) => ({ name, ssh: name, watch: true })),
    },
  });
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await lab?.stop();
  await Promise.all([here, there].map((tmux) => tmux?.stop()));
});

const state = async () =>
  StateFrame.parse(await (await fetch(`${service.url}/api/state`)).json()).panes;

async function hosts() {
  const reply = HostsReply.parse(await (await fetch(`${service.url}/api/hosts`)).json());
  return reply.hosts.map(({ name, kind, status, panes, detail }) => ({
    ...{ name: kind === "local" ? kind : name, status, panes, detail },
  }));
}

test("a tmux that is reached under several names is watched under one, and the others say so", async () => {
  const seen = await until(async () => {
    const found = await hosts();
    const watched = found.filter(({ status, panes }) => status === "live" && panes === 1);
    return watched.length === 2 && found.filter(({ status }) => status === "off").length === 2
      ? found
      : null;
  });
  const own = hostname().split(".")[0];
  expect(seen.slice(0, 2)).toMatchObject([
    { name: "local", status: "live" },
    { name: "self", status: "off", panes: 0, detail: `the same tmux as ${own}, and watched there` },
  ]);
  expect(seen.slice(2)).toMatchObject([
    { name: "box", status: "live", panes: 1, detail: null },
    { name: "box-too", status: "off", panes: 0, detail: "the same tmux as box, and watched there" },
  ]);
  expect((await state()).map(({ host, id }) => [host, id])).toEqual([
    [null, "%0"],
    ["box", "%2000000"],
  ]);
}, 60_000);

test("while the first name is away the second stands in, under the ids of the first", async () => {
  await lab.halt("box");
  await until(async () => {
    const { status, panes, detail } = (await hosts()).find(({ name }) => name === "box") ?? {};
    return (status === "live" && panes === 1 && detail === "reached as box-too") || null;
  });
  await until(
    async () => (await state()).some(({ host, stale }) => host === "box" && !stale) || null,
  );
  const { status } = await fetch(`${service.url}/api/text`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id: "%2000000", text: "echo $((40+2))-typed", enter: true }),
  });
  expect(status).toBe(200);
  await until(async () => (await there.screen("%0")).includes("42-typed") || null);
  expect((await state()).map(({ host }) => host)).toEqual([null, "box"]);

  await lab.boot("box");
  await fetch(`${service.url}/api/hosts/box/retry`, { method: "POST" });
  await until(async () => {
    const { status, detail } = (await hosts()).find(({ name }) => name === "box") ?? {};
    return (status === "live" && detail === null) || null;
  });
}, 60_000);

test("where the first name is not wanted any more, the second is watched under its own", async () => {
  await fetch(`${service.url}/api/hosts/box`, { method: "DELETE" });
  await until(async () => (await state()).some(({ host }) => host === "box-too") || null);
  expect((await hosts()).find(({ name }) => name === "box-too")).toMatchObject({
    status: "live",
    panes: 1,
    detail: null,
  });
}, 60_000);

test("that sessions of other machines are not read is said once there is one", async () => {
  const { _info } = await (await fetch(`${service.url}/api/config`)).json();
  expect(Info.parse(_info).capabilities.agent_context_v1.hosts).toBe(false);
});
