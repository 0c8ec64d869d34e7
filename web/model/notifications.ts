import type { LastDelivery, MutedPane, PushDevice } from "../../src/protocol/push.ts";

export interface DeviceFacts {
  readonly isSecure: boolean;
  /** On iOS only pages on the home screen get notifications. */
  readonly needsHomeScreen: boolean;
  readonly isOnHomeScreen: boolean;
  readonly hasPush: boolean;
  readonly permission: "default" | "granted" | "denied";
  /** This browser as the server knows it; null: not registered. */
  readonly device: Pick<PushDevice, "gone" | "last"> | null;
}

export type StepName = "https" | "home_screen" | "supported" | "allowed" | "subscribed" | "server";

interface Step {
  readonly name: StepName;
  readonly state: "done" | "failed" | "open";
}

/**
 * The conditions of an alert in their order. The first that fails is the one to fix; those behind
 * it count as open.
 */
export function checklist(facts: DeviceFacts): readonly Step[] {
  const steps: Step[] = [];
  const add = (name: StepName, state: Step["state"]) => {
    const isOpen = steps.some((before) => before.state !== "done");
    steps.push({ name, state: isOpen ? "open" : state });
  };
  add("https", facts.isSecure ? "done" : "failed");
  if (facts.needsHomeScreen) add("home_screen", facts.isOnHomeScreen ? "done" : "failed");
  if (!facts.hasPush && facts.isSecure && (!facts.needsHomeScreen || facts.isOnHomeScreen))
    add("supported", "failed");
  add("allowed", ALLOWED[facts.permission]);
  add("subscribed", subscribed(facts.device));
  if (facts.device && isServerRefused(facts.device.last)) add("server", "failed");
  return steps;
}

const ALLOWED = { granted: "done", denied: "failed", default: "open" } as const;

function subscribed(device: DeviceFacts["device"]): Step["state"] {
  if (device === null) return "open";
  return device.gone === null ? "done" : "failed";
}

/** 401 and 403 of the push service are about the server's key or contact. */
function isServerRefused(last: LastDelivery | null): boolean {
  return last?.result === "failed" && /^40[13]\b/.test(last.detail);
}

export function failedStep(steps: readonly Step[]): StepName | null {
  return steps.find(({ state }) => state === "failed")?.name ?? null;
}

/** `until` is in epoch seconds, null for good, "not" to unmute. */
export function withMute(
  muted: readonly MutedPane[],
  target: string,
  until: number | null | "not",
): MutedPane[] {
  const others = muted.filter((pane) => pane.target !== target);
  return until === "not" ? others : [...others, { target, until }];
}

export function activeMutes(muted: readonly MutedPane[], now: number): MutedPane[] {
  return muted.filter(({ until }) => until === null || until > now);
}

const MORNING_HOUR = 7;

/** 07:00 of the next day by this device's clock, in epoch seconds. */
export function tomorrowMorning(nowSeconds: number): number {
  const day = new Date(nowSeconds * 1000);
  day.setDate(day.getDate() + 1);
  day.setHours(MORNING_HOUR, 0, 0, 0);
  return day.getTime() / 1000;
}
