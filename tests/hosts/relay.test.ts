import { afterAll, afterEach, expect, test } from "bun:test";
import type { Link } from "../../src/hosts/link.ts";
import type { SendOutcome } from "../../src/terminal/provider.ts";
import { remoteProvider, receiver, settled, startLink } from "../support/remote-link.ts";
import { Relay } from "../support/relay.ts";
import { SshLab } from "../support/sshd.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

const LIMITS = { timeoutMs: 30_000, maxBytes: 1024 * 1024 };

let link: Link | null = null;
const lab = await SshLab.open();
const tmux = await PrivateTmux.start();
await lab.host("box", { tmux: tmux.folder });
const relay = await Relay.to(lab.portOf("box"));
afterEach(async () => {
  relay.delayMs = 0;
  relay.flow();
  link?.stop();
  link = null;
  await until(async () => (await lab.clients()).length === 0);
});
afterAll(async () => {
  await relay.stop();
  await lab.stop();
  await tmux.stop();
});

async function connect(): Promise<Link> {
  const [ssh = "", ...rest] = lab.command("box");
  const opened = startLink([ssh, "-o", `Port=${relay.port}`, ...rest], { random: () => 0 });
  link = opened;
  await settled(opened);
  return opened;
}

const away = (of: Link) => until(() => (of.state.status === "away" ? of.state : null));

async function comesBack(of: Link): Promise<void> {
  of.retry();
  await until(async () => (await settled(of)).status === "live");
  const { stdout } = await of.ask("sh", "echo back", LIMITS);
  expect(new TextDecoder().decode(stdout)).toBe("back\n");
  // The one before has been told to end, and may take its time.
  await until(async () => (await lab.clients()).length === 1);
}

async function receiving() {
  const { id, arrivals } = await receiver(tmux);
  const send = (over: Link, mark: string): Promise<SendOutcome | "not sent"> =>
    remoteProvider(over)
      .send(id, [{ do: "text", text: mark }], null)
      .catch(() => "not sent");
  return { arrivals, send };
}

test("a slow network shows in the link's round trip, and a send arrives", async () => {
  relay.delayMs = 40;
  const slow = await connect();
  await slow.ask("sh", "true", LIMITS);
  expect(slow.roundTripMs).toBeGreaterThanOrEqual(80);
  const { send, arrivals } = await receiving();
  expect(await send(slow, "<late>")).toBe("sent");
  await until(async () => (await arrivals("<late>")) === 1);
});

test("a network that stalls makes a host away within ten seconds, and its link becomes live again", async () => {
  const stalled = await connect();
  const { send, arrivals } = await receiving();
  relay.stall();
  // This timer and that of the link are of one process: a busy machine delays both.
  let isLate = false;
  const limit = setTimeout(() => (isLate = true), 10_000);
  expect(await send(stalled, "<stalled>")).toBe("unknown");
  expect((await away(stalled)).refusal).toMatchObject({ reason: "timeout" });
  expect(isLate).toBe(false);
  clearTimeout(limit);
  relay.cut();
  relay.flow();
  await comesBack(stalled);
  // Text that may have arrived is not sent again.
  expect(await arrivals("<stalled>")).toBeLessThanOrEqual(1);
  expect(await send(stalled, "<after>")).toBe("sent");
  await until(async () => (await arrivals("<after>")) === 1);
  expect(await arrivals("<stalled>")).toBeLessThanOrEqual(1);
});

test("a send that was given up does not arrive when the network goes on", async () => {
  const stalled = await connect();
  const { send, arrivals } = await receiving();
  relay.stall();
  expect(await send(stalled, "<given up>")).toBe("unknown");
  // Deadlines are compared in whole seconds on both machines.
  await Bun.sleep(3000);
  relay.flow();
  await comesBack(stalled);
  expect(await send(stalled, "<after>")).toBe("sent");
  await until(async () => (await arrivals("<after>")) === 1);
  expect(await arrivals("<given up>")).toBe(0);
});

test("a connection that is cut ends the link at once, and the link becomes live again", async () => {
  const short = await connect();
  const { send, arrivals } = await receiving();
  relay.delayMs = 100;
  const sending = send(short, "<cut>");
  relay.cut();
  expect(await sending).toBe("unknown");
  expect((await away(short)).refusal).toMatchObject({ reason: "ended" });
  expect(await send(short, "<gone>")).toBe("not sent");
  relay.delayMs = 0;
  await comesBack(short);
  expect(await arrivals("<gone>")).toBe(0);
  expect(await arrivals("<cut>")).toBeLessThanOrEqual(1);
});
