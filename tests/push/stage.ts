import { Cards } from "../../src/cards/cards.ts";
import { AlertReason } from "../../src/protocol/push.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { AlertDevice, AlertRules } from "../../src/push/hold.ts";
import { type AlertAction, AlertScheduler, type SchedulerDeps } from "../../src/push/scheduler.ts";
import {
  type BadgedMessage,
  formOf,
  type PaneMessage,
  notificationOf,
  type ShownNotification,
} from "../../src/push/message.ts";
import type { Moment } from "../../src/lib/clock.ts";
import { preferencesWith } from "../../src/push/device.ts";
import { diffPasses, NO_HISTORY, type PaneSight } from "../../src/terminal/transitions.ts";
import type { Snapshot } from "../../src/terminal/hub.ts";
import { pane, paneSight } from "../support/pane.ts";
import { Subscriber } from "../support/subscriber.ts";

/** What a phone and a browser register with. */
export const nativeFacts = (token: string) => ({
  ...{ kind: "apns" as const, token, name: "phone", platform: "ios" },
  ...{ contextual: true, grant: "anybody" },
});
export const webFacts = (endpoint: string, replaces?: string) => ({
  kind: "web" as const,
  subscription: new Subscriber().subscription(endpoint),
  ...{ name: "Firefox", origin: "https://panes.example", grant: "anybody" },
  replaces,
});

/** An alert of a pane with this state. */
export function alertOf(members: Partial<PaneState> = {}): BadgedMessage<PaneMessage> {
  const state = pane({ id: "%3", name: "api", status: "needs_input", ...members });
  const sights = [paneSight(state, "one")];
  const [screen] = screenCards(() => ({ at: 0, sights, panes: [state] })).ofScreens;
  if (!screen) throw new Error("its screen asks for nothing");
  return { kind: "pane", tag: "pane-one", screen, identities: ["one"], badge: 2 };
}

const screenCards = (snapshot: () => Pick<Snapshot, "at" | "panes" | "sights">) =>
  new Cards({
    hub: {
      get current() {
        return snapshot();
      },
    },
    groups: () => [],
  });

export const ALERT = alertOf();

export const NATIVE = deviceOf("native", { kind: "apns" });
export const WEB = deviceOf("web", { kind: "web" });

export function deviceOf(
  id: string,
  {
    preferences,
    ...members
  }: Partial<Omit<AlertDevice, "preferences">> & {
    preferences?: Partial<AlertDevice["preferences"]>;
  } = {},
): AlertDevice {
  const kind = members.kind ?? "web";
  return {
    id,
    kind,
    isConfigured: true,
    ...members,
    preferences: { ...preferencesWith(kind, { onError: true }), ...preferences },
  };
}

/** A scheduler over panes that the test sets, with real transitions between passes. */
export class SchedulerStage {
  readonly rules: AlertRules = { cooldown: 30, dwell: 2 };
  /** Kept over restarts. */
  readonly store: SchedulerDeps["store"] = { notices: [] };
  readonly present = new Set<string>();
  readonly batched = new Set<AlertReason>();
  devices: AlertDevice[];
  scheduler: AlertScheduler;
  /** Monotonic seconds, and epoch seconds unless the wall clock is set; starts at noon UTC. */
  at = Date.UTC(2026, 0, 5, 12) / 1000;
  /** Seconds by which the wall clock was set ahead. */
  wallIsAhead = 0;
  arrives = true;
  readonly #panes = new Map<string, PaneSight>();
  #past = NO_HISTORY;
  readonly #cards: Cards;

  constructor(devices: AlertDevice[] = [NATIVE, WEB]) {
    this.devices = devices;
    const snapshot = () => {
      const sights = [...this.#panes.values()];
      const shown = sights.filter(({ isShown }) => isShown);
      return { at: this.now.at, sights, panes: shown.map(({ state }) => state) };
    };
    this.#cards = screenCards(snapshot);
    this.scheduler = this.#open();
  }

  #open(): AlertScheduler {
    const deps: SchedulerDeps = {
      rules: this.rules,
      devices: () => this.devices,
      registered: () => this.devices.map(({ id }) => id),
      cards: this.#cards,
      hub: { isUnlisted: (identity) => !this.#panes.has(identity) },
      isPresent: (device) => this.present.has(device),
      isBatched: (reason) => this.batched.has(reason),
      store: this.store,
    };
    return new AlertScheduler(deps);
  }

  /** Restarts the service; panes may change meanwhile. */
  restart(): void {
    this.scheduler = this.#open();
    this.#past = NO_HISTORY;
  }

  set(identity: string, members: Partial<PaneState>): this {
    const before = this.#panes.get(identity)?.state;
    const id = `%${identity}`;
    const base = before ?? pane({ id, target: `work:1.${identity}`, status_since: this.at });
    const since = members.status && members.status !== base.status ? { status_since: this.at } : {};
    const state = { ...base, ...since, ...members };
    this.#panes.set(identity, paneSight(state, identity));
    return this;
  }

  show(identity: string, isShown: boolean): this {
    const known = this.#panes.get(identity);
    if (known) this.#panes.set(identity, { ...known, isShown });
    return this;
  }

  asks(identity: string): this {
    return this.set(identity, { status: "needs_input", prompt_since: this.at });
  }

  works(identity: string): this {
    return this.set(identity, { status: "working", prompt_since: null });
  }

  close(identity: string): this {
    this.#panes.delete(identity);
    return this;
  }

  /** Advances the clock, then makes a pass. */
  after(seconds: number): AlertAction[] {
    this.at += seconds;
    return this.pass();
  }

  pass(hasFailed = false): AlertAction[] {
    const panes = [...this.#panes.values()];
    const { past, transitions } = diffPasses(this.#past, { sights: panes, hasFailed });
    this.#past = past;
    const seen = hasFailed ? [] : this.scheduler.observe(transitions, this.now);
    return [...seen, ...this.look()];
  }

  /** Alerts that are due without a pass, and what their arrival leads to. */
  look(): AlertAction[] {
    const decisions = this.scheduler.due(this.now);
    return [...decisions, ...decisions.flatMap((each) => this.#deliver(each))];
  }

  get now(): Moment {
    return { monotonic: this.at, at: this.at + this.wallIsAhead };
  }

  #deliver(decision: AlertAction): AlertAction[] {
    const notice = noticeOf(decision);
    if (notice === null) return [];
    if (this.arrives) return this.scheduler.noteArrival(notice);
    this.scheduler.noteLoss(notice, this.now);
    return [];
  }
}

/** The notification of a pane's alert on its device. */
function noticeOf(action: AlertAction): ShownNotification | null {
  const isAlert = "message" in action && action.message.kind === "pane";
  return isAlert ? notificationOf(action.device, action.message) : null;
}

/** Actions in a few words each, for comparing. */
export function words(decisions: readonly AlertAction[]): string[] {
  return decisions.map((each) => {
    if ("why" in each) return `${each.device} ${each.pane} not: ${each.why}`;
    const { device, message } = each;
    if (message.kind === "answered") return `${device} ${message.paneId} answered`;
    if (message.kind !== "pane")
      return `${device} digest ${message.kind === "quota" ? "quota" : "review"}`;
    const others = message.identities.length - 1;
    const count = others > 0 ? ` and ${others} more` : "";
    return `${device} ${message.screen.pane.id} ${formOf(message).reason}${count}`;
  });
}
