import type { AlertReason, Suppression } from "../protocol/push.ts";
import type { AlertState } from "./alert-state.ts";
import type { Message, ShownNotification } from "./message.ts";

/** What one device is to be told, or why it is not alerted. */
export type AlertAction = { device: string } & (
  { message: Message } | { pane: string | null; reason: AlertReason | "decision"; why: Suppression }
);

/** What ended in its dwell is logged as suppressed now: what outlives it is not suppressed by it. */
export const endedInDwell = (state: AlertState): AlertAction[] =>
  [...state.progress]
    .filter(([, { held, alertedAt }]) => held?.why === "dwell" && alertedAt === null)
    .map(([device]) => suppress(state, device, "dwell"));

export function suppress(
  { card, reason }: AlertState,
  device: string,
  why: Suppression,
): AlertAction {
  return { device, pane: card?.pane.id ?? null, reason, why };
}

/** The cause of an alert is gone. */
export function takenBack({ device, tag, pane }: ShownNotification): AlertAction {
  return { device, message: { kind: "answered", paneId: pane, tag } };
}
