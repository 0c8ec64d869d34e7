import type { ScreenCard } from "../cards/cards.ts";
import type { Moment } from "../lib/clock.ts";
import type { DecisionItem } from "../protocol/agents.ts";
import type { AlertReason, Suppression } from "../protocol/push.ts";
import { isUrgent } from "../agents/review/rank.ts";
import type { Hub } from "../terminal/hub.ts";
import type { Transition } from "../terminal/transitions.ts";
import {
  decideAgain,
  newOccasion,
  type AlertState,
  groupParked,
  isOfPane,
  isParked,
  isSameOccasion,
  cannotBeRead,
  type PaneAlert,
  noteAlert,
  readyAt,
  reasonOf,
} from "./alert-state.ts";
import { type AlertDevice, type AlertHold, type HoldDeps, findHold } from "./hold.ts";
import {
  decisionTag,
  DIGESTS,
  type DigestReason,
  type Message,
  PARKED_TAG,
  type ShownNotification,
  SUMMARY_TAG,
  tagOf,
} from "./message.ts";

/** From an alert that did not arrive to its repetition. */
const REPEAT_AFTER_SECONDS = 300;

/** A message for one device, or why it is not alerted. */
export type AlertAction = { device: string } & (
  { message: Message } | { pane: string | null; reason: AlertReason | "decision"; why: Suppression }
);

export interface SchedulerDeps extends HoldDeps {
  devices: () => readonly AlertDevice[];
  /** Ids of all devices, also of those without an endpoint now: they may register anew. */
  registered: () => readonly string[];
  cards: { readonly ofScreens: readonly ScreenCard[] };
  hub: Pick<Hub, "isUnlisted">;
  /** Keeps over restarts which device shows which notification. */
  store: { notices: readonly ShownNotification[] };
}

/**
 * Decides for every channel which device is alerted of what, from the cards of the panes' screens.
 * It neither reads a clock nor sends. A prompt that stood at the start, or appeared while its pane
 * was not watched, has a state but never alerts. Digests and quotas have one state each, by their
 * reasons.
 */
