import type { ScreenCard } from "../cards/cards.ts";
import type { Moment } from "../lib/clock.ts";
import type { DecisionItem } from "../protocol/agents.ts";
import type { AlertReason, Suppression } from "../protocol/push.ts";
import { isUrgent } from "../agents/review/rank.ts";
import type { Hub } from "../terminal/hub.ts";
import type { Transition } from "../terminal/transitions.ts";
import {
  becomeUrgent,
  begun,
  type AlertState,
  groupParked,
  isOfPane,
  isParked,
  isSameOccasion,
  cannotBeRead,
  type PaneAlert,
  noteAlert,
  progressOf,
  readyAt,
  reasonOf,
} from "./alert-state.ts";
import { type AlertDevice, type HeldBack, type HoldDeps, heldBackBy } from "./held.ts";
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

/** After which an alert that no try has brought to a device is due there once more. */
const REPEAT_AFTER_SECONDS = 300;

/** What one device is to be told, or why it is not alerted. */
export type AlertAction = { device: string } & (
  { message: Message } | { pane: string | null; reason: AlertReason | "decision"; why: Suppression }
);

export interface SchedulerDeps extends HoldDeps {
  devices: () => readonly AlertDevice[];
  cards: { readonly ofScreens: readonly ScreenCard[] };
  hub: Pick<Hub, "isUnlisted">;
  /** Keeps over restarts which notifications still stand on which device. */
  store: { notices: readonly ShownNotification[] };
}

/**
 * Decides which device hears of what, once for every channel, from the cards that the screens of
 * panes ask for. Time, cards and transitions only come in as arguments: nothing here reads a clock or
 * sends. What stood when it was first seen, and what appeared while nobody watched, stands but never
 * alerts. Digests and quotas stand as well, by their reasons: the next takes the place of the one
 * before.
 */
