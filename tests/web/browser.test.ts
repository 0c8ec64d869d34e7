import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { effect, signal } from "@preact/signals";
import { VERSION } from "../../src/protocol/version.ts";
import type { Pane } from "../../web/model/pane.ts";
import { INITIAL, SLEEP_AFTER_MS } from "../../web/net/connection.ts";
import { followVisibility } from "../../web/state/app-effects.ts";
import { stepAlerts } from "../../web/state/server/alerts.ts";
import {
  OwnDevice,
  parsePreferences,
  PreferenceStore,
} from "../../web/state/browser/preferences.ts";
import { Router } from "../../web/state/browser/router.ts";
import { Shell } from "../../web/state/browser/shell.ts";
import { Touch } from "../../web/state/browser/touch.ts";
import { waitText } from "../../web/words/common.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { elapse, serverOf } from "../support/page-server.ts";
import { pane } from "../support/pane.ts";

/** Milliseconds of waiting, or an event with its members. */
type TouchStep = number | readonly [type: string, members?: object];
const SCROLLS = Array.from({ length: 10 }, (): TouchStep[] => [150, ["scroll"]]).flat();

test.each<[string, TouchStep[], number]>([
  ["nothing was touched, whatever scrolls by itself", [["scroll"]], Infinity],
  ["a button is down", [["pointerdown", { pointerType: "mouse", button: 0 }], 5000], 0],
  ["it came up", [["pointerdown", { pointerType: "mouse", button: 0 }], ["pointerup"], 700], 700],
  // The menu of a right click swallows its end.
  ["a right click", [["pointerdown", { pointerType: "mouse", button: 2 }], 1200], 1200],
  ["scrolling follows a hand", [["wheel"], ...SCROLLS], 0],
  ["scrolling has paused and goes on", [["wheel"], ...SCROLLS, 250, ["scroll"]], 250],
  [
    "a touch has ended, and another one is cancelled",
    [["touchstart", { touches: [1] }], ["touchend", { touches: [] }], 900, ["touchcancel"]],
    900,
  ],
])("how long the screen is untouched when %s", (_, steps, untouchedMs) => {
  Reflect.set(globalThis, "TouchEvent", Event);
  try {
    const window = new EventTarget();
    let nowMs = 10_000;
    const touch = new Touch(() => nowMs);
    touch.watch(window as unknown as Window);
    for (const step of steps) {
      if (typeof step === "number") nowMs += step;
      else window.dispatchEvent(Object.assign(new Event(step[0]), step[1]));
    }
    expect(touch.untouchedMs()).toBe(untouchedMs);
  } finally {
    Reflect.deleteProperty(globalThis, "TouchEvent");
  }
});

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A page that the test hides and shows, and what becomes of its connection. */
function page({ isHidden = false, hasAlerts = false } = {}) {
  const isVisible = signal(!isHidden);
  const connection = signal({ ...INITIAL, asleep: false });
  const calls: string[] = [];
  const call = (name: string, asleep: boolean) => () => {
    calls.push(name);
    connection.value = { ...INITIAL, asleep };
  };
  const followed = { follow: () => {} };
  followVisibility(
    serverOf({
      ...{ connection, phase: signal("live"), panes: { ageMs: () => 0 } },
      drafts: { ...followed, saveAll: () => {} },
      ...{ outbox: { restore: () => {} }, queue: { enter: () => {} } },
      link: {
        sleep: call("sleep", true),
        start: call("start", false),
        refresh: call("refresh", false),
      },
      follow: (run: () => void) => void effect(run),
      browser: {
        ...{ isVisible, device: followed, shell: { check: () => {} }, touch: { shield: () => {} } },
        preferences: { ...followed, current: signal({ sound: hasAlerts, vibrate: false }) },
      },
    }),
  );
  return { isVisible, calls };
}

/** Hides or shows the page, and then waits so many milliseconds. */
type Step = readonly ["hide" | "show" | "wait", number];
const ASLEEP: Step = ["hide", SLEEP_AFTER_MS];

const PAGES: readonly (readonly [string, Parameters<typeof page>[0], readonly Step[], string])[] = [
  ["was hidden for a while sleeps", {}, [ASLEEP], "sleep"],
  ["is shown again reconnects", {}, [ASLEEP, ["show", 0]], "sleep start"],
  [
    "is shown again in time looks once",
    {},
    [
      ["hide", SLEEP_AFTER_MS - 1],
      ["show", SLEEP_AFTER_MS],
    ],
    "refresh",
  ],
  ["begins hidden sleeps", { isHidden: true }, [["wait", SLEEP_AFTER_MS]], "sleep"],
  ["gives alerts stays awake", { hasAlerts: true }, [ASLEEP], ""],
  ["is visible from the start does nothing", {}, [["wait", SLEEP_AFTER_MS]], ""],
];

test.each(PAGES)("the connection of a page that %s", (_, options, steps, did) => {
  const { isVisible, calls } = page(options);
  for (const [act, afterMs] of steps) {
    if (act !== "wait") isVisible.value = act === "show";
    jest.advanceTimersByTime(afterMs);
  }
  expect(calls.join(" ")).toBe(did);
});

test("without a service worker the server's version tells that the page is out of date", () => {
  const shell = new Shell({ navigator: {} } as Window, () => {});
  shell.learn(VERSION);
  expect(shell.hasUpdate.value).toBe(false);
  shell.learn("99.0.0");
  expect(shell.hasUpdate.value).toBe(true);
});

