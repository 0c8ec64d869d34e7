import { isLoopback } from "../lib/loopback.ts";
import type { WebSubscription } from "../protocol/push.ts";
import { reasonOf } from "./http2-link.ts";
import { LIFETIME_SECONDS, type Message } from "./message.ts";
import {
  detailOf,
  type Outcome,
  type PushTransport,
  REQUEST_TIMEOUT_MS,
  retryAfterMs,
} from "./transport.ts";
import { trustedAuthorities } from "./trust.ts";
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
  return extraHosts.includes(url.host);
}

/** Whether another notification with the same tag takes the place of the first without a sound. */
export function replacesQuietly(endpoint: string): boolean {
  return !new URL(endpoint).hostname.endsWith(".push.apple.com");
}

/** Browsers, through the push service of each (RFC 8030). */
export class WebPush implements PushTransport<WebDevice> {
  readonly #deps: WebPushDeps;

  constructor(deps: WebPushDeps) {
    this.#deps = deps;
  }

  async send({ subscription, origin, withNames }: WebDevice, message: Message): Promise<Outcome> {
    const contact = this.#deps.contact(origin);
    if (contact === null) return { is: "refused", detail: "no contact is configured" };
    const { endpoint, keys } = subscription;
    const service = new URL(endpoint).origin;
    const body = encryptFor(keys, webPayload(message, { origin, withNames }));
    try {
      const reply = await fetch(endpoint, {
        method: "POST",
        redirect: "manual",
        headers: {
          authorization: await this.#deps.vapid.authorization(service, contact),
          "content-encoding": "aes128gcm",
          "content-type": "application/octet-stream",
          ttl: String(LIFETIME_SECONDS),
          urgency: "high",
          topic: message.tag,
        },
        body,
        tls: { ca: trustedAuthorities() },
        signal: AbortSignal.timeout(this.#deps.timeoutMs ?? REQUEST_TIMEOUT_MS),
      });
      return await outcomeOf(reply);
    } catch (error) {
      return { is: "later", detail: failureOf(error), afterMs: 0 };
    }
  }

  close(): void {
    // Each message is a request of its own; nothing stays open.
  }
}

/** Of a status and its words; shared with the other channel that speaks plain HTTP. */
export async function outcomeOf(reply: Response): Promise<Outcome> {
  const text = reply.ok ? "" : await reply.text().catch(() => "");
  const detail = detailOf(reply.status, /^\s*[<{]/.test(text) ? "" : text);
  if (reply.ok) return { is: "accepted", detail };
  if (reply.status === 404 || reply.status === 410) return { is: "gone", detail };
  if (reply.status !== 429 && reply.status < 500) return { is: "refused", detail };
  return { is: "later", detail, afterMs: retryAfterMs(reply.headers.get("retry-after")) };
}

export function failureOf(error: unknown): string {
  const isLate = error instanceof Error && error.name === "TimeoutError";
  return isLate ? "no answer in time" : reasonOf(error);
}
