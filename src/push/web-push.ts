import { isLocalName } from "../config/push-checks.ts";
import { isLoopback } from "../lib/loopback.ts";
import type { WebSubscription } from "../protocol/push.ts";
import { post } from "./http-post.ts";
import { LIFETIME_SECONDS, type Message } from "./message.ts";
import type { Outcome } from "./transport.ts";
import type { Vapid } from "./vapid.ts";
import { encryptFor } from "./web-encrypt.ts";
import { webPayload } from "./web-payload.ts";

export interface WebDevice {
  subscription: WebSubscription;
  /** Of the page that registered. */
  origin: string;
  withNames: boolean;
}

export interface WebPushDeps {
  vapid: Vapid;
  /** Whom a push service may reach, given the page's origin; null: nobody is named. */
  contact: (origin: string) => string | null;
  timeoutMs?: number;
}

const SERVICES =
  /^([a-z0-9-]+\.)+push\.apple\.com$|^fcm\.googleapis\.com$|^updates\.push\.services\.mozilla\.com$|^([a-z0-9-]+\.)+notify\.windows\.com$/;

/**
 * Whether an endpoint is at a push service that we know or that the configuration names
 * (`host[:port]`); anything else would make this server send requests wherever a client wants.
 */
export function isPushEndpoint(endpoint: string, extraHosts: readonly string[]): boolean {
  if (!URL.canParse(endpoint)) return false;
  const url = new URL(endpoint);
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname)))
    return false;
  if (url.protocol === "https:" && url.port === "" && SERVICES.test(url.hostname)) return true;
  // Parsed as the endpoint was: in lower case, without the port that its scheme implies.
  return extraHosts.some((host) => URL.parse(`${url.protocol}//${host}`)?.host === url.host);
}

/** Whether another notification with the same tag takes the place of the first without a sound. */
export function replacesQuietly(endpoint: string): boolean {
  return !new URL(endpoint).hostname.endsWith(".push.apple.com");
}

/** Browsers, through the push service of each (RFC 8030). */
export class WebPush {
  readonly #deps: WebPushDeps;

  constructor(deps: WebPushDeps) {
    this.#deps = deps;
  }

  async send({ subscription, origin, withNames }: WebDevice, message: Message): Promise<Outcome> {
    const { vapid, contact: contactFor, timeoutMs } = this.#deps;
    const contact = contactFor(origin);
    if (contact === null) return { is: "refused", detail: "no contact is configured" };
    const { endpoint, keys } = subscription;
    const headers = {
      authorization: await vapid.authorization(new URL(endpoint).origin, contact),
      "content-encoding": "aes128gcm",
      "content-type": "application/octet-stream",
      ttl: String(LIFETIME_SECONDS),
      urgency: "high",
      topic: message.tag,
    };
    const body = encryptFor(keys, webPayload(message, { origin, withNames }));
    return await post(endpoint, { headers, body, timeoutMs });
  }
}

/**
 * Whom push services may reach about this server (RFC 8292): the configured contact, else an https
 * address of this server, else that of the page that registered. Null: there is none.
 */
export function contactOf(
  { contact, publicUrls }: { contact: string; publicUrls: readonly string[] },
  pageOrigin: string,
): string | null {
  if (contact !== "") return contact;
  const url = publicUrls.find(isHttps);
  if (url !== undefined) return new URL(url).origin;
  return isHttps(pageOrigin) && !isLocalName(new URL(pageOrigin).hostname) ? pageOrigin : null;
}

function isHttps(text: string): boolean {
  return URL.parse(text)?.protocol === "https:";
}