test("Reload reloads after five seconds on a network that hangs", async () => {
  let reloads = 0;
  const update = () => new Promise(() => undefined);
  const registration = { update, installing: null, waiting: null };
  const window = {
    navigator: { serviceWorker: { getRegistration: async () => registration } },
    location: { reload: () => void reloads++ },
  };
  // The shell uses no other members of a window here.
  void new Shell(window as unknown as Window, () => {}).applyUpdate();
  await elapse(5000);
  expect(reloads).toBe(1);
});

const waiting = (...ids: string[]) => ids.map((id) => pane({ id, status: "needs_input" }));
const ids = (panes: readonly { id: string }[]) => panes.map(({ id }) => id);

test("a pane that stops waiting ends its alert, and gives a new one when it waits again", () => {
  const first = stepAlerts(null, waiting("a", "b"));
  const second = stepAlerts(first.alerted, waiting("b"));
  expect(second.over).toEqual(["a"]);
  expect(ids(stepAlerts(second.alerted, waiting("a", "b")).fresh)).toEqual(["a"]);
});

test("a waiting pane that fails gives a new alert without ending the old one, and the other way round", () => {
  const failed = [pane({ id: "a", status: "error" })];
  const first = stepAlerts(stepAlerts(null, []).alerted, waiting("a"));
  const second = stepAlerts(first.alerted, failed);
  expect([ids(second.fresh), second.over]).toEqual([["a"], []]);
  expect(stepAlerts(second.alerted, failed).fresh).toEqual([]);
  expect(ids(stepAlerts(second.alerted, waiting("a")).fresh)).toEqual(["a"]);
});

test("agents that one limit parks in separate passes give one alert", () => {
  const parked = (id: string, until: number | null, since = 0, agent = "agent_a") =>
    pane({
      id,
      ...{ status: "error", status_since: since, agent: { id: agent, label: agent } },
      parked: { reason: "limit", until, continues: false },
    });
  const told = stepAlerts(null, [parked("a", 5000), parked("n", null)]).alerted;
  const freshOf = (next: Pane) => ids(stepAlerts(told, [parked("a", 5000), next]).fresh);
  // Notices of one limit name times some minutes apart, or none.
  expect([freshOf(parked("b", 5200)), freshOf(parked("b", null, 1800))]).toEqual([[], []]);
  for (const other of [
    parked("b", 50_000),
    parked("b", 5200, 0, "agent_b"),
    parked("b", null, 50_000),
    pane({ id: "b", status: "error" }),
  ])
    expect(freshOf(other)).toEqual(["b"]);
});

test("tabs of one browser have the same preferences and the same device, also one that was frozen", () => {
  const storage = new MemoryStorage();
  const tab = () => ({ preferences: new PreferenceStore(storage), device: new OwnDevice(storage) });
  const [here, there] = [tab(), tab()];
  here.preferences.set({ wrap: false });
  here.device.write({ id: "phone", server: null });
  const told = () => [there.preferences.current.value.wrap, there.device.id.value];
  expect(told()).toEqual([true, null]);
  there.preferences.follow();
  there.device.follow();
  expect(told()).toEqual([false, "phone"]);
  here.preferences.set({ wrap: true });
  here.device.write(null);
  there.preferences.follow();
  there.device.follow();
  expect(told()).toEqual([true, null]);
});

test("an invalid preference falls back alone", () => {
  const stored = {
    theme: "mauve",
    wrap: false,
    terminalSize: 99,
    snippets: ["a", 1],
    keys: ["Up"],
  };
  expect(parsePreferences(JSON.stringify({ ...stored, unknown: 1 }))).toEqual({
    ...parsePreferences(null),
    wrap: false,
    keys: ["Up"],
  });
  for (const text of [null, "", "nonsense", "3", "null"])
    expect(parsePreferences(text)).toEqual(parsePreferences(null));
});

test.each([
  [-3, "now"],
  [4.9, "now"],
  [5, "5 s"],
  [48.7, "48 s"],
  [60, "1 min"],
  [3599, "59 min"],
  [3600, "1 h"],
  [7500, "2 h 5 min"],
  [86_399, "23 h 59 min"],
  [86_400, "1 day"],
  [200_000, "2 days"],
])("%p seconds are shown as %p", (seconds, words) => {
  expect(waitText(seconds)).toBe(words);
});

/** A window whose history goes back later, as browsers do. */
function openHistory() {
  const entries: { state: unknown; hash: string }[] = [{ state: null, hash: "#/all" }];
  const at = () => entries.at(-1) ?? { state: null, hash: "" };
  const steps: (() => void)[] = [];
  const history = {
    get state() {
      return at().state;
    },
    pushState: (state: unknown, _: string, hash = at().hash) => void entries.push({ state, hash }),
    replaceState: (state: unknown, _: string, hash = at().hash) =>
      void Object.assign(at(), { state, hash }),
    back: () => void steps.push(() => entries.pop()),
  };
  const location = {
    get hash() {
      return at().hash;
    },
  };
  const window = Object.assign(new EventTarget(), { history, location, setTimeout });
  // A router uses no other members of a window.
  const router = new Router(window as unknown as Window, () => {});
  router.start("all");
  const arrive = () => {
    for (const step of steps.splice(0)) {
      step();
      window.dispatchEvent(new Event("popstate"));
    }
    jest.advanceTimersByTime(1);
  };
  return { router, arrive };
}

test("an action behind the closing of a sheet runs once the sheet is closed, also when the address changes", () => {
  const { router, arrive } = openHistory();
  router.show("palette");
  const did: string[] = [];
  router.close(() => void did.push("opened"));
  router.replace("#/paired");
  // The second of two taps closes nothing more.
  router.close(() => void did.push("opened"));
  expect(did).toEqual([]);
  arrive();
  expect(router.sheet.value).toBeNull();
  expect(router.route.value).toEqual({ screen: "tab", tab: "all" });
  expect(did).toEqual(["opened"]);
});
