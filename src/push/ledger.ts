import type { AlertReason, Suppression } from "../protocol/push.ts";
import { type PaneSight, type Transition, wasWatched } from "../terminal/transitions.ts";
import { type AlertRules, judge, type Listener, type Verdict } from "./judge.ts";
import { type Notice, Notices } from "./notices.ts";
import { type Occasion, type PaneReason, standingOf, tagOf } from "./occasion.ts";

/** Tag of the one alert that stands for all that quiet hours held back. */
export const SUMMARY_TAG = "waiting";

export type Decision =
  | {
      do: "alert";
      device: string;
      tag: string;
      pane: PaneSight;
      reason: PaneReason;
      /** How many panes it stands for: more than one only after quiet hours. */
      panes: number;
    }
  /** The cause of an alert is gone. */
  | { do: "answered"; device: string; tag: string; pane: string; reason: string }
  | { do: "suppress"; device: string; pane: string; reason: AlertReason; why: Suppression };

export interface LedgerDeps {
  rules: () => AlertRules;
  devices: () => readonly LedgerDevice[];
  /** Whether the device's own page is visible and shows this pane, or the queue. */
  isPresent: (device: string, paneId: string) => boolean;
  /** Whether Review collects alerts of this reason at present. */
  isBatched: (reason: AlertReason) => boolean;
  /** What was alerted before a restart and still has to vanish. */
  notices: readonly Notice[];
}

export interface LedgerDevice extends Listener {
  /** Epoch seconds: what stood before is no news to it. */
  added: number;
}

interface Standing {
  occasion: Occasion;
  isUrgent: boolean;
  progress: Map<string, Progress>;
}

/** How far one device is with one occasion. */
interface Progress {
  /** The last hold-up, told in the log once, and when it ends. */
  held: { why: Suppression; at: number } | null;
  /** Why it will not hear of it at all. */
  never: Suppression | null;
  /** When it heard of it, or did not because it was being looked at. */
  toldAt: number | null;
  isReminded: boolean;
}

