import type { AlertReason, Suppression } from "../protocol/push.ts";
import type { Moment } from "../lib/clock.ts";
import { type PaneSight, type Transition, wasWatched } from "../terminal/transitions.ts";
import {
  type AlertCause,
  type AlertDevice,
  type AlertState,
  causeOf,
  type DigestReason,
  groupParked,
  type HeldBack,
  isParked,
  type ParkedState,
  progressOf,
  readyAt,
  tagOf,
} from "./alert-state.ts";
import { isMuted, quietEnd } from "./preferences.ts";
import { type Draft, type Message, PARKED_TAG, type ShownNotification } from "./message.ts";

/** What one device is to be told, or why it is not alerted. */
export type AlertAction = { device: string } & (
  { message: Draft } | { pane: string | null; reason: AlertReason; why: Suppression }
);

/** After which an alert that no try has brought to a device is due there once more. */
const REPEAT_AFTER_SECONDS = 300;

/** Tag of the one alert that stands for all panes that quiet hours held back. */
const SUMMARY_TAG = "waiting";

/** The wall clock may be set, and a machine that sleeps counts no monotonic time. */
const QUIET_AGAIN_SECONDS = 60;

export interface AlertRules {
  cooldown: number;
  /** Seconds that a prompt must stand before it alerts on other channels than the native one. */
  dwell: number;
}

/** What an alert would be about; without a pane there is nothing to mute, to answer or to look at. */
interface AlertSubject {
  reason: AlertReason;
  pane: { id: string; target: string } | null;
  since: number;
  isUrgent: boolean;
}

export interface SchedulerDeps {
  rules: () => AlertRules;
  devices: () => readonly AlertDevice[];
  isPresent: (device: string, paneId: string) => boolean;
  /** Whether Review collects alerts of this reason at present. */
  isBatched: (reason: AlertReason) => boolean;
  shown: readonly ShownNotification[];
}

/**
 * Decides which device hears of what, once for every channel. Time and transitions only come in as
 * arguments: nothing here reads a clock or sends. What stood when it was first seen, and what
 * appeared while nobody watched, stands but never alerts. Digests and quotas stand as well, by
 * their reasons: the next takes the place of the one before.
 */
