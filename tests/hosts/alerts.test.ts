import { afterAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import type { HostState } from "../../src/protocol/hosts.ts";
import { Asker } from "../support/asker.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { until } from "../support/until.ts";
import { HostStage } from "./stage.ts";

const stage = await HostStage.open();
const { lab, here } = stage;
const asker = new Asker(await mkdtemp(lab.path("asker-")));
const hook = new PushStandIn();
const gpu = await stage.host("gpu-1");
const service = await stage.begin({
  poll_interval: 0.2,
  "discovery.include_shells": false,
  "push.webhook_url": `${hook.origin}/hook`,
  "push.webhook_secret": "key",
  "push.dwell": 0,
  "push.cooldown": 0,
});
afterAll(() => hook.stop());

interface Told {
  event: string;
  pane: { id: string; host?: string };
}

const told = () =>
  hook.received.map(({ body }) => {
    const { event, pane }: Told = JSON.parse(body.toString());
    return [event, pane.id, pane.host ?? null];
  });

const hostIs = (status: HostState["status"]) => stage.hostIs("gpu-1", status);

/** Who asks here is heard of behind all that would have been said before. */
async function isFenced(): Promise<(string | null)[]> {
  const count = told().length;
  const { command } = new Asker(await mkdtemp(lab.path("asker-")));
  await here.open(command);
  return until(() => told()[count]);
}

test("a far prompt alerts once, and its machine's going and coming says nothing of it", async () => {
  await hostIs("live");
  await gpu.open(asker.command);
  await until(() => told()[0]);
  const asked = ["needs_input", "%1000001", "gpu-1"];
  expect(told()).toEqual([asked]);

  await lab.halt("gpu-1");
  await hostIs("away");
  const near = ["needs_input", expect.stringMatching(/^%\d$/), null];
  expect(await isFenced()).toEqual(near);

  await lab.boot("gpu-1");
  await fetch(`${service.url}/api/hosts/gpu-1/retry`, { method: "POST" });
  await hostIs("live");
  await service.publishes("%1000001");
  expect(await isFenced()).toEqual(near);

  await gpu.command("send-keys", "-t", "%1", "1");
  await until(() => told()[3]);
  expect(told()).toEqual([asked, near, near, ["answered", "%1000001", null]]);
});
