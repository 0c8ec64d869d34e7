import { post } from "./http2-link.ts";
import { type Message, type Outcome, messageText, TITLE } from "./message.ts";
import { fragmentOf } from "./web-push.ts";

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
