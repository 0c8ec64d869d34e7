import { Cards } from "../../src/cards/cards.ts";
import { createLog } from "../../src/lib/log.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { ReviewGroup } from "../../src/protocol/review.ts";
import { senderOf } from "../../src/push/channels.ts";
import type { Device } from "../../src/push/device.ts";
import { Devices } from "../../src/push/devices.ts";
import type { BadgedMessage, Outcome } from "../../src/push/message.ts";
import { Http2Link } from "../../src/push/outgoing.ts";
import { Push } from "../../src/push/push.ts";
import { ProviderToken, Vapid } from "../../src/push/signing.ts";
import { Hub } from "../../src/terminal/hub.ts";
import { FakeClock } from "../support/clock.ts";
import { pane, publication } from "../support/pane.ts";
import { signingKey } from "../support/push-keys.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { webFacts } from "./stage.ts";

const HOST = "push.example";

export type PushStage = Awaited<ReturnType<typeof openPushStage>>;

/** All parts of alerts except the network: the test answers for the push services. */
export async function openPushStage({
  onError = false,
  extraHosts = [HOST],
  dwell = 0,
  folder = "",
  clock = new FakeClock(),
} = {}) {
  folder ||= await temporary("push");
  const logLines: string[] = [];
  const log = createLog((line) => logLines.push(line));
  const devices = await Devices.open({
    stateDir: folder,
    configured: new Set(),
    onError,
    access: { owner: "anybody", holds: () => true },
    clock,
    log,
  });
  const vapid = await Vapid.open(folder, { clock, log });
  const hub = new Hub({ log });
  const web = { vapid, contact: () => "mailto:who@example.org", extraHosts };
  const key = { key: signingKey().privateKey, keyId: "K", teamId: "T" };
  const token = new ProviderToken(key, clock);
  const link = new Http2Link("https://apns.invalid");
  const apns = { link, topic: "app", token, instanceId: "server", clock };
  const channels = { apns, web, ntfy: null, webhook: null };
  const options = { isBatching: false };
  /** Kind and endpoint of each attempt. */
  const sent: string[] = [];
  const messages: BadgedMessage[] = [];
  const replies: (() => Outcome | Promise<Outcome>)[] = [];
  const attempt = async (device: Device, next: BadgedMessage): Promise<Outcome> => {
    messages.push(next);
    const where = device.kind === "web" ? device.subscription.endpoint.slice(-2) : "";
    sent.push(`${next.kind} ${where}`);
    return (await replies.shift()?.()) ?? { is: "accepted", detail: "201" };
  };
  const work = { groups: [] as readonly ReviewGroup[] };
  const cards = new Cards({ hub, groups: () => work.groups });
  const push = new Push({
    hub,
    devices,
    senderOf: (device) => senderOf(channels, device) && ((next) => attempt(device, next)),
    rules: { cooldown: 30, dwell },
    quotaThreshold: () => 20,
    cards,
    isBatched: () => options.isBatching,
    clock,
    log,
    pause: async (ms) => clock.advance(ms / 1000),
  });
  const panes = new Map<string, PaneState>();
  const pass = (id: string, members: Partial<PaneState>, hasFailed = false): void => {
    clock.advance(1);
    const at = clock.monotonic();
    const since = {
      status_since: at,
      prompt_since: members.status === "needs_input" ? at : null,
    };
    panes.set(id, pane({ id, target: `work:1.${id.slice(1)}`, ...since, ...members }));
    hub.publish(publication({ at: clock.now(), panes: [...panes.values()], hasFailed }));
  };
  const settle = async (): Promise<void> => {
    await until(() => push.pending === 0);
    await devices.saved();
  };
  return {
    folder,
    clock,
    hub,
    logLines,
    devices,
    push,
    /** The groups of the review. */
    work,
    sent,
    options,
    messages,
    replies,
    /** A pass with this state of the pane. */
    pass,
    /** Waits until all is sent and written. */
    settle,
    passAndSettle(id: string, members: Partial<PaneState>): Promise<void> {
      pass(id, members);
      return settle();
    },
    /** The next attempt waits for the outcome that the result is called with. */
    hangs(): (outcome: Outcome) => void {
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      replies.push(() => promise);
      return resolve;
    },
    async register(endpoint: string, replaces?: string): Promise<string> {
      const { id } = await devices.register(webFacts(`https://${HOST}${endpoint}`, replaces));
      return id;
    },
    /** Pane, outcome and reason of each entry of the log. */
    logged: () => push.log.map(({ pane: id, outcome, why }) => `${id} ${outcome} ${why}`),
    close: () => push.stop(),
  };
}
