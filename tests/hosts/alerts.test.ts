import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { HostsReply } from "../../src/protocol/hosts.ts";
import { Asker } from "../support/asker.ts";
import { type LiveService, startLiveService } from "../support/live-service.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { SshLab } from "../support/sshd.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

let lab: SshLab;
let here: PrivateTmux;
let gpu: PrivateTmux;
let asker: Asker;
let hook: PushStandIn;
let service: LiveService;

beforeAll(async () => {
  lab = await SshLab.open();
  [here, gpu] = await Promise.all([PrivateTmux.start(), PrivateTmux.start()]);
  asker = new Asker(await mkdtemp(lab.path("asker-")));
  await lab.host("gpu-1", { tmux: gpu.folder });
  hook = new PushStandIn();
  service = await startLiveService({
    tmux: here,
    linkCommand: lab.command,
    flags: {
      poll_interval: 0.2,
      hosts: [{ name: "gpu-1", ssh: "gpu-1", watch: true }],
      "push.webhook_url": `${hook.origin}/hook`,
      "push.webhook_secret": "key",
      "push.dwell": 0,
      "push.cooldown": 0,
    },
  });
}, 60_000);
afterAll(async () => {
  await service?.stop();
  await lab?.stop();
  await Promise.all([hook, here, gpu].map((each) => each?.stop()));
});

interface Told {
  event: string;
  pane: { id: string; host?: string };
}

const told = () =>
  hook.received.map(({ body }) => {
    const { event, pane }: Told = JSON.parse(body.toString());
    return [event, pane.id, pane.host ?? null];
  });

const hostIs = (status: string) =>
  until(async () => {
    const { hosts } = HostsReply.parse(await (await fetch(`${service.url}/api/hosts`)).json());
    return hosts.find(({ name }) => name === "gpu-1")?.status === status || null;
  });

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
