import type { LastDelivery, MutedPane, PushDevice } from "../../src/protocol/push.ts";

export interface DeviceFacts {
  readonly isSecure: boolean;
  /** iOS gives notifications to pages on the home screen only. */
  readonly needsHomeScreen: boolean;
  readonly isOnHomeScreen: boolean;
  readonly hasPush: boolean;
  readonly permission: "default" | "granted" | "denied";
  /** This browser as the server has it; null: not registered. */
  readonly device: Pick<PushDevice, "gone" | "last"> | null;
}

export type StepName = "https" | "home_screen" | "supported" | "allowed" | "subscribed" | "server";

export interface Step {
  readonly name: StepName;
  readonly state: "done" | "failed" | "open";
}

/**
 * What has to be so before an alert can arrive, in its order. The first that fails is the one to
 * mend: what comes behind it is still open, whatever it would be.
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

/** The service takes nothing from this server: 401 and 403 are about its key or its contact. */
function isServerRefused(last: LastDelivery | null): boolean {
  return last?.result === "failed" && /^40[13]\b/.test(last.detail);
}

/** Null where none is to be mended. */
export function failedStep(steps: readonly Step[]): StepName | null {
  return steps.find(({ state }) => state === "failed")?.name ?? null;
}

/** Null: not muted any more. */
export function withMute(
  muted: readonly MutedPane[],
  target: string,
  until: number | null | "not",
): MutedPane[] {
  const others = muted.filter((pane) => pane.target !== target);
  return until === "not" ? others : [...others, { target, until }];
}

/** What of the list still holds at this time (epoch seconds). */
export function activeMutes(muted: readonly MutedPane[], now: number): MutedPane[] {
  return muted.filter(({ until }) => until === null || until > now);
}

const MORNING_HOUR = 7;

/** By this device's clock, epoch seconds. */
export function tomorrowMorning(nowSeconds: number): number {
  const day = new Date(nowSeconds * 1000);
  day.setDate(day.getDate() + 1);
  day.setHours(MORNING_HOUR, 0, 0, 0);
  return day.getTime() / 1000;
}
