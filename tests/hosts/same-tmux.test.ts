import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { Info } from "../../src/protocol/config.ts";
import { becomes } from "../support/becomes.ts";
import { shellScript } from "../support/shell-script.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { HostStage } from "./stage.ts";

const stage = await HostStage.open();
const { lab, here } = stage;
await stage.host("self", {}, here);
const there = await stage.host("box");
await stage.host("box-too", {}, there);
/** A clone of `box`: the same name, and a tmux with the same pid and start time. */
const twin = await PrivateTmux.start();
const serverOf = (tmux: PrivateTmux) => tmux.format("%0", "#{pid} #{start_time}");
const [[pid, started] = [], [twinPid, twinStarted] = []] = [
  await serverOf(there),
  await serverOf(twin),
].map((line) => line.split(" "));
await mkdir(lab.path("bin"));
await shellScript(
  lab.path("bin/tmux"),
  `${Bun.which("tmux")} "$@" | sed 's/${twinPid}/${pid}/g; s/${twinStarted}/${started}/g'`,
);
const start = `PATH=${lab.path("bin")}:$PATH exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`;
await stage.host("twin", { lines: [`ForceCommand ${start}`] }, twin);
// The second name always connects first.
const service = await stage.begin({}, (name) =>
  name === "box"
    ? ["/bin/sh", "-c", 'sleep 0.7; exec "$@"', "sh", ...lab.command(name)]
    : lab.command(name),
);
const state = stage.panes;

async function hosts() {
  return (await stage.hosts()).map(({ name, kind, status, panes, detail }) => ({
    ...{ name: kind === "local" ? kind : name, status, panes, detail },
  }));
}

test("a tmux that is reached under several names is watched under one, and the other names say so", async () => {
  const own = hostname().split(".")[0];
  const sameAs = (name = "") => `the same tmux as ${name}, and watched there`;
  // A name that was watched before its tmux was known is off a moment before its panes have left.
  await becomes(hosts, [
    { name: "local", status: "live", panes: 1, detail: null },
    { name: "self", status: "off", panes: 0, detail: sameAs(own) },
    { name: "box", status: "live", panes: 1, detail: null },
    { name: "box-too", status: "off", panes: 0, detail: sameAs("box") },
    { name: "twin", status: "live", panes: 1, detail: null },
  ]);
  expect((await state()).map(({ host, id }) => [host, id])).toEqual([
    [null, "%0"],
    ["box", "%2000000"],
    ["twin", "%4000000"],
  ]);
});

test("a second name stands in while the first is away, under the ids of the first", async () => {
  await lab.halt("box");
  await until(async () => {
    const { status, panes, detail } = (await hosts()).find(({ name }) => name === "box") ?? {};
    return (status === "live" && panes === 1 && detail === "reached as box-too") || null;
  });
  await until(
    async () => (await state()).some(({ host, stale }) => host === "box" && !stale) || null,
  );
  const text = "echo $((40+2))-typed";
  const { status } = await stage.post("/api/text", { id: "%2000000", text, enter: true });
  expect(status).toBe(200);
  await until(async () => (await there.screen("%0")).includes("42-typed"));
  expect((await state()).map(({ host }) => host)).toEqual([null, "box", "twin"]);

  await lab.boot("box");
  await fetch(`${service.url}/api/hosts/box/retry`, { method: "POST" });
  await until(async () => {
    const { status, detail } = (await hosts()).find(({ name }) => name === "box") ?? {};
    return (status === "live" && detail === null) || null;
  });
});

test("a second name is watched under its own ids once the first is removed", async () => {
  await fetch(`${service.url}/api/hosts/box`, { method: "DELETE" });
  await until(async () => (await state()).some(({ host }) => host === "box-too"));
  expect((await hosts()).find(({ name }) => name === "box-too")).toMatchObject({
    status: "live",
    panes: 1,
    detail: null,
  });
});

test("a service with a host says that it does not read the sessions of other machines", async () => {
  const { _info } = await (await fetch(`${service.url}/api/config`)).json();
  expect(Info.parse(_info).capabilities.agent_context_v1.hosts).toBe(false);
});