export class AlertScheduler {
  readonly #deps: SchedulerDeps;
  readonly #states = new Map<string, AlertState>();
  /** Monotonic seconds by pane and device, for the cooldown. */
  readonly #lastAlerts = new Map<string, Map<string, number>>();
  /** Panes that were alerted before a restart and not listed since: the prompt may still stand. */
  readonly #beforeRestart: Set<string>;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#beforeRestart = new Set(deps.store.notices.flatMap(({ identities }) => identities));
  }

  /**
   * A pass without transitions changes nothing: no pane is missing since a restart, or unreadable.
   */
  get isSettled(): boolean {
    return this.#beforeRestart.size === 0 && ![...this.#states.values()].some(cannotBeRead);
  }

  /**
   * Takes the transitions of a good pass; call `due` after it. Only a transition begins an
   * occasion: the prompt of a pane that was hidden is no news.
   */
  observe(transitions: readonly Transition[], now: Moment): AlertAction[] {
    for (const { identity, pane } of transitions) {
      this.#beforeRestart.delete(identity);
      if (pane === null) this.#lastAlerts.delete(identity);
    }
    // The alerts of a machine that a person pauses end, also over a restart.
    for (const identity of this.#beforeRestart)
      if (this.#deps.hub.isUnlisted(identity)) this.#beforeRestart.delete(identity);
    const cards = this.#deps.cards.ofScreens;
    const changes = new Map(transitions.map((each) => [each.identity, each]));
    const current = new Map(cards.map((card) => [card.identity, card]));
    const ended = [...this.#states.values()].filter(isOfPane).filter((state) => {
      const card = current.get(state.card.identity);
      return !card || (changes.has(card.identity) && !isSameOccasion(state, card));
    });
    for (const { card } of ended) this.#states.delete(card.identity);
    for (const card of cards) {
      const { identity } = card;
      if (this.#states.has(identity)) continue;
      const toAlert = changes.get(identity)?.isNews ? this.#deps.registered() : [];
      this.#states.set(identity, { reason: reasonOf(card), card, ...newOccasion(toAlert, now) });
    }
    const handled = ended
      .filter(({ card, reason }) => this.#states.get(card.identity)?.reason !== reason)
      .map(({ card }) => card.identity);
    return [...ended.flatMap(endedInDwell), ...this.#withdraw(new Set(handled))];
  }

  /** Call `due` after it. */
  digest(reason: DigestReason, now: Moment): void {
    const fresh = newOccasion(this.#deps.registered(), now);
    this.#states.set(reason, { reason, card: null, ...fresh });
  }

  due(now: Moment): AlertAction[] {
    this.#refreshCards();
    return this.#deps.devices().flatMap((device) => this.#dueOn(device, now));
  }

  /** When to call `due` again without any news (monotonic seconds); Infinity: never. */
  get nextAt(): number {
    let next = Infinity;
    for (const device of this.#deps.devices())
      for (const state of this.#states.values()) next = Math.min(next, readyAt(state, device));
    return next;
  }

  /**
   * Whether an attempt to send may begin: the cause stands (for a pane the same prompt), and
   * nothing holds the alert back meanwhile. Otherwise `due` decides on it again.
   */
  mayTry(notification: ShownNotification, kind: Message["kind"], now: Moment): boolean {
    const device = this.#deps.devices().find(({ id }) => id === notification.device);
    if (!device) return false;
    this.#refreshCards();
    const states = notification.identities
      .flatMap((identity) => this.#stateOf(notification, identity) ?? [])
      .filter(
        ({ progress }) => kind !== "pane" || (progress.get(device.id)?.alertedAt ?? null) !== null,
      );
    const mayBeTold = (state: AlertState) =>
      !cannotBeRead(state) && findHold(state, device, this.#deps, { now }) === null;
    if (states.some(mayBeTold)) return true;
    for (const { progress, card } of states) {
      const known = progress.get(device.id);
      if (known) known.alertedAt = null;
      this.#lastAlerts.get(card?.identity ?? "")?.delete(device.id);
    }
    return false;
  }

  /** A device shows it now; it is withdrawn at once if its cause has ended meanwhile. */
  noteArrival(notification: ShownNotification): AlertAction[] {
    const { device, tag } = notification;
    const identities = this.#standing(notification);
    if (identities.length === 0) return [withdrawal(notification)];
    const { store } = this.#deps;
    const others = store.notices.filter((one) => one.device !== device || one.tag !== tag);
    store.notices = [...others, { ...notification, identities }];
    return [];
  }

  /** The alert has not arrived: while its cause stands it is repeated once. */
  noteLoss({ device, identities }: ShownNotification, now: Moment): void {
    for (const identity of identities) {
      // An alert that did not arrive begins no cooldown.
      this.#lastAlerts.get(identity)?.delete(device);
      const progress = this.#states.get(identity)?.progress.get(device);
      if (!progress || progress.isRepeated) continue;
      progress.isRepeated = true;
      progress.alertedAt = null;
      progress.hold = { why: "lost", at: now.monotonic + REPEAT_AFTER_SECONDS };
    }
  }

  /**
   * A decision is asked in this pane. Native devices are alerted of it at once, in place of the
   * pane's own alert; a device that is not alerted about the pane, or not yet, gets neither.
   */
  decision(decision: DecisionItem, paneId: string, now: Moment): AlertAction[] {
    const state = [...this.#states.values()].find(({ card }) => card?.pane.id === paneId);
    const isAtOnce = isUrgent(decision);
    if (state && isAtOnce) {
      state.isUrgent = true;
      state.progress.forEach(decideAgain);
    }
    const { card = { pane: { id: paneId, target: "" } }, since = now.monotonic } = state ?? {};
    const subject = { reason: "needs_input", card, since, isUrgent: isAtOnce } as const;
    const identity = state?.card?.identity ?? null;
    const tag = decisionTag(identity, decision);
    const message = { kind: "decision", tag, decision, paneId, identity } as const;
    const native = this.#deps.devices().filter(({ kind }) => kind === "apns");
    return native.map((device) => {
      const why = findHold(subject, device, this.#deps, { now })?.why ?? null;
      return why === null
        ? { device: device.id, message }
        : { device: device.id, pane: paneId, reason: "decision", why };
    });
  }

  /** Ends the holds on this device: its preferences, or the page in its view, have changed. */
  reconsider(device: string): void {
    for (const { progress } of this.#states.values()) {
      const known = progress.get(device);
      if (known) decideAgain(known);
    }
  }

  #refreshCards(): void {
    for (const card of this.#deps.cards.ofScreens) {
      const state = this.#states.get(card.identity);
      if (state && isOfPane(state) && isSameOccasion(state, card)) state.card = card;
    }
  }

  /** The occasion in one pane of a notification; one after quiet hours has several reasons. */
  #stateOf({ tag, reason }: ShownNotification, identity: string): AlertState | null {
    const state = this.#states.get(identity);
    return state && (tag === SUMMARY_TAG || state.reason === reason) ? state : null;
  }

  /** The panes of a notification whose occasion stands, or may stand since before a restart. */
  #standing(notification: ShownNotification): string[] {
    return notification.identities.filter(
      (identity) => this.#beforeRestart.has(identity) || this.#stateOf(notification, identity),
    );
  }

  /**
   * Ends notifications without a cause, also those from before a restart, and of devices that are
   * gone.
   * @param handled identities of panes whose screens ask for something of another reason, or
   * nothing
   */
  #withdraw(handled: ReadonlySet<string>): AlertAction[] {
    const { store } = this.#deps;
    const remaining = store.notices.map((one) => {
      const identities = this.#standing(one).filter((identity) => !handled.has(identity));
      return { ...one, identities };
    });
    const count = (all: readonly ShownNotification[]) =>
      all.flatMap(({ identities }) => identities).length;
    if (count(remaining) === count(store.notices)) return [];
    store.notices = remaining.filter(({ identities }) => identities.length > 0);
    return remaining.filter(({ identities }) => identities.length === 0).map(withdrawal);
  }

  #dueOn(device: AlertDevice, now: Moment): AlertAction[] {
    const actions: AlertAction[] = [];
    const afterQuiet: PaneAlert[] = [];
    const parked: PaneAlert[] = [];
    for (const state of this.#states.values()) {
      if (now.monotonic < readyAt(state, device)) continue;
      const { hold = null, alertedAt = null } = state.progress.get(device.id) ?? {};
      const wasQuiet = hold?.why === "quiet_hours";
      const identity = state.card?.identity ?? "";
      const last = this.#lastAlerts.get(identity)?.get(device.id) ?? null;
      // The cooldown does not hold a reminder, which the device asked for.
      const lastAlertAt = alertedAt === null ? last : null;
      const newHold = findHold(state, device, this.#deps, { now, lastAlertAt });
      if (newHold) actions.push(...this.#hold(newHold, state, device));
      else if (state.card === null) {
        noteAlert(state, device, now);
        actions.push({ device: device.id, message: DIGESTS[state.reason] });
      } else if (wasQuiet) afterQuiet.push(state);
      else if (isParked(state)) parked.push(state);
      else actions.push(...this.#alert([state], device, now));
    }
    const { alerts, covered } = groupParked(parked, this.#states.values(), device.id);
    return [
      ...actions,
      ...[afterQuiet, ...alerts].flatMap((group) => this.#alert(group, device, now)),
      ...covered.flatMap((each) => this.#hold({ why: "parked", at: null }, each, device)),
    ];
  }

  #hold(hold: AlertHold<Suppression>, state: AlertState, { id }: AlertDevice): AlertAction[] {
    const progress = state.progress.get(id);
    const isLogged = hold.why === "dwell" || progress?.hold?.why === hold.why;
    if (progress) progress.hold = hold;
    return isLogged ? [] : [suppress(state, id, hold.why)];
  }

  /** One alert for all of them, with the text of the first card. */
  #alert(states: readonly PaneAlert[], device: AlertDevice, now: Moment): AlertAction[] {
    const cards = states.map(({ card }) => card);
    const [first] = cards.toSorted((a, b) => a.card.rank - b.card.rank);
    if (!first) return [];
    for (const state of states) {
      noteAlert(state, device, now);
      const { identity } = state.card;
      const times = this.#lastAlerts.get(identity) ?? new Map<string, number>();
      this.#lastAlerts.set(identity, times.set(device.id, now.monotonic));
    }
    const others = states.every(isParked) ? PARKED_TAG : SUMMARY_TAG;
    const tag = states.length > 1 ? others : tagOf(first.identity);
    const identities = cards.map(({ identity }) => identity);
    return [{ device: device.id, message: { kind: "pane", tag, screen: first, identities } }];
  }
}

/** The dwell is logged only now: an alert that is sent after it was not suppressed. */
const endedInDwell = (state: AlertState): AlertAction[] =>
  [...state.progress]
    .filter(([, { hold, alertedAt }]) => hold?.why === "dwell" && alertedAt === null)
    .map(([device]) => suppress(state, device, "dwell"));

function suppress({ card, reason }: AlertState, device: string, why: Suppression): AlertAction {
  return { device, pane: card?.pane.id ?? null, reason, why };
}

function withdrawal({ device, tag, pane }: ShownNotification): AlertAction {
  return { device, message: { kind: "answered", paneId: pane, tag } };
}
