import type { AlertReason, Suppression } from "../protocol/push.ts";
import { type PaneSight, type Transition, wasWatched } from "../terminal/transitions.ts";
import { answered, type Decision, suppress } from "./decision.ts";
import { type AlertRules, judge, type Verdict } from "./judge.ts";
import { LastAlerts } from "./last-alerts.ts";
import { type Message, PARKED_TAG } from "./message.ts";
import { type Notice, Notices } from "./notices.ts";
import { type DigestReason, type Moment, type Occasion, standingOf, tagOf } from "./occasion.ts";
import { groupParked, isParked, type ParkedStanding } from "./parked.ts";
import {
  type LedgerDevice,
  noteLost,
  noteAlerted,
  progressOf,
  readyAt,
  type Standing,
} from "./standing.ts";

/** Tag of the one alert that stands for all panes that quiet hours held back. */
const SUMMARY_TAG = "waiting";

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

/**
 * Decides which device hears of what, once for every channel. Time and transitions only come in as
 * arguments: nothing here reads a clock or sends. What stood when it was first seen, and what
 * appeared while nobody watched, stands but never alerts. Digests and quotas stand as well, by
 * their reasons: the next takes the place of the one before.
 */
export class Ledger {
  readonly #deps: LedgerDeps;
  readonly #notices: Notices;
  readonly #standing = new Map<string, Standing>();
  readonly #lastAlerts = new LastAlerts();
  #hasStarted = false;

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#notices = new Notices(deps.notices);
  }

  get notices(): Pick<Notices, "all" | "removeDevice" | "revision"> {
    return this.#notices;
  }

  /** What stood at the start is known. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** The pane with this id if anything stands there that may alert; else null. */
  standing(paneId: string): PaneSight | null {
    return this.#ofPane(paneId)?.occasion.pane ?? null;
  }

  /** How many panes wait for a person. */
  get waiting(): number {
    const all = [...this.#standing.values()];
    return all.filter(({ occasion }) => occasion.reason === "needs_input").length;
  }

  /** What one good pass brought; follow it with `due`. */
  observe(transitions: readonly Transition[], now: Moment): Decision[] {
    const decisions = transitions.flatMap((transition) => this.#follow(transition, now));
    if (this.#hasStarted) return decisions;
    this.#hasStarted = true;
    return [...decisions, ...this.#endWhatIsOver()];
  }

  /** A review digest or a quota, which no pane asks for; follow it with `due`. */
  digest(reason: DigestReason, now: Moment): void {
    this.#stand(reason, { reason, pane: null, key: "", since: now.monotonic, isNews: true });
  }

  /** What is due at this moment. */
  due(now: Moment): Decision[] {
    return this.#deps.devices().flatMap((device) => this.#dueOn(device, now));
  }

  /** When `due` has to be asked again without any news (monotonic seconds); Infinity: never. */
  get nextAt(): number {
    let next = Infinity;
    const devices = this.#deps.devices();
    for (const standing of this.#standing.values())
      for (const device of devices) next = Math.min(next, readyAt(standing, device));
    return next;
  }

  /**
   * Whether an alert may be tried now: its cause still stands, for the alert of a pane the same
   * prompt, and nothing holds it back that did not when it was decided. What does is looked at anew.
   */
  mayTry(notice: Notice, kind: Message["kind"], now: Moment): boolean {
    const device = this.#deps.devices().find(({ id }) => id === notice.device);
    if (!device) return false;
    const causes = notice.identities
      .flatMap((identity) => this.#causeOf(notice, identity) ?? [])
      .filter((cause) => kind !== "pane" || progressOf(cause, device.id).alertedAt !== null);
    const isDue = causes.some((cause) => this.#judge(cause, device, now, null).is === "due");
    if (isDue) return true;
    for (const cause of causes) {
      progressOf(cause, device.id).alertedAt = null;
      this.#lastAlerts.forget(cause.occasion.pane?.identity ?? "", device.id);
    }
    return false;
  }

  /** A device shows this now: it vanishes with its cause, at once where that has gone meanwhile. */
  arrived(notice: Notice): Decision[] {
    const identities = notice.identities.filter((identity) => this.#causeOf(notice, identity));
    if (identities.length === 0) return [answered(notice)];
    this.#notices.add({ ...notice, identities });
    return [];
  }

  /** An alert has not arrived: while its cause stands it is due again, once. */
  lost({ device, identities }: Notice, now: Moment): void {
    for (const identity of identities) {
      const progress = this.#standing.get(identity)?.progress.get(device);
      this.#lastAlerts.forget(identity, device);
      if (progress) noteLost(progress, now.monotonic);
    }
  }

  /** An agent itself calls what this pane asks high or critical. */
  markUrgent(paneId: string): void {
    const standing = this.#ofPane(paneId);
    if (!standing) return;
    standing.isUrgent = true;
    for (const progress of standing.progress.values()) {
      if (progress.never === "batching") progress.never = null;
      progress.held = null;
    }
  }

  /**
   * Why a device is not alerted at once about a decision that this pane asks for; null: it is. A
   * device that is not alerted about the pane, or not yet, is not alerted about its decision.
   */
  whyNotDecision(
    device: LedgerDevice,
    paneId: string,
    isUrgent: boolean,
    now: Moment,
  ): Suppression | null {
    const standing = this.#ofPane(paneId);
    const verdict = judge({
      reason: "needs_input",
      target: standing?.occasion.pane?.target ?? "",
      since: standing?.occasion.since ?? now.monotonic,
      device,
      rules: this.#deps.rules(),
      now,
      lastAlertAt: null,
      isPresent: this.#deps.isPresent(device.id, paneId),
      isBatched: !isUrgent && this.#deps.isBatched("needs_input"),
      isUrgent,
    });
    return verdict.is === "due" ? null : verdict.why;
  }

  /** What the device chose, or looks at, has changed: what is held back is looked at anew. */
  reconsider(device: string): void {
    for (const { progress } of this.#standing.values()) {
      const held = progress.get(device)?.held;
      if (held && held.why !== "lost") held.at = -Infinity;
    }
  }

  /** What still stands in one of the notice's panes; one alert for several may have other reasons. */
  #causeOf({ identities, reason }: Notice, identity: string): Standing | null {
    const standing = this.#standing.get(identity);
    return standing && (identities.length > 1 || standing.occasion.reason === reason)
      ? standing
      : null;
  }

  #ofPane(paneId: string): Standing | undefined {
    return [...this.#standing.values()].find(({ occasion }) => occasion.pane?.id === paneId);
  }

  #stand(name: string, occasion: Occasion): void {
    this.#standing.set(name, { occasion, isUrgent: false, progress: new Map() });
  }

  #follow(transition: Transition, now: Moment): Decision[] {
    const { pane } = transition;
    const { identity } = pane;
    if (transition.kind === "gone") this.#lastAlerts.forgetPane(identity);
    const found = transition.kind === "gone" ? null : standingOf(pane);
    if (!found) return this.#end(identity, () => true);
    const known = this.#standing.get(identity);
    if (known?.occasion.key === found.key) {
      known.occasion = { ...known.occasion, ...found, pane };
      return [];
    }
    // A notice of the same reason stays true until the next one takes its place.
    const decisions = this.#end(identity, (notice) => notice.reason !== found.reason);
    const isNews = wasWatched(transition);
    this.#stand(identity, { ...found, pane, since: now.monotonic, isNews });
    return decisions;
  }

  /** Of what was alerted before a restart, what does not stand any more. */
  #endWhatIsOver(): Decision[] {
    const identities = new Set(this.#notices.all.flatMap((notice) => notice.identities));
    return [...identities].flatMap((identity) => {
      const reason = this.#standing.get(identity)?.occasion.reason;
      return this.#vanish(identity, (notice) => notice.reason !== reason);
    });
  }

  #end(identity: string, isOver: (notice: Notice) => boolean): Decision[] {
    const standing = this.#standing.get(identity);
    this.#standing.delete(identity);
    return [...this.#endedInDwell(standing), ...this.#vanish(identity, isOver)];
  }

  #vanish(identity: string, isOver: (notice: Notice) => boolean): Decision[] {
    return this.#notices.handled(identity, isOver).map(answered);
  }

  // What ended in its dwell is logged as suppressed now: what outlives it is not suppressed by it.
  #endedInDwell(standing: Standing | undefined): Decision[] {
    if (!standing) return [];
    return [...standing.progress].flatMap(([device, { held, alertedAt }]) =>
      held?.why === "dwell" && alertedAt === null ? [suppress(standing, device, "dwell")] : [],
    );
  }

  #dueOn(device: LedgerDevice, now: Moment): Decision[] {
    const decisions: Decision[] = [];
    const afterQuiet: Standing[] = [];
    const parked: ParkedStanding[] = [];
    for (const standing of this.#standing.values()) {
      if (now.monotonic < readyAt(standing, device)) continue;
      const { held, alertedAt } = progressOf(standing, device.id);
      const wasQuiet = held?.why === "quiet_hours";
      // A reminder was asked for: no cooldown holds it.
      const lastAlertAt =
        alertedAt === null ? this.#lastAlerts.at(standing.occasion.pane, device.id) : null;
      const verdict = this.#judge(standing, device, now, lastAlertAt);
      if (verdict.is === "due" && wasQuiet && standing.occasion.pane) afterQuiet.push(standing);
      else if (verdict.is === "due" && isParked(standing)) parked.push(standing);
      else decisions.push(...this.#apply(verdict, standing, device, now));
    }
    const { alerts, quiet } = groupParked(parked, this.#standing.values(), device.id);
    return [
      ...decisions,
      ...this.#alert(afterQuiet, device, now),
      ...alerts.flatMap((group) => this.#alert(group, device, now)),
      ...quiet.flatMap((each) => this.#apply({ is: "never", why: "parked" }, each, device, now)),
    ];
  }

  #judge(
    { occasion, isUrgent }: Standing,
    device: LedgerDevice,
    now: Moment,
    lastAlertAt: number | null,
  ): Verdict {
    const { pane, reason, since } = occasion;
    return judge({
      reason,
      target: pane?.target ?? null,
      since,
      device,
      rules: this.#deps.rules(),
      now,
      lastAlertAt,
      isPresent: pane !== null && this.#deps.isPresent(device.id, pane.id),
      isBatched: !isUrgent && this.#deps.isBatched(reason),
      isUrgent,
    });
  }

  #apply(verdict: Verdict, standing: Standing, device: LedgerDevice, now: Moment): Decision[] {
    if (verdict.is === "due") return this.#alert([standing], device, now);
    const progress = progressOf(standing, device.id);
    const { why } = verdict;
    const isLogged = why === "dwell" || progress.held?.why === why;
    if (verdict.is === "later") progress.held = { why, at: verdict.at };
    else progress.never = why;
    return isLogged ? [] : [suppress(standing, device.id, why)];
  }

  /** One alert for all of them. */
  #alert(standings: readonly Standing[], device: LedgerDevice, now: Moment): Decision[] {
    for (const standing of standings) noteAlerted(progressOf(standing, device.id), now.monotonic);
    const panes = standings.flatMap(({ occasion }) => occasion.pane ?? []);
    for (const pane of panes) this.#lastAlerts.note(pane, device.id, now.monotonic);
    const [oldest] = [...standings].sort((a, b) => a.occasion.since - b.occasion.since);
    if (!oldest) return [];
    const { pane, reason } = oldest.occasion;
    if (pane === null) return [{ do: "digest", device: device.id, reason }];
    const identities = panes.map(({ identity }) => identity);
    const summary = standings.every(isParked) ? PARKED_TAG : SUMMARY_TAG;
    const tag = identities.length > 1 ? summary : tagOf(pane.identity);
    return [{ do: "alert", device: device.id, tag, pane, reason, identities }];
  }
}
