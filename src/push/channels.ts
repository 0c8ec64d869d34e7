import { Apns, type ApnsDeps } from "./apns.ts";
import type { Device } from "./device.ts";
import type { Message, Outcome } from "./message.ts";
import { Ntfy, type NtfyDeps } from "./ntfy.ts";
import { Webhook, type WebhookDeps } from "./webhook.ts";
import { isPushEndpoint, replacesQuietly, WebPush, type WebPushDeps } from "./web-push.ts";

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
