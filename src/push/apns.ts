import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { parseJson } from "../lib/json.ts";
import type { MenuOption } from "../protocol/pane.ts";
import { type Http2Link, later } from "./outgoing.ts";
import {
  type BadgedMessage,
  ALERT_LIFETIME_SECONDS,
  type Message,
  type PaneMessage,
  type Outcome,
  outcomeOf,
  messageText,
  TITLE,
} from "./message.ts";
import type { ProviderToken } from "./signing.ts";

export const APNS_URLS = {
  production: "https://api.push.apple.com",
  sandbox: "https://api.sandbox.push.apple.com",
} as const;

export interface ApnsDeps {
  link: Pick<Http2Link, "post" | "close">;
  topic: string;
  token: ProviderToken;
  instanceId: string;
  clock: Pick<Clock, "now">;
}

/** Reasons of a 400 that concern the device, not the request. */
const GONE_REASONS: ReadonlySet<string> = new Set(["BadDeviceToken", "DeviceTokenNotForTopic"]);

/** Signs anew and sends once more where the service calls the token expired. */
export async function sendToApp(
  deps: ApnsDeps,
  device: { token: string },
  message: BadgedMessage,
): Promise<Outcome> {
  const token = deps.token.current();
  const outcome = await postToApp(deps, device, message, await token);
  if (outcome.detail !== EXPIRED) return outcome;
  deps.token.invalidate(token);
  const second = await postToApp(deps, device, message, await deps.token.current());
  return second.detail === EXPIRED ? { is: "later", detail: EXPIRED, afterMs: 0 } : second;
}

const EXPIRED = "403 ExpiredProviderToken";

async function postToApp(
  { link, topic, instanceId, clock }: ApnsDeps,
  device: { token: string },
  message: BadgedMessage,
  bearer: string,
): Promise<Outcome> {
  const request = {
    path: `/3/device/${device.token}`,
    headers: {
      authorization: `bearer ${bearer}`,
      "content-type": "application/json",
      "apns-topic": topic,
      "apns-push-type": "alert",
      "apns-priority": "10",
      "apns-expiration": String(Math.floor(clock.now()) + ALERT_LIFETIME_SECONDS),
      "apns-collapse-id": message.tag,
    },
    body: JSON.stringify(apnsPayload(message, instanceId)),
  };
  try {
    const { status, headers, body } = await link.post(request);
    // Empty for the answer of a relay or a proxy: its status is enough.
    const { reason = "" } = Refusal.safeParse(parseJson(body)).data ?? {};
    const isGone = status === 410 || (status === 400 && GONE_REASONS.has(reason));
    return outcomeOf({ status, reason, isGone, retryAfter: headers["retry-after"] });
  } catch (error) {
    return later(error);
  }
}

const Refusal = z.object({ reason: z.string() });

/** The JSON of the native service; texts and categories are the contract's. */
export function apnsPayload(message: BadgedMessage, instanceId: string): Record<string, unknown> {
  const { category, thread, panewatch } = partsOf(message, instanceId);
  const isQuiet = message.kind === "answered";
  const isUrgent =
    !isQuiet && !(message.kind === "pane" && message.screen.need.section === "finished");
  return {
    aps: {
      alert: { title: TITLE, body: messageText(message) },
      ...(isQuiet ? {} : { sound: "default" }),
      badge: message.badge,
      "thread-id": thread,
      ...(category === null ? {} : { category }),
      "interruption-level": isQuiet ? "passive" : isUrgent ? "time-sensitive" : "active",
    },
    panewatch,
  };
}

const PANES_THREAD = "panewatch";
const AGENTS_THREAD = "panewatch-agents";

/** The category gives the buttons, the thread the group; `panewatch` is for the app. */
function partsOf(message: Message, server_instance_id: string) {
  switch (message.kind) {
    case "pane":
      return { thread: PANES_THREAD, ...paneParts(message) };
    case "answered":
      return { category: null, thread: PANES_THREAD, panewatch: { id: message.paneId } };
    case "decision": {
      const { agent_id, id: decision_id, revision } = message.decision;
      const ids = { server_instance_id, agent_id, decision_id, revision };
      const panewatch = { type: "decision", ...ids };
      return { category: "panewatch.agent-decision", thread: AGENTS_THREAD, panewatch };
    }
    case "digest": {
      const panewatch = { type: "review_due", server_instance_id };
      return { category: "panewatch.agent-review", thread: AGENTS_THREAD, panewatch };
    }
    default: {
      const { kind } = message;
      return { category: null, thread: THREADS[kind], panewatch: { type: kind } };
    }
  }
}

const THREADS = { grant: "panewatch-access", quota: "panewatch-usage", test: PANES_THREAD };

function paneParts({ screen: { pane, need }, identities }: PaneMessage) {
  const panewatch = { id: pane.id };
  // The prompt of another provider has to be read again before it can be answered.
  if (pane.provider !== "mux") return { category: "panewatch.open", panewatch };
  if (need.section === "finished") return { category: "panewatch.finished", panewatch };
  // Buttons of a notification cannot ask for a second confirmation.
  const isPlain = identities.length === 1 && pane.risk === null && pane.cut === null;
  const confirm = isPlain && need.section === "waiting" ? confirmOf(pane.menu) : null;
  if (!confirm) return { category: "panewatch.generic", panewatch };
  const menu = pane.menu.map(({ key }, i) => ({ i, key }));
  return { category: `panewatch.${confirm}`, panewatch: { ...panewatch, menu } };
}

/** Whether a menu is one of the two shapes whose answers fit on a notification's buttons. */
export function confirmOf(menu: readonly MenuOption[]): "confirm2" | "confirm3" | null {
  const [first = "", second = "", third = ""] = menu.map(({ label }) => label);
  if (menu.length === 2 && isYes(first) && isNo(second)) return "confirm2";
  if (menu.length === 3 && isYes(first) && isLastingYes(second) && isNo(third)) return "confirm3";
  return null;
}

const isYes = (label: string) =>
  /^\s*(y|yes|yep|yeah|ok|okay|allow|approve|accept|proceed)\b/i.test(label);
const isNo = (label: string) => /^\s*(n|no|nope|cancel)\b/i.test(label);
const isLastingYes = (label: string) =>
  isYes(label) && /\balways\b|\bremember\b|don.t ask/i.test(label);
