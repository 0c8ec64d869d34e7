import type { Suppression } from "../protocol/push.ts";
import type { Listener } from "./judge.ts";
import type { Occasion } from "./occasion.ts";

export interface LedgerDevice extends Listener {
  /** Monotonic seconds: what stood before is no news to it. */
  knownSince: number;
}

/** An occasion that goes on, and how far each device is with it. */
export interface Standing {
  occasion: Occasion;
  isUrgent: boolean;
  progress: Map<string, Progress>;
}

/** Times are monotonic seconds. */
export interface Progress {
  /** Why it was held back last, logged once, and until when. */
  held: { why: Suppression | "lost"; at: number } | null;
  /** Why the device will not be alerted about it at all. */
  never: Suppression | null;
  /** When an alert of it was sent. */
  alertedAt: number | null;
  isReminded: boolean;
  /** An alert of it was lost, and is due once more. */
  isRepeated: boolean;
}

export function progressOf({ progress }: Standing, device: string): Progress {
  const known = progress.get(device);
  if (known) return known;
  const none = { held: null, never: null, alertedAt: null, isReminded: false, isRepeated: false };
  progress.set(device, none);
  return none;
}

/** When a device is to be judged for it; Infinity: not any more. */
export function readyAt({ occasion, progress }: Standing, device: LedgerDevice): number {
  if (!occasion.isNews || occasion.since < device.knownSince) return Infinity;
  const known = progress.get(device.id);
  if (!known) return -Infinity;
  if (known.never !== null) return Infinity;
  const heldUntil = known.held?.at ?? -Infinity;
  if (known.alertedAt === null) return heldUntil;
  const { remind_minutes } = device.preferences;
  if (known.isReminded || remind_minutes === 0 || occasion.pane === null) return Infinity;
  return Math.max(heldUntil, known.alertedAt + remind_minutes * 60);
}

export function noteAlerted(progress: Progress, at: number): void {
  if (progress.alertedAt !== null) progress.isReminded = true;
  progress.alertedAt ??= at;
  progress.held = null;
}

/** After which an alert that no try has brought to a device is due there once more. */
const REPEAT_AFTER_SECONDS = 300;

export function noteLost(progress: Progress, at: number): void {
  if (progress.isRepeated) return;
  progress.isRepeated = true;
  progress.alertedAt = null;
  progress.held = { why: "lost", at: at + REPEAT_AFTER_SECONDS };
}
