import { computed, signal } from "@preact/signals";
import type { Halves } from "./halves.ts";

export const TABS = ["queue", "active", "all", "stats"] as const;
export type Tab = (typeof TABS)[number];

/** The tabs of an agent's page. */
export const AGENT_PARTS = ["chat", "now", "timeline"] as const;
export type AgentPart = (typeof AGENT_PARTS)[number];
/** Where an agent's page opens: `decisions` is the timeline, narrowed to what was asked. */
export type AgentPlace = AgentPart | "decisions";

/** The halves of All that only the agent workspace has. */
export type SessionList = "agents" | "timeline";
/** Which half of its place the list shows. */
export type Half = "first" | SessionList;

/** A pane, a session, the selected card of the queue, or one card after another. */
export type Beside =
  "pane" | "agent" | "timeline" | "phone" | "record" | "queue" | "pass" | "changes";

export type Route =
  | { readonly screen: "tab"; readonly tab: Tab }
  | { readonly screen: "pane"; readonly id: string; readonly isContext: boolean }
  | { readonly screen: "pass" }
  | { readonly screen: "sessions"; readonly list: SessionList }
  /** `at`: a message that its chat is opened around; null: its end. */
  | {
      readonly screen: "agent";
      readonly id: string;
      readonly part: AgentPlace;
      readonly at: string | null;
    }
  /** What changed in the folder of a pane; with `path` in that file. */
  | { readonly screen: "changes"; readonly id: string; readonly path: string | null }
  /** How a phone gets here, and what a device sees once it has. */
  | { readonly screen: "phone" | "paired" }
  /** What was done, narrowed by its query. */
  | { readonly screen: "record"; readonly query: string }
  | { readonly screen: "signin" };

/** Where the cards of the queue are gone through, one by one. */
export const PASS_HASH = "#/queue/one";

