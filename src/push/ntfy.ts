import { type Message, textOf, TITLE } from "./message.ts";
import { type Outcome, type PushTransport, REQUEST_TIMEOUT_MS } from "./transport.ts";
import { trustedAuthorities } from "./trust.ts";
import { failureOf, outcomeOf } from "./web-push.ts";
import { fragmentOf } from "./web-payload.ts";

export interface NtfyDeps {
  /** Of the topic. */
  url: string;
  /** Empty: the topic is open. */
  token: string;
  /** Origin that a tap opens; null: none is configured. */
  pageOrigin: string | null;
  timeoutMs?: number;
}

/** One topic, whoever reads it: generic words only, and nothing to answer with. */
export class Ntfy implements PushTransport<null> {
  readonly #deps: NtfyDeps;

  constructor(deps: NtfyDeps) {
    this.#deps = deps;
  }

  async send(_device: null, message: Message): Promise<Outcome> {
    const { url, token, pageOrigin, timeoutMs } = this.#deps;
    const { priority, tags } = styleOf(message);
    try {
      const reply = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: {
          title: TITLE,
          priority,
          tags,
          ...(pageOrigin === null ? {} : { click: `${pageOrigin}/${fragmentOf(message)}` }),
          ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        },
        body: textOf(message),
        tls: { ca: trustedAuthorities() },
        signal: AbortSignal.timeout(timeoutMs ?? REQUEST_TIMEOUT_MS),
      });
      const outcome = await outcomeOf(reply);
      // A topic is no subscription that ends: a wrong address is to be corrected.
      return outcome.is === "gone" ? { is: "refused", detail: outcome.detail } : outcome;
    } catch (error) {
      return { is: "later", detail: failureOf(error), afterMs: 0 };
    }
  }

  close(): void {
    // Each message is a request of its own; nothing stays open.
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
