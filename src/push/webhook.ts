import { post } from "./http2-link.ts";
import { type Message, type Outcome, messageText } from "./message.ts";

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
