import type { Clock } from "../lib/clock.ts";
import { apnsPayload } from "./apns-payload.ts";
import { Http2Link, type Http2Reply, LinkError } from "./http2-link.ts";
import { LIFETIME_SECONDS, type Message } from "./message.ts";
import type { SignedToken } from "./signed-token.ts";
import { detailOf, type Outcome, REQUEST_TIMEOUT_MS, retryAfterMs } from "./transport.ts";

export const APNS_URLS = {
  production: "https://api.push.apple.com",
  sandbox: "https://api.sandbox.push.apple.com",
} as const;

export interface NativeDevice {
  /** Hex. */
  token: string;
}

export interface ApnsDeps {
  /** Origin of the service, or of a relay. */
  url: string;
  topic: string;
  token: SignedToken;
  instanceId: string;
  clock: Pick<Clock, "now">;
  timeoutMs?: number;
}

/** Reasons of a 400 that mean the device, not the request. */
const GONE_REASONS: ReadonlySet<string> = new Set(["BadDeviceToken", "DeviceTokenNotForTopic"]);

/** The native channel: one HTTP/2 connection to the platform's push service, a signed token. */
export class Apns {
  readonly #deps: ApnsDeps;
  readonly #link: Http2Link;

  constructor(deps: ApnsDeps) {
    this.#deps = deps;
    this.#link = new Http2Link({
      origin: deps.url,
      timeoutMs: deps.timeoutMs ?? REQUEST_TIMEOUT_MS,
    });
  }

  async send(device: NativeDevice, message: Message): Promise<Outcome> {
    const token = this.#deps.token.current();
    const outcome = await this.#post(device, message, await token);
    if (outcome.detail !== EXPIRED) return outcome;
    this.#deps.token.expired(token);
    return await this.#post(device, message, await this.#deps.token.current());
  }

  close(): void {
    this.#link.close();
  }

  async #post(device: NativeDevice, message: Message, bearer: string): Promise<Outcome> {
    const { topic, instanceId, clock } = this.#deps;
    try {
      const reply = await this.#link.post({
        path: `/3/device/${device.token}`,
        headers: {
          authorization: `bearer ${bearer}`,
          "content-type": "application/json",
          "apns-topic": topic,
          "apns-push-type": "alert",
          "apns-priority": "10",
          "apns-expiration": String(Math.floor(clock.now()) + LIFETIME_SECONDS),
          "apns-collapse-id": message.tag,
        },
        body: JSON.stringify(apnsPayload(message, instanceId)),
      });
      return outcomeOf(reply);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      return { is: "later", detail: error.message, afterMs: 0 };
    }
  }
}

const EXPIRED = "403 ExpiredProviderToken";

function outcomeOf({ status, headers, body }: Http2Reply): Outcome {
  const reason = reasonOf(body);
  const detail = detailOf(status, reason);
  if (status === 200) return { is: "accepted", detail };
  if (status === 410 || (status === 400 && GONE_REASONS.has(reason))) return { is: "gone", detail };
  const isBusy = status === 429 || status >= 500 || detail === EXPIRED;
  if (isBusy) return { is: "later", detail, afterMs: retryAfterMs(headers["retry-after"]) };
  return { is: "refused", detail };
}

function reasonOf(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed !== "object" || parsed === null || !("reason" in parsed)) return "";
    return typeof parsed.reason === "string" ? parsed.reason : "";
  } catch {
    // A relay or a proxy that answers in its own words; the status says enough.
    return "";
  }
}