export class AlertScheduler {
  readonly #deps: SchedulerDeps;
  readonly #states = new Map<string, AlertState>();
  /** When each device was last alerted about each pane (monotonic seconds), for the cooldown. */
  readonly #lastAlerts = new Map<string, Map<string, number>>();
  /** Identities that were alerted before a restart, and may stand where nobody has looked since. */
  readonly #unseen: Set<string>;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#unseen = new Set(deps.store.notices.flatMap(({ identities }) => identities));
  }

  /**
   * A pass without transitions changes nothing: what stood at the start is known, and every pane that
   * asks can be read.
   */
  get isSettled(): boolean {
    return this.#unseen.size === 0 && ![...this.#states.values()].some(cannotBeRead);
  }

  /**
   * What a good pass brought; follow it with `due`. An occasion begins with a transition alone: a
   * pane that was hidden asks for nothing new.
   */
  observe(transitions: readonly Transition[], now: Moment): AlertAction[] {
    for (const { identity, pane } of transitions) {
      this.#unseen.delete(identity);
      if (pane === null) this.#lastAlerts.delete(identity);
    }
    // A machine that somebody pauses takes its alerts along, as while the service runs.
    for (const identity of this.#unseen)
      if (this.#deps.hub.isUnlisted(identity)) this.#unseen.delete(identity);
    const cards = this.#deps.cards.ofScreens;
    const changes = new Map(transitions.map((each) => [each.identity, each]));
    const asked = new Map(cards.map((card) => [card.identity, card]));
    const ended = [...this.#states.values()].filter(isOfPane).filter((state) => {
      const card = asked.get(state.card.identity);
      return !card || (changes.has(card.identity) && !isSameOccasion(state, card));
    });
    for (const { card } of ended) this.#states.delete(card.identity);
    for (const card of cards) {
      const { identity } = card;
      if (this.#states.has(identity)) continue;
      const fresh = begun(changes.get(identity)?.isNews === true, now);
      this.#states.set(identity, { reason: reasonOf(card), card, ...fresh });
    }
    const over = ended
      .filter(({ card, reason }) => this.#states.get(card.identity)?.reason !== reason)
      .map(({ card }) => card.identity);
    return [...ended.flatMap(endedInDwell), ...this.#takeBack(new Set(over))];
  }

  /** A review digest or a quota, which no pane asks for; follow it with `due`. */
  digest(reason: DigestReason, now: Moment): void {
    this.#states.set(reason, { reason, card: null, ...begun(true, now) });
  }

  due(now: Moment): AlertAction[] {
    this.#draw();
    return this.#deps.devices().flatMap((device) => this.#dueOn(device, now));
  }

  /** When `due` has to be asked again without any news (monotonic seconds); Infinity: never. */
  get nextAt(): number {
    let next = Infinity;
    for (const device of this.#deps.devices())
      for (const state of this.#states.values()) next = Math.min(next, readyAt(state, device));
    return next;
  }

  /**
   * Whether an alert may be tried now: its cause still stands, for the alert of a pane the same
   * prompt, and nothing holds it back that did not when it was decided. What does is looked at anew.
   */
  mayTry(shown: ShownNotification, kind: Message["kind"], now: Moment): boolean {
    const device = this.#deps.devices().find(({ id }) => id === shown.device);
    if (!device) return false;
    this.#draw();
    const states = shown.identities
      .flatMap((identity) => this.#stateOf(shown, identity) ?? [])
      .filter((state) => kind !== "pane" || progressOf(state, device.id).alertedAt !== null);
    const mayBeTold = (state: AlertState) =>
      !cannotBeRead(state) && heldBackBy(state, device, this.#deps, { now }) === null;
    if (states.some(mayBeTold)) return true;
    for (const state of states) {
      progressOf(state, device.id).alertedAt = null;
      this.#lastAlerts.get(state.card?.identity ?? "")?.delete(device.id);
    }
    return false;
  }

  /** A device shows this now: it vanishes with its cause, at once where that has gone meanwhile. */
  arrived(shown: ShownNotification): AlertAction[] {
    const { device, tag } = shown;
    const standing = this.#standing(shown);
    if (standing.identities.length === 0) return [takenBack(shown)];
    const { store } = this.#deps;
    const others = store.notices.filter((one) => one.device !== device || one.tag !== tag);
    store.notices = [...others, standing];
    return [];
  }

  /** An alert has not arrived: while its cause stands it is due again, once. */
  lost({ device, identities }: ShownNotification, now: Moment): void {
    for (const identity of identities) {
      // It begins no cooldown.
      this.#lastAlerts.get(identity)?.delete(device);
      const progress = this.#states.get(identity)?.progress.get(device);
      if (!progress || progress.isRepeated) continue;
      progress.isRepeated = true;
      progress.alertedAt = null;
      progress.held = { why: "lost", at: now.monotonic + REPEAT_AFTER_SECONDS };
    }
  }

  forget(device: string): void {
    const { store } = this.#deps;
    if (store.notices.some((one) => one.device === device))
      store.notices = store.notices.filter((one) => one.device !== device);
  }

  /**
   * A decision is asked in this pane. Native devices are told of it at once, in the place of the
   * pane's own alert; one that is not alerted about the pane, or not yet, hears of neither.
   */
  decision(decision: DecisionItem, paneId: string, now: Moment): AlertAction[] {
    const state = [...this.#states.values()].find(({ card }) => card?.pane.id === paneId);
    const isNow = isUrgent(decision);
    if (state && isNow) becomeUrgent(state);
    const { card = { pane: { id: paneId, target: "" } }, since = now.monotonic } = state ?? {};
    const subject = { reason: "needs_input", card, since, isUrgent: isNow } as const;
    const identity = state?.card?.identity ?? null;
    const tag = decisionTag(identity, decision);
    const message = { kind: "decision", tag, decision, paneId, identity } as const;
    const native = this.#deps.devices().filter(({ kind }) => kind === "apns");
    return native.map((device) => {
      const why = heldBackBy(subject, device, this.#deps, { now })?.why ?? null;
      return why === null
        ? { device: device.id, message }
        : { device: device.id, pane: paneId, reason: "decision", why };
    });
  }

  /** What the device chose, or looks at, has changed: what is held back is looked at anew. */
  reconsider(device: string): void {
    for (const { progress } of this.#states.values()) {
      const held = progress.get(device)?.held;
      if (held && held.at !== null && held.why !== "lost") held.at = -Infinity;
    }
  }

  /** What stands is as its card is by now. */
  #draw(): void {
    for (const card of this.#deps.cards.ofScreens) {
      const state = this.#states.get(card.identity);
      if (state && isOfPane(state) && isSameOccasion(state, card)) state.card = card;
    }
  }

  /** What still stands in this pane; what quiet hours held back may have other reasons. */
  #stateOf({ tag, reason }: ShownNotification, identity: string): AlertState | null {
    const state = this.#states.get(identity);
    return state && (tag === SUMMARY_TAG || state.reason === reason) ? state : null;
  }

  #standing(shown: ShownNotification): ShownNotification {
    const identities = shown.identities.filter(
      (identity) => this.#unseen.has(identity) || this.#stateOf(shown, identity),
    );
    return { ...shown, identities };
  }

  /**
   * Ends the notifications that nothing stands for any more, also those from before a restart.
   *
   * @param over identities of panes whose screens ask for something of another reason, or nothing
   */
  #takeBack(over: ReadonlySet<string>): AlertAction[] {
    const { store } = this.#deps;
    const left = store.notices.map((one) => {
      const { identities } = this.#standing(one);
      return { ...one, identities: identities.filter((identity) => !over.has(identity)) };
    });
    const count = (all: readonly ShownNotification[]) =>
      all.flatMap(({ identities }) => identities).length;
    if (count(left) === count(store.notices)) return [];
    store.notices = left.filter(({ identities }) => identities.length > 0);
    return left.filter(({ identities }) => identities.length === 0).map(takenBack);
  }

  #dueOn(device: AlertDevice, now: Moment): AlertAction[] {
    const actions: AlertAction[] = [];
    const afterQuiet: PaneAlert[] = [];
    const parked: PaneAlert[] = [];
    for (const state of this.#states.values()) {
      if (now.monotonic < readyAt(state, device)) continue;
      const { held, alertedAt } = progressOf(state, device.id);
      const wasQuiet = held?.why === "quiet_hours";
      const identity = state.card?.identity ?? "";
      const last = this.#lastAlerts.get(identity)?.get(device.id) ?? null;
      // A reminder was asked for: no cooldown holds it.
      const lastAlertAt = alertedAt === null ? last : null;
      const why = heldBackBy(state, device, this.#deps, { now, lastAlertAt });
      if (why) actions.push(...this.#hold(why, state, device));
      else if (state.card === null) {
        noteAlert(state, device, now);
        actions.push({ device: device.id, message: DIGESTS[state.reason] });
      } else if (wasQuiet) afterQuiet.push(state);
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

  #hold(held: HeldBack<Suppression>, state: AlertState, { id }: AlertDevice): AlertAction[] {
    const progress = progressOf(state, id);
    const isLogged = held.why === "dwell" || progress.held?.why === held.why;
    progress.held = held;
    return isLogged ? [] : [suppress(state, id, held.why)];
  }

  /** One alert for all of them, drawn as the first of their cards. */
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

/** What ended in its dwell is logged as suppressed now: what outlives it is not suppressed by it. */
const endedInDwell = (state: AlertState): AlertAction[] =>
  [...state.progress]
    .filter(([, { held, alertedAt }]) => held?.why === "dwell" && alertedAt === null)
    .map(([device]) => suppress(state, device, "dwell"));

function suppress({ card, reason }: AlertState, device: string, why: Suppression): AlertAction {
  return { device, pane: card?.pane.id ?? null, reason, why };
}

/** The cause of an alert is gone. */
function takenBack({ device, tag, pane }: ShownNotification): AlertAction {
  return { device, message: { kind: "answered", paneId: pane, tag } };
}