export class AlertScheduler {
  readonly #deps: SchedulerDeps;
  readonly #states = new Map<string, AlertState>();
  /** When each device was last alerted about each pane (monotonic seconds), for the cooldown. */
  readonly #lastAlerts = new Map<string, Map<string, number>>();
  #shown: readonly ShownNotification[];
  #hasStarted = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#shown = deps.shown;
  }

  /** Which notifications still stand on which device; another list after each change. */
  get shown(): readonly ShownNotification[] {
    return this.#shown;
  }

  /** What stood at the start is known. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** The pane with this id if anything stands there that may alert; else null. */
  standing(paneId: string): PaneSight | null {
    return this.#ofPane(paneId)?.cause.pane ?? null;
  }

  /** What one good pass brought; follow it with `due`. */
  observe(transitions: readonly Transition[], now: Moment): AlertAction[] {
    const actions = transitions.flatMap((transition) => this.#follow(transition, now));
    if (this.#hasStarted) return actions;
    this.#hasStarted = true;
    // Of what was alerted before a restart, what does not stand any more.
    const identities = new Set(this.#shown.flatMap((one) => one.identities));
    const ended = [...identities].flatMap((identity) =>
      this.#vanish(identity, this.#states.get(identity)?.cause.reason),
    );
    return [...actions, ...ended];
  }

  /** A review digest or a quota, which no pane asks for; follow it with `due`. */
  digest(reason: DigestReason, now: Moment): void {
    this.#begin(reason, { reason, pane: null, key: "", since: now.monotonic, isNews: true });
  }

  due(now: Moment): AlertAction[] {
    return this.#deps.devices().flatMap((device) => this.#dueOn(device, now));
  }

  /** When `due` has to be asked again without any news (monotonic seconds); Infinity: never. */
  get nextAt(): number {
    let next = Infinity;
    const devices = this.#deps.devices();
    for (const state of this.#states.values())
      for (const device of devices) next = Math.min(next, readyAt(state, device));
    return next;
  }

  /**
   * Whether an alert may be tried now: its cause still stands, for the alert of a pane the same
   * prompt, and nothing holds it back that did not when it was decided. What does is looked at anew.
   */
  mayTry(shown: ShownNotification, kind: Message["kind"], now: Moment): boolean {
    const device = this.#deps.devices().find(({ id }) => id === shown.device);
    if (!device) return false;
    const states = shown.identities
      .flatMap((identity) => this.#stateOf(shown, identity) ?? [])
      .filter((state) => kind !== "pane" || progressOf(state, device.id).alertedAt !== null);
    const isDue = ({ cause, isUrgent }: AlertState) =>
      this.#decide({ ...cause, isUrgent }, device, now) === null;
    if (states.some(isDue)) return true;
    for (const state of states) {
      progressOf(state, device.id).alertedAt = null;
      this.#forgetAlert(state.cause.pane?.identity ?? "", device.id);
    }
    return false;
  }

  /** A device shows this now: it vanishes with its cause, at once where that has gone meanwhile. */
  arrived(shown: ShownNotification): AlertAction[] {
    const { device, tag } = shown;
    const identities = shown.identities.filter((identity) => this.#stateOf(shown, identity));
    if (identities.length === 0) return [answered(shown)];
    const others = this.#shown.filter((one) => one.device !== device || one.tag !== tag);
    this.#shown = [...others, { ...shown, identities }];
    return [];
  }

  /** An alert has not arrived: while its cause stands it is due again, once. */
  lost({ device, identities }: ShownNotification, now: Moment): void {
    for (const identity of identities) {
      this.#forgetAlert(identity, device);
      const progress = this.#states.get(identity)?.progress.get(device);
      if (!progress || progress.isRepeated) continue;
      progress.isRepeated = true;
      progress.alertedAt = null;
      progress.held = { why: "lost", at: now.monotonic + REPEAT_AFTER_SECONDS };
    }
  }

  forget(device: string): void {
    if (this.#shown.some((one) => one.device === device))
      this.#shown = this.#shown.filter((one) => one.device !== device);
  }

  markUrgent(paneId: string): void {
    const state = this.#ofPane(paneId);
    if (!state) return;
    state.isUrgent = true;
    for (const progress of state.progress.values()) {
      const { held } = progress;
      if (held && (held.at !== null || held.why === "batching")) progress.held = null;
    }
  }

  /**
   * Why a device is not alerted at once about a decision that this pane asks for; null: it is. A
   * device that is not alerted about the pane, or not yet, is not alerted about its decision.
   */
  whyNotDecision(
    device: AlertDevice,
    paneId: string,
    isUrgent: boolean,
    now: Moment,
  ): Suppression | null {
    const { pane = null, since = now.monotonic } = this.#ofPane(paneId)?.cause ?? {};
    const asks = { id: paneId, target: pane?.target ?? "" };
    const subject = { reason: "needs_input", pane: asks, since, isUrgent } as const;
    return this.#decide(subject, device, now)?.why ?? null;
  }

  /** What the device chose, or looks at, has changed: what is held back is looked at anew. */
  reconsider(device: string): void {
    for (const { progress } of this.#states.values()) {
      const held = progress.get(device)?.held;
      if (held && held.at !== null && held.why !== "lost") held.at = -Infinity;
    }
  }

  /** What still stands in one of these panes; one alert for several may have other reasons. */
  #stateOf({ identities, reason }: ShownNotification, identity: string): AlertState | null {
    const state = this.#states.get(identity);
    return state && (identities.length > 1 || state.cause.reason === reason) ? state : null;
  }

  #ofPane(paneId: string): AlertState | undefined {
    return [...this.#states.values()].find(({ cause }) => cause.pane?.id === paneId);
  }

  #begin(name: string, cause: AlertCause): void {
    this.#states.set(name, { cause, isUrgent: false, progress: new Map() });
  }

  #follow(transition: Transition, now: Moment): AlertAction[] {
    const { pane } = transition;
    const { identity } = pane;
    if (transition.kind === "gone") this.#lastAlerts.delete(identity);
    const found = transition.kind === "gone" ? null : causeOf(pane);
    const state = this.#states.get(identity);
    if (found && state?.cause.key === found.key) {
      state.cause = { ...state.cause, ...found, pane };
      return [];
    }
    this.#states.delete(identity);
    // What ended in its dwell is logged as suppressed now: what outlives it is not suppressed by it.
    const inDwell = [...(state?.progress ?? [])].flatMap(([device, { held, alertedAt }]) =>
      state && held?.why === "dwell" && alertedAt === null
        ? [suppress(state, device, "dwell")]
        : [],
    );
    const ended = [...inDwell, ...this.#vanish(identity, found?.reason)];
    if (found) {
      const isNews = wasWatched(transition);
      this.#begin(identity, { ...found, pane, since: now.monotonic, isNews });
    }
    return ended;
  }

  /**
   * What of a pane was handled: ends the notifications that have no cause left. One of the reason
   * that the pane has now stays true until the next one takes its place.
   */
  #vanish(identity: string, reason: AlertReason | undefined): AlertAction[] {
    const isOver = (one: ShownNotification) =>
      one.identities.includes(identity) && one.reason !== reason;
    const over = this.#shown.filter(isOver);
    if (over.length === 0) return [];
    this.#shown = this.#shown.flatMap((one) => {
      if (!isOver(one)) return one;
      const identities = one.identities.filter((each) => each !== identity);
      return identities.length === 0 ? [] : { ...one, identities };
    });
    return over
      .filter(({ identities }) => identities.every((each) => each === identity))
      .map(answered);
  }

  #dueOn(device: AlertDevice, now: Moment): AlertAction[] {
    const actions: AlertAction[] = [];
    const afterQuiet: AlertState[] = [];
    const parked: ParkedState[] = [];
    for (const state of this.#states.values()) {
      if (now.monotonic < readyAt(state, device)) continue;
      const { cause, isUrgent } = state;
      const { held, alertedAt } = progressOf(state, device.id);
      const wasQuiet = held?.why === "quiet_hours";
      const last = cause.pane && this.#lastAlerts.get(cause.pane.identity)?.get(device.id);
      // A reminder was asked for: no cooldown holds it.
      const lastAlertAt = alertedAt === null ? (last ?? null) : null;
      const why = this.#decide({ ...cause, isUrgent }, device, now, lastAlertAt);
      if (why) actions.push(...this.#hold(why, state, device));
      else if (wasQuiet && cause.pane) afterQuiet.push(state);
      else if (isParked(state)) parked.push(state);
      else actions.push(...this.#alert([state], device, now));
    }
    const { alerts, quiet } = groupParked(parked, this.#states.values(), device.id);
    return [
      ...actions,
      ...[afterQuiet, ...alerts].flatMap((group) => this.#alert(group, device, now)),
      ...quiet.flatMap((each) => this.#hold({ why: "parked", at: null }, each, device)),
    ];
  }

  /** Why a device is not alerted now; null: it is. */
  #decide(
    { reason, pane, since, isUrgent }: AlertSubject,
    { id, kind, preferences, isConfigured }: AlertDevice,
    now: Moment,
    lastAlertAt: number | null = null,
  ): (HeldBack & { why: Suppression }) | null {
    const { isPresent, isBatched } = this.#deps;
    const rules = this.#deps.rules();
    if (!preferences.reasons.includes(reason)) return { why: "reason_off", at: null };
    if (!isConfigured) return { why: "not_configured", at: null };
    if (pane !== null && isMuted(preferences, pane.target, now.at))
      return { why: "muted", at: null };
    if (!isUrgent && isBatched(reason)) return { why: "batching", at: null };
    const waits = [
      { why: "dwell", at: pane === null || kind === "apns" ? since : since + rules.dwell },
      { why: "wait", at: pane === null ? since : since + preferences.wait_minutes * 60 },
      { why: "cooldown", at: lastAlertAt === null ? since : lastAlertAt + rules.cooldown },
    ] as const;
    const wait = waits.find(({ at }) => now.monotonic < at);
    if (wait) return wait;
    const { quiet } = preferences;
    const quietUntil = isUrgent && quiet?.urgent === true ? null : quietEnd(quiet, now.at);
    if (quietUntil !== null) {
      const seconds = Math.min(quietUntil - now.at, QUIET_AGAIN_SECONDS);
      return { why: "quiet_hours", at: now.monotonic + seconds };
    }
    // Until `reconsider` says that its page is out of sight.
    return pane !== null && isPresent(id, pane.id) ? { why: "present", at: Infinity } : null;
  }

  #hold(
    held: HeldBack & { why: Suppression },
    state: AlertState,
    { id }: AlertDevice,
  ): AlertAction[] {
    const progress = progressOf(state, id);
    const isLogged = held.why === "dwell" || progress.held?.why === held.why;
    progress.held = held;
    return isLogged ? [] : [suppress(state, id, held.why)];
  }

  /** One alert for all of them. */
  #alert(states: readonly AlertState[], device: AlertDevice, now: Moment): AlertAction[] {
    for (const state of states) {
      const progress = progressOf(state, device.id);
      if (progress.alertedAt !== null) progress.isReminded = true;
      progress.alertedAt ??= now.monotonic;
      progress.held = null;
    }
    const identities = states.flatMap(({ cause }) => cause.pane?.identity ?? []);
    for (const identity of identities) {
      const times = this.#lastAlerts.get(identity) ?? new Map<string, number>();
      this.#lastAlerts.set(identity, times.set(device.id, now.monotonic));
    }
    // Causes are kept in the order in which they began.
    const [oldest] = states;
    if (!oldest) return [];
    if (oldest.cause.pane === null)
      return [{ device: device.id, message: DIGESTS[oldest.cause.reason] }];
    const { pane, reason } = oldest.cause;
    const { id, name, host = null, provider, menu, risk, cut } = pane.state;
    // A notification's buttons cannot ask once more.
    const isPlain = risk === null && cut === null;
    const shown = { id, name, host, provider, menu: isPlain ? menu : [] };
    const summary = states.every(isParked) ? PARKED_TAG : SUMMARY_TAG;
    const message: Draft = {
      ...{ kind: "pane", reason, identities },
      tag: identities.length > 1 ? summary : tagOf(pane.identity),
      pane: { ...shown, isParked: isParked(oldest) },
    };
    return [{ device: device.id, message }];
  }

  /** An alert that has not arrived begins no cooldown. */
  #forgetAlert(identity: string, device: string): void {
    this.#lastAlerts.get(identity)?.delete(device);
  }
}

const DIGESTS = {
  review: { kind: "digest", tag: "review" },
  quota: { kind: "quota", tag: "quota" },
} as const satisfies Record<DigestReason, Draft>;

function suppress({ cause }: AlertState, device: string, why: Suppression): AlertAction {
  return { device, pane: cause.pane?.id ?? null, reason: cause.reason, why };
}

/** The cause of an alert is gone. */
function answered({ device, tag, pane }: ShownNotification): AlertAction {
  return { device, message: { kind: "answered", paneId: pane, tag } };
}
