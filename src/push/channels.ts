import type { Clock } from "../lib/clock.ts";
import { type ApnsDeps, sendToApp } from "./apns.ts";
import type { Addressed, Device } from "./device.ts";
import {
  type BadgedMessage,
  formOf,
  type Message,
  messageText,
  type Outcome,
  TITLE,
} from "./message.ts";
import { post } from "./outgoing.ts";
import { fragmentOf, isPushEndpoint, sendWebPush, type WebPushDeps } from "./web-push.ts";

interface Channels {
  /** Null: native alerts cannot be sent. */
  apns: ApnsDeps | null;
  web: WebPushDeps & { extraHosts: readonly string[] };
  ntfy: NtfyDeps | null;
  webhook: WebhookDeps | null;
}

export type Send = (message: BadgedMessage) => Promise<Outcome>;

/** Null where the configuration does not allow to send to this device. */
export function senderOf({ apns, web, ntfy, webhook }: Channels, device: Device): Send | null {
  switch (device.kind) {
    case "apns":
      return apns && ((message) => sendToApp(apns, device, message));
    case "ntfy":
      return ntfy && ((message) => sendToTopic(ntfy, message));
    case "webhook":
      return webhook && ((message) => callWebhook(webhook, message));
    case "web":
      // Its host may have been removed from the configuration since it registered.
      return isPushEndpoint(device.subscription.endpoint, web.extraHosts)
        ? (message) => sendWebPush(web, device, message)
        : null;
  }
}

/** Whether "Answered" silently replaces an alert there; for Apple's browsers it is a second one. */
export function canReplace(device: Addressed): boolean {
  if (device.kind !== "web") return device.kind !== "ntfy";
  return !new URL(device.subscription.endpoint).hostname.endsWith(".push.apple.com");
}

interface NtfyDeps {
  url: string;
  /** Empty: the topic is open. */
  token: string;
  /** Origin of the page that a tap opens; null: none is configured. */
  pageOrigin: string | null;
}

/** Anybody may read the topic: the texts are generic, and nothing can be answered with them. */
export function sendToTopic(deps: NtfyDeps, message: Message): Promise<Outcome> {
  const { url, token, pageOrigin } = deps;
  const isOfPane = message.kind === "pane";
  const style = isOfPane ? formOf(message).style : { priority: "default", tags: "bell" };
  const headers = {
    title: TITLE,
    ...style,
    ...(pageOrigin === null ? {} : { click: `${pageOrigin}/${fragmentOf(message)}` }),
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
  };
  return postFixed(url, { headers, body: messageText(message) });
}

/** A configured address is never `gone`: a wrong one has to be corrected by a person. */
async function postFixed(...request: Parameters<typeof post>): Promise<Outcome> {
  const outcome = await post(...request);
  return outcome.is === "gone" ? { is: "refused", detail: outcome.detail } : outcome;
}

interface WebhookDeps {
  url: string;
  /** Key of the signature; never empty. */
  secret: string;
  instanceId: string;
  clock: Pick<Clock, "now">;
}

/** Proves the sender: `sha256=` and the HMAC of the body in hex. */
export const SIGNATURE_HEADER = "x-panewatch-signature";

/** Posts an alert as one line of JSON, without the question and the screen of a pane. */
export function callWebhook(deps: WebhookDeps, message: BadgedMessage): Promise<Outcome> {
  const { url, secret, instanceId, clock } = deps;
  const { tag, badge } = message;
  const shared = { tag, waiting: badge, text: messageText(message) };
  const facts = { at: clock.now(), server: instanceId, ...factsOf(message), ...shared };
  const body = `${JSON.stringify(facts)}\n`;
  const signature = new Bun.CryptoHasher("sha256", secret).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    [SIGNATURE_HEADER]: `sha256=${signature}`,
  };
  return postFixed(url, { headers, body });
}

function factsOf(message: Message): object {
  if (message.kind === "answered") return { event: "answered", pane: { id: message.paneId } };
  if (message.kind !== "pane") return { event: message.kind };
  const { pane, card } = message.screen;
  const named = { id: pane.id, name: card.title };
  const { reason: event } = formOf(message);
  return { event, pane: card.host === null ? named : { ...named, host: card.host } };
}
