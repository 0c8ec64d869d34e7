import { describe, expect, test } from "bun:test";
import { CheckHostReply, HostsReply } from "../../src/protocol/hosts.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { until } from "../support/until.ts";
import { HostStage } from "./stage.ts";

const stage = await HostStage.open();
const { lab, here, post, panes, hostIs } = stage;
const gpu = await stage.host("gpu-1");
const build = await stage.host("build");
// A configured target of each machine that is not there.
const service = await stage.begin({
  panes: ["away:0.0", "gpu-1:away:0.0"].map((target) => ({
    ...{ target, name: "", kind: null, star: true },
  })),
});

const paneAt = (target: string, isAsWanted: (pane: PaneState) => boolean = () => true) =>
  until(async () => (await panes()).find((pane) => pane.target === target && isAsWanted(pane)));

describe("panes of several machines", () => {
  test("stand in one list, with an id, a target and a host of their own", async () => {
    const far = await paneAt("gpu-1:main:0.0");
    const other = await paneAt("build:main:0.0");
    const near = await paneAt("main:0.0", (pane) => pane.host === null);
    expect(near).toMatchObject({ id: "%0", host: null });
    expect(far).toMatchObject({ id: "%1000000", host: "gpu-1", actionable: true, stale: false });
    expect(other).toMatchObject({ id: "%2000000", host: "build", actionable: true });
    expect(await hostIs("gpu-1", "live")).toMatchObject({
      kind: "ssh",
      ssh: "gpu-1",
      panes: 1,
      reason: null,
      version: near.provider === "mux" ? expect.stringMatching(/^\d/) : null,
    });
  });

  test("take text and keys on their own machine and no other", async () => {
    const { id } = await paneAt("gpu-1:main:0.0");
    const sent = await post("/api/text", { id, text: "echo $((40+2))-over-there", enter: true });
    expect(sent).toEqual({ status: 200, body: { ok: true } });
    const second = await post("/api/text", { id: id.replace("%", "%0"), text: "x", enter: true });
    expect(second.status).toBe(404);
    await paneAt("gpu-1:main:0.0", ({ lines }) => lines.includes("42-over-there"));
    expect(await gpu.screen("%0")).toContain("42-over-there");
    expect(await here.screen("%0")).not.toContain("over-there");
  });
});

test("a machine counts its panes without the placeholders of configured targets", async () => {
  await paneAt("away:0.0", ({ status }) => status === "offline");
  await paneAt("gpu-1:away:0.0", ({ status }) => status === "offline");
  expect((await stage.hosts()).map(({ name, panes: count }) => [name, count])).toEqual([
    [expect.any(String), 1],
    ["gpu-1", 1],
    ["build", 1],
  ]);
});

describe("a host that is away", () => {
  test("keeps its panes as stale, is sent nothing, and is watched again when it is back", async () => {
    const { id } = await paneAt("gpu-1:main:0.0");
    await lab.halt("gpu-1");
    expect(await hostIs("gpu-1", "away")).toMatchObject({ reason: expect.any(String) });
    await paneAt("gpu-1:main:0.0", ({ stale, actionable }) => stale && !actionable);
    const refused = await post("/api/text", { id, text: "lost", enter: true });
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: { reason: "host_away", code: "host_away", host: "gpu-1" } },
    });
    expect(await paneAt("build:main:0.0")).toMatchObject({ stale: false, actionable: true });
    await lab.boot("gpu-1");
    await post("/api/hosts/gpu-1/retry", {});
    await hostIs("gpu-1", "live");
    await paneAt("gpu-1:main:0.0", ({ stale, actionable }) => !stale && actionable);
    expect(await gpu.screen("%0")).not.toContain("lost");
    const reports = service.log.flatMap((line) => / info (host gpu-1 is .*)/.exec(line)?.[1] ?? []);
    expect(reports[0]).toMatch(/^host gpu-1 is there, with tmux \d\S*$/);
    expect(reports[1]).toStartWith("host gpu-1 is away: ended, ");
    expect(reports.at(-1)).toBe(reports[0] ?? "");
    // Each reason is logged once, however many attempts fail.
    expect(new Set(reports.slice(1)).size).toBe(reports.length - 1);
  });

  test("because its network stands still delays no other machine", async () => {
    await hostIs("gpu-1", "live");
    await lab.freeze("gpu-1");
    try {
      const passes = new Map([
        ["build", new Set<number>()],
        ["local", new Set<number>()],
      ]);
      await until(async () => {
        const { hosts } = HostsReply.parse(await (await fetch(`${service.url}/api/hosts`)).json());
        for (const { name, kind, read_at } of hosts)
          passes.get(kind === "local" ? kind : name)?.add(read_at);
        return hosts.some(({ name, status }) => name === "gpu-1" && status === "away") || null;
      });
      // The passes of the other machines went on meanwhile.
      for (const times of passes.values()) expect(times.size).toBeGreaterThan(2);
      await build.command("send-keys", "-t", "%0", "echo still-$((1))-here", "Enter");
      await paneAt("build:main:0.0", ({ lines }) => lines.includes("still-1-here"));
    } finally {
      await lab.thaw("gpu-1");
    }
    await hostIs("gpu-1", "live");
  });
});

test("a destination is checked in six steps before it is added", async () => {
  const { status, body } = await post("/api/hosts/check", { ssh: "build" });
  expect(status).toBe(200);
  const { steps } = CheckHostReply.parse(body);
  expect(steps.filter(({ ok }) => ok)).toHaveLength(6);
});

test("a removed host leaves with all its panes, and has the same ids when it is added again", async () => {
  await hostIs("build", "live");
  const reply = await fetch(`${service.url}/api/hosts/build`, { method: "DELETE" });
  expect(reply.status).toBe(200);
  expect((await panes()).filter((pane) => pane.host === "build")).toEqual([]);
  expect(await post("/api/hosts", { name: "build", ssh: "build" })).toMatchObject({
    status: 200,
    body: { name: "build", watch: true },
  });
  // The name keeps its number, so that the ids are the same.
  await paneAt("build:main:0.0", ({ id }) => id === "%2000000");
});

test("automatic renaming of windows stays on at a host", async () => {
  expect(await gpu.command("show-options", "-gw", "automatic-rename")).toContain(" on");
});
