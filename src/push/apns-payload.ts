import type { MenuOption } from "../protocol/pane.ts";
import { type Message, textOf, TITLE } from "./message.ts";

/** The JSON that the native service takes; texts and categories are the contract's. */
export function apnsPayload(message: Message, instanceId: string): Record<string, unknown> {
  const { category, thread, panewatch } = partsOf(message, instanceId);
  const isQuiet = message.kind === "answered";
  const isUrgent = !isQuiet && !(message.kind === "pane" && message.reason === "finished");
  return {
    aps: {
      alert: { title: TITLE, body: textOf(message) },
      ...(isQuiet ? {} : { sound: "default" }),
      badge: message.badge,
      "thread-id": thread,
      ...(category === null ? {} : { category }),
      "interruption-level": isQuiet ? "passive" : isUrgent ? "time-sensitive" : "active",
    },
    ...(panewatch === null ? {} : { panewatch }),
  };
}

interface Parts {
  category: string | null;
  thread: string;
  panewatch: Record<string, unknown> | null;
}

function partsOf(message: Message, instanceId: string): Parts {
  switch (message.kind) {
    case "pane":
      return paneParts(message);
    case "answered":
      return { category: null, thread: PANES_THREAD, panewatch: { id: message.paneId } };
    case "decision":
      return {
        category: "panewatch.agent-decision",
        thread: AGENTS_THREAD,
        panewatch: {
          type: "decision",
          server_instance_id: instanceId,
          agent_id: message.agentId,
          decision_id: message.decisionId,
          revision: message.revision,
        },
      };
    case "grant":
      return { category: null, thread: "panewatch-access", panewatch: { type: "grant" } };
    case "digest":
      return {
        category: "panewatch.agent-review",
        thread: AGENTS_THREAD,
        panewatch: { type: "review_due", server_instance_id: instanceId },
      };
    case "quota":
      return { category: null, thread: "panewatch-usage", panewatch: { type: "quota" } };
    case "test":
      return { category: null, thread: PANES_THREAD, panewatch: { type: "test" } };
  }
}

const PANES_THREAD = "panewatch";
const AGENTS_THREAD = "panewatch-agents";

function paneParts({ reason, pane, identities }: Extract<Message, { kind: "pane" }>): Parts {
  const { id } = pane;
  const thread = PANES_THREAD;
  // Another provider's prompt has to be read again before anything may answer it.
  if (pane.provider !== "mux") return { category: "panewatch.open", thread, panewatch: { id } };
  if (reason === "finished") return { category: "panewatch.finished", thread, panewatch: { id } };
  const confirm = reason === "needs_input" && identities.length === 1 ? confirmOf(pane.menu) : null;
  if (!confirm) return { category: "panewatch.generic", thread, panewatch: { id } };
  const menu = pane.menu.map(({ key }, i) => ({ i, key }));
  return { category: `panewatch.${confirm}`, thread, panewatch: { id, menu } };
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