export function parseRoute(hash: string): Route | null {
  const [screen, id, part, at] = hash.replace(/^#\/?/, "").split("/");
  const [place, query = ""] = screen?.split("?") ?? [];
  if (place === "record") return { screen: place, query };
  if (screen === "signin" || screen === "phone" || screen === "paired") return { screen };
  if (screen === "pane" && id) {
    const decoded = decode(id);
    if (decoded !== null) return { screen, id: decoded, isContext: part === "context" };
  }
  if (screen === "changes" && id) {
    const [decoded, path] = [decode(id), decode(part ?? "")];
    if (decoded !== null) return { screen, id: decoded, path: path || null };
  }
  // What was a screen of its own is a part of the queue.
  if (screen === "queue" || screen === "review")
    return id === "one" ? { screen: "pass" } : { screen: "tab", tab: "queue" };
  if (screen === "agents" || screen === "timeline") return { screen: "sessions", list: screen };
  if (screen === "agent" && id) {
    const decoded = decode(id);
    const known = [...AGENT_PARTS, "decisions" as const].find((name) => name === part);
    if (decoded !== null)
      return { screen, id: decoded, part: known ?? "now", at: decode(at ?? "") || null };
  }
  const tab = TABS.find((name) => name === screen);
  return tab === undefined ? null : { screen: "tab", tab };
}

export const agentHash = (id: string, part: AgentPlace = "now"): string =>
  `#/agent/${encodeURIComponent(id)}${part === "now" ? "" : `/${part}`}`;

export const changesHash = (id: string, path = ""): string =>
  `#/changes/${encodeURIComponent(id)}${path === "" ? "" : `/${encodeURIComponent(path)}`}`;

/** What the installed app's shortcut "New" opens: the sheet over All. */
const NEW_HASH = "#/new";

export const paneHash = (id: string): string => `#/pane/${encodeURIComponent(id)}`;

/** Leads to the session that is in a pane. */
export const contextHash = (id: string): string => `${paneHash(id)}/context`;

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** What a sheet or menu is shown with; its name is looked up in the registry of sheets. */
export interface OpenSheet {
  readonly name: string;
  readonly paneId: string | null;
}

export interface RouterDeps {
  readonly window: Window;
  /** Called whenever other rows come under the finger. */
  readonly onUncover: () => void;
  readonly halves: Halves;
}

/** Where the reader is: the hash, and sheets as history entries, so that Back closes them. */
export class Router {
  readonly route = signal<Route>({ screen: "tab", tab: "queue" });
  readonly sheet = signal<OpenSheet | null>(null);
  /** The list shown beside a pane: the last tab that was open. */
  readonly tab = signal<Tab>("queue");
  /** What the list of that tab shows, also while a pane or a session is open. */
  readonly half = signal<Half>("first");
  /** The pane shown beside a list: the last one that was opened. */
  readonly shownPane = signal<string | null>(null);
  readonly openPane = computed(() =>
    this.route.value.screen === "pane" ? this.route.value.id : null,
  );
  /** What stands beside a list where there is room. */
  readonly beside = computed<Beside>(() => {
    const route = this.route.value;
    const { screen } = route;
    if (screen === "agent" || screen === "phone" || screen === "changes" || screen === "record")
      return screen;
    if (route.screen === "sessions" && route.list === "timeline") return "timeline";
    if (route.screen === "pass") return "pass";
    return route.screen === "tab" && route.tab === "queue" ? "queue" : "pane";
  });
  /** Beside a list that has no panes stands none that was opened from another one. */
  readonly paneBeside = computed(() => {
    const [tab, half] = [this.tab.value, this.half.value];
    const hasPanes = tab === "active" || (tab === "all" && half === "first");
    const isHere = this.beside.value === "pane" && (hasPanes || this.openPane.value !== null);
    return isHere ? this.shownPane.value : null;
  });
  /** Counts what was gone to: a list that is drawn in another layout has not been entered anew. */
  readonly visit = signal(0);
  /** The session that is on the screen, and what it is read under. */
  readonly openAgent = computed(() =>
    this.route.value.screen === "agent" ? this.route.value : null,
  );
  readonly openChanges = computed(() =>
    this.route.value.screen === "changes" ? this.route.value : null,
  );
  /** The pane that a person has turned to, and a count of such turns: a page that loads is none. */
  readonly looked = signal<{ readonly id: string; readonly turn: number } | null>(null);
  readonly #window: Window;
  readonly #onUncover: () => void;
  readonly #halves: Halves;
  #afterClose: (() => void) | null = null;
  #isClosing = false;
  #hash = "";

  constructor({ window, onUncover, halves }: RouterDeps) {
    this.#window = window;
    this.#onUncover = onUncover;
    this.#halves = halves;
  }

  start(destination: Tab): void {
    const { hash } = this.#window.location;
    if (parseRoute(hash) === null && hash !== NEW_HASH)
      this.#window.history.replaceState(null, "", `#/${destination}`);
    this.#window.addEventListener("popstate", () => this.#turn());
    this.#window.addEventListener("hashchange", () => this.#read());
    this.#read();
  }

  go(hash: string): void {
    if (this.#window.location.hash === hash) return;
    this.#window.history.pushState({ depth: this.#depth + 1 }, "", hash);
    this.#turn();
  }

  replace(hash: string): void {
    this.#window.history.replaceState(this.#window.history.state, "", hash);
    this.#turn();
  }

  goTab(tab: Tab): void {
    this.go(`#/${tab}`);
  }

  /** Where a place of the dock leads: to the half that was shown last. */
  placeHash(tab: Tab, isThere: (half: Half) => boolean): string {
    return this.#halves.hashOf(tab, isThere);
  }

  goPane(id: string): void {
    this.go(paneHash(id));
  }

  /** From one waiting pane to the next: Back leads to the list, not through all of them. */
  replacePane(id: string): void {
    if (this.route.value.screen === "pane") this.replace(paneHash(id));
    else this.goPane(id);
  }

  /** Back where this app came from; up to `list` when the page was opened at this address. */
  back(list = `#/${this.tab.value}`): void {
    if (this.#depth > 0) this.#window.history.back();
    else this.replace(list);
  }

  /** Shows a sheet, in the place of the one that is open; `above` it, so that closing leads back to it. */
  show(name: string, paneId: string | null = null, how: "instead" | "above" = "instead"): void {
    const sheet: OpenSheet = { name, paneId };
    const { history } = this.#window;
    const state = { depth: this.#depth + 1, sheet };
    if (this.sheet.value === null || how === "above") history.pushState(state, "");
    else history.replaceState({ ...state, depth: this.#depth }, "");
    this.#read();
  }

  /** Closes the open sheet; `then` runs once what it covered takes focus again. */
  close(then: (() => void) | null = null): void {
    if (this.sheet.value === null) return then?.();
    this.#afterClose = then;
    // A second tap before the history has moved would leave what is below the sheet too.
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#window.history.back();
  }

  get #depth(): number {
    const state: unknown = this.#window.history.state;
    const depth: unknown =
      typeof state === "object" && state !== null ? Reflect.get(state, "depth") : 0;
    return typeof depth === "number" ? depth : 0;
  }

  /** A person goes somewhere. */
  #turn(): void {
    const before = this.openPane.peek();
    this.#read();
    const id = this.openPane.peek();
    if (id !== null && id !== before)
      this.looked.value = { id, turn: (this.looked.peek()?.turn ?? 0) + 1 };
  }

  #read(): void {
    this.#isClosing = false;
    const { location, history } = this.#window;
    if (location.hash === NEW_HASH) {
      history.replaceState(history.state, "", "#/all");
      return this.show("create");
    }
    const route = parseRoute(location.hash) ?? { screen: "tab", tab: "queue" };
    this.#onUncover();
    if (location.hash !== this.#hash) this.visit.value += 1;
    this.#hash = location.hash;
    this.route.value = route;
    this.sheet.value = readSheet(history.state);
    this.#readList(route);
    if (route.screen === "pane") this.shownPane.value = route.id;
    const after = this.#afterClose;
    this.#afterClose = null;
    // After the views have let go of the sheet.
    if (after !== null && this.sheet.value === null) this.#window.setTimeout(after, 0);
  }

  /** A route that is no list leaves the list as it is. */
  #readList(route: Route): void {
    if (route.screen === "tab") {
      this.tab.value = route.tab;
      this.half.value = "first";
    } else if (route.screen === "pass") {
      this.tab.value = "queue";
      this.half.value = "first";
    } else if (route.screen === "record") {
      // A place in All that is not its half: what was shown there comes back.
      this.tab.value = "all";
      return;
    } else if (route.screen === "sessions") {
      this.tab.value = "all";
      this.half.value = route.list;
    } else return;
    this.#halves.keep(this.tab.peek(), this.half.peek());
  }
}

function readSheet(state: unknown): OpenSheet | null {
  if (typeof state !== "object" || state === null) return null;
  const sheet: unknown = Reflect.get(state, "sheet");
  if (typeof sheet !== "object" || sheet === null) return null;
  const name: unknown = Reflect.get(sheet, "name");
  const paneId: unknown = Reflect.get(sheet, "paneId");
  if (typeof name !== "string") return null;
  return { name, paneId: typeof paneId === "string" ? paneId : null };
}
