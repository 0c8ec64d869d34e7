import { Apns, type ApnsDeps } from "./apns.ts";
import type { Device } from "./device.ts";
import { post } from "./outgoing.ts";
import { type Message, messageText, type Outcome, TITLE } from "./message.ts";
import {
  fragmentOf,
  isPushEndpoint,
  replacesQuietly,
  WebPush,
  type WebPushDeps,
} from "./web-push.ts";

interface ChannelsDeps {
  /** Null: native alerts cannot be sent. */
  apns: ApnsDeps | null;
  web: WebPushDeps & {
    extraHosts: readonly string[];
  };
  ntfy: NtfyDeps | null;
  webhook: WebhookDeps | null;
}

export class Channels {
  readonly #apns: Apns | null;
  readonly #web: WebPush;
  readonly #extraHosts: readonly string[];
  readonly #ntfy: Ntfy | null;
  readonly #webhook: Webhook | null;

  constructor({ apns, web, ntfy, webhook }: ChannelsDeps) {
    this.#apns = apns && new Apns(apns);
    this.#web = new WebPush(web);
    this.#extraHosts = web.extraHosts;
    this.#ntfy = ntfy && new Ntfy(ntfy);
    this.#webhook = webhook && new Webhook(webhook);
  }

  /** Whether the configuration lets it be sent anything. */
  isConfigured(device: Device): boolean {
    if (device.kind === "apns") return this.#apns !== null;
    if (device.kind === "ntfy") return this.#ntfy !== null;
    if (device.kind === "webhook") return this.#webhook !== null;
    // A host may have been taken out since it registered.
    return isPushEndpoint(device.record.subscription.endpoint, this.#extraHosts);
  }

  /** Whether "Answered" can take the place of an alert there without being a second one. */
  canReplace(device: Device): boolean {
    if (device.kind === "web") return replacesQuietly(device.record.subscription.endpoint);
    return device.kind !== "ntfy";
  }

  async send(device: Device, message: Message): Promise<Outcome> {
    if (device.kind === "apns")
      return (await this.#apns?.send(device.record, message)) ?? NOT_CONFIGURED;
    if (device.kind === "ntfy") return (await this.#ntfy?.send(message)) ?? NOT_CONFIGURED;
    if (device.kind === "webhook") return (await this.#webhook?.send(message)) ?? NOT_CONFIGURED;
    if (!this.isConfigured(device)) return NOT_CONFIGURED;
    const { subscription, origin } = device.record;
    const withNames = device.preferences.details === "name";
    return await this.#web.send({ subscription, origin, withNames }, message);
  }

  close(): void {
    this.#apns?.close();
  }
}

const NOT_CONFIGURED: Outcome = { is: "refused", detail: "not configured" };

interface NtfyDeps {
  /** Of the topic. */
  url: string;
  /** Empty: the topic is open. */
  token: string;
  /** Origin that a tap opens; null: none is configured. */
  pageOrigin: string | null;
  timeoutMs?: number;
}

/** One topic, whoever reads it: generic words only, and nothing to answer with. */
export class Ntfy {
  readonly #deps: NtfyDeps;

  constructor(deps: NtfyDeps) {
    this.#deps = deps;
  }

  async send(message: Message): Promise<Outcome> {
    const { url, token, pageOrigin, timeoutMs } = this.#deps;
    const { priority, tags } = styleOf(message);
    const headers = {
      title: TITLE,
      priority,
      tags,
      ...(pageOrigin === null ? {} : { click: `${pageOrigin}/${fragmentOf(message)}` }),
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    };
    const outcome = await post(url, { headers, body: messageText(message), timeoutMs });
    // A topic is no subscription that ends: a wrong address is to be corrected.
    return outcome.is === "gone" ? { is: "refused", detail: outcome.detail } : outcome;
  }
}

function styleOf(message: Message): { priority: string; tags: string } {
  if (message.kind === "decision") return { priority: "high", tags: "raising_hand" };
  if (message.kind !== "pane") return { priority: "default", tags: "bell" };
  return PANE_STYLES[message.reason];
}

const PANE_STYLES = {
  needs_input: { priority: "high", tags: "raising_hand" },
  error: { priority: "high", tags: "warning" },
  finished: { priority: "default", tags: "white_check_mark" },
} as const;

export interface WebhookDeps {
  url: string;
  /** Key of the signature; never empty. */
  secret: string;
  instanceId: string;
  /** Epoch seconds. */
  now: () => number;
  timeoutMs?: number;
}

/** The header that proves who has sent it: `sha256=` and the HMAC of the body in hex. */
export const SIGNATURE_HEADER = "x-panewatch-signature";

/**
 * One address of the configuration that hears of every alert as a line of JSON. What a pane asks and
 * shows never leaves this machine by it.
 */
export class Webhook {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  async send(message: Message): Promise<Outcome> {
    const { url, secret, instanceId, now, timeoutMs } = this.#deps;
    const body = `${JSON.stringify({ at: now(), server: instanceId, ...factsOf(message) })}\n`;
    const signature = new Bun.CryptoHasher("sha256", secret).update(body).digest("hex");
    const headers = {
      "content-type": "application/json",
      [SIGNATURE_HEADER]: `sha256=${signature}`,
    };
    const outcome = await post(url, { headers, body, timeoutMs });
    // It is no subscription that ends: a wrong address is to be corrected.
    return outcome.is === "gone" ? { is: "refused", detail: outcome.detail } : outcome;
  }
}

/** The members of the line beside time and server. */
function factsOf(message: Message) {
  const shared = { tag: message.tag, waiting: message.badge, text: messageText(message) };
  switch (message.kind) {
    case "pane": {
      const { id, name, host } = message.pane;
      const pane = host === null ? { id, name } : { id, name, host };
      return { event: message.reason, ...shared, pane };
    }
    case "answered":
      return { event: "answered", ...shared, pane: { id: message.paneId } };
    case "decision": {
      const { agentId, decisionId, paneId } = message;
      return {
        event: "decision",
        ...shared,
        pane: { id: paneId },
        agent: agentId,
        decision: decisionId,
      };
    }
    default:
      return { event: message.kind, ...shared };
  }
}