/**
 * Decides which device hears of what, once for every channel. Time and transitions only come in as
 * arguments: nothing here reads a clock or sends. What stood when it was first seen, and what
 * appeared while nobody watched, stands but never alerts.
 */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #notices: Notices;
  readonly #standing = new Map<string, Standing>();
  /** Identity -> device -> when it last heard of that pane. */
  readonly #heard = new Map<string, Map<string, number>>();
  #isSettled = false;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#notices = new Notices(deps.notices);
  }

  get notices(): Pick<Notices, "all" | "has" | "remove" | "removeDevice" | "revision"> {
    return this.#notices;
  }

  /** What stood at the start is known. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** The pane with this id if anything stands there that may alert; else null. */
  standing(paneId: string): PaneSight | null {
    const all = [...this.#standing.values()];
    return all.find(({ occasion }) => occasion.pane.id === paneId)?.occasion.pane ?? null;
  }

  /** Whether this pane waits for a person. */
  asks(identity: string): boolean {
    return this.#standing.get(identity)?.occasion.reason === "needs_input";
  }

  /** How many panes wait for a person. */
  get waiting(): number {
    const all = [...this.#standing.values()];
    return all.filter(({ occasion }) => occasion.reason === "needs_input").length;
  }

  /** What one good pass brought; follow it with `due`. */
  observe(transitions: readonly Transition[]): Decision[] {
    const decisions = transitions.flatMap((transition) => this.#follow(transition));
    if (this.#isSettled) return decisions;
    this.#isSettled = true;
    return [...decisions, ...this.#settle()];
  }

  /** What is due at this time (epoch seconds). */
  due(at: number): Decision[] {
    const decisions: Decision[] = [];
    for (const device of this.#deps.devices()) decisions.push(...this.#dueOn(device, at));
    return decisions;
  }

  /** When `due` has to be asked again without any news; null: not before the next news. */
  get nextAt(): number | null {
    let next: number | null = null;
    const devices = this.#deps.devices();
    for (const standing of this.#standing.values())
      for (const device of devices) {
        const at = this.#readyAt(standing, device);
        if (at !== null && (next === null || at < next)) next = at;
      }
    return next;
  }

  /** An agent itself calls what this pane asks high or critical. */
  markUrgent(paneId: string): void {
    for (const standing of this.#standing.values()) {
      if (standing.occasion.pane.id !== paneId) continue;
      standing.isUrgent = true;
      for (const progress of standing.progress.values()) {
        if (progress.never === "batching") progress.never = null;
        progress.held = null;
      }
    }
  }

  /** The device's preferences have changed: what is held back is looked at anew. */
  reconsider(device: string): void {
    for (const { progress } of this.#standing.values()) {
      const known = progress.get(device);
      if (known) known.held = null;
    }
  }

  #follow(transition: Transition): Decision[] {
    const { pane, at } = transition;
    const { identity } = pane;
    const known = this.#standing.get(identity);
    if (transition.kind === "gone") {
      this.#heard.delete(identity);
      return this.#end(identity, () => true);
    }
    const now = standingOf(pane);
    if (now && known?.occasion.key === now.key) {
      known.occasion = { ...known.occasion, pane };
      return [];
    }
    if (!now) return this.#end(identity, () => true);
    // A notice of the same reason stays true until the next one takes its place.
    const decisions = this.#end(identity, (notice) => notice.reason !== now.reason);
    const occasion = { ...now, pane, since: at, isNews: wasWatched(transition) };
    this.#standing.set(identity, { occasion, isUrgent: false, progress: new Map() });
    return decisions;
  }

  /** Of what was alerted before a restart, what does not stand any more. */
  #settle(): Decision[] {
    const identities = new Set(this.#notices.all.flatMap((notice) => notice.identities));
    return [...identities].flatMap((identity) => {
      const reason = this.#standing.get(identity)?.occasion.reason;
      return this.#vanish(identity, (notice) => notice.reason !== reason);
    });
  }

  #end(identity: string, isMeant: (notice: Notice) => boolean): Decision[] {
    const standing = this.#standing.get(identity);
    this.#standing.delete(identity);
    return [...this.#neverTold(standing), ...this.#vanish(identity, isMeant)];
  }

  #vanish(identity: string, isMeant: (notice: Notice) => boolean): Decision[] {
    return this.#notices
      .handled(identity, isMeant)
      .map(({ device, tag, pane, reason }) => ({ do: "answered", device, tag, pane, reason }));
  }

  // A short dwell is told only when it was the reason in the end.
  #neverTold(standing: Standing | undefined): Decision[] {
    if (!standing) return [];
    return [...standing.progress].flatMap(([device, { held, toldAt }]) =>
      held?.why === "dwell" && toldAt === null ? [suppress(standing, device, "dwell")] : [],
    );
  }

  #dueOn(device: LedgerDevice, at: number): Decision[] {
    const decisions: Decision[] = [];
    const afterQuiet: Standing[] = [];
    for (const standing of this.#standing.values()) {
      const readyAt = this.#readyAt(standing, device);
      if (readyAt === null || at < readyAt) continue;
      const wasQuiet = progressOf(standing, device.id).held?.why === "quiet_hours";
      const verdict = this.#judge(standing, device, at);
      if (verdict.is === "due" && wasQuiet) afterQuiet.push(standing);
      else decisions.push(...this.#apply(verdict, standing, device, at));
    }
    return [...decisions, ...this.#tell(afterQuiet, device, at)];
  }

  /** When this device is to be judged for it; null: not any more. */
  #readyAt({ occasion, progress }: Standing, device: LedgerDevice): number | null {
    if (!occasion.isNews || occasion.since < device.added) return null;
    const known = progress.get(device.id);
    if (!known) return 0;
    if (known.never !== null) return null;
    const heldUntil = known.held?.at ?? 0;
    if (known.toldAt === null) return heldUntil;
    const { remind_minutes } = device.preferences;
    if (known.isReminded || remind_minutes === 0) return null;
    return Math.max(heldUntil, known.toldAt + remind_minutes * 60);
  }

  #judge({ occasion, isUrgent, progress }: Standing, device: LedgerDevice, at: number): Verdict {
    const { identity, id } = occasion.pane;
    const toldAt = progress.get(device.id)?.toldAt ?? null;
    return judge({
      occasion,
      device,
      rules: this.#deps.rules(),
      at,
      // A reminder was asked for: it is no repeat.
      heardAt: toldAt === null ? (this.#heard.get(identity)?.get(device.id) ?? null) : null,
      isPresent: this.#deps.isPresent(device.id, id),
      isBatched: !isUrgent && this.#deps.isBatched(occasion.reason),
      isUrgent,
    });
  }

  #apply(verdict: Verdict, standing: Standing, device: LedgerDevice, at: number): Decision[] {
    const progress = progressOf(standing, device.id);
    if (verdict.is === "due") return this.#tell([standing], device, at);
    if (verdict.is === "later") {
      const isTold = verdict.why === "dwell" || progress.held?.why === verdict.why;
      progress.held = { why: verdict.why, at: verdict.at };
      return isTold ? [] : [suppress(standing, device.id, verdict.why)];
    }
    // Who looks at it has been told, and may still want to be reminded.
    if (verdict.why === "present") noteTold(progress, at);
    else progress.never = verdict.why;
    return [suppress(standing, device.id, verdict.why)];
  }

  /** One alert for all of them. */
  #tell(standings: readonly Standing[], device: LedgerDevice, at: number): Decision[] {
    const [oldest] = [...standings].sort((a, b) => a.occasion.since - b.occasion.since);
    if (!oldest) return [];
    const { pane, reason } = oldest.occasion;
    const tag = standings.length > 1 ? SUMMARY_TAG : tagOf(pane.identity);
    const identities = standings.map(({ occasion }) => occasion.pane.identity);
    for (const standing of standings) {
      noteTold(progressOf(standing, device.id), at);
      this.#hear(standing.occasion.pane.identity, device.id, at);
    }
    this.#notices.add({ device: device.id, tag, identities, reason, pane: pane.id });
    return [{ do: "alert", device: device.id, tag, pane, reason, panes: standings.length }];
  }

  #hear(identity: string, device: string, at: number): void {
    const heard = this.#heard.get(identity) ?? new Map<string, number>();
    this.#heard.set(identity, heard.set(device, at));
  }
}

function noteTold(progress: Progress, at: number): void {
  if (progress.toldAt !== null) progress.isReminded = true;
  progress.toldAt ??= at;
  progress.held = null;
}

function progressOf(standing: Standing, device: string): Progress {
  const known = standing.progress.get(device);
  if (known) return known;
  const progress: Progress = { held: null, never: null, toldAt: null, isReminded: false };
  standing.progress.set(device, progress);
  return progress;
}

function suppress({ occasion }: Standing, device: string, why: Suppression): Decision {
  return { do: "suppress", device, pane: occasion.pane.id, reason: occasion.reason, why };
}
