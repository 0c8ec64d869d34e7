import { computed, signal } from "@preact/signals";
import { isLike } from "../../model/stored.ts";

export const TABS = ["queue", "active", "all", "stats"] as const;
export type Tab = (typeof TABS)[number];

export const PAGE_TABS = ["screen", "chat", "changes"] as const;
export type PageTab = (typeof PAGE_TABS)[number];

/** A pane, a session that is in none, the selected card of the queue, or one card after another. */
export type Beside = "pane" | "agent" | "phone" | "record" | "stats" | "queue" | "pass";

export type Route =
  | { readonly screen: "tab"; readonly tab: Tab }
  /** `at`: the message that the chat is opened around, or the file of the changes. */
  | {
      readonly screen: "pane";
      readonly id: string;
      readonly tab: PageTab;
      readonly at: string | null;
    }
  | { readonly screen: "pass" }
  /** A session by itself: the page of its pane takes its place, where it is in one; `part`: the filter that is set first. */
  | {
      readonly screen: "agent";
      readonly id: string;
      readonly at: string | null;
      readonly part: "decisions" | null;
    }
  /** How a phone gets here, and what a device sees once it has. */
  | { readonly screen: "phone" | "paired" }
  /** What was done, narrowed by its query. */
  | { readonly screen: "record"; readonly query: string }
  | { readonly screen: "signin" };

export const PASS_HASH = "#/queue/one";

export function parseRoute(hash: string): Route | null {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [screen = "", id = "", part = "", at = ""] = path.split("/").map(decode);
  switch (screen) {
    case "record":
      return { screen, query };
    case "signin":
    case "phone":
    case "paired":
      return { screen };
    case "pane": {
      const known = PAGE_TABS.find((name) => name === part);
      const tab = known ?? (part === "context" ? "chat" : "screen");
      return id === "" ? null : { screen, id, tab, at: at || null };
    }
    // What was a page of its own is a tab of its pane.
    case "changes":
      return id === "" ? null : { screen: "pane", id, tab: "changes", at: part || null };
    case "agent":
      if (id === "") return null;
      return { screen, id, at: at || null, part: part === "decisions" ? part : null };
    // What was a screen of its own is a part of the queue, what was a list of its own stands in All.
    case "queue":
    case "review":
      return id === "one" ? { screen: "pass" } : { screen: "tab", tab: "queue" };
    case "agents":
    case "timeline":
      return { screen: "tab", tab: "all" };
  }
  const tab = TABS.find((name) => name === screen);
  return tab === undefined ? null : { screen: "tab", tab };
}

/** A session, around one of its messages; leads to its pane where it is in one. */
export const agentHash = (id: string, at = ""): string =>
  `#/agent/${encodeURIComponent(id)}${at === "" ? "" : `/chat/${encodeURIComponent(at)}`}`;

/** A pane under one of its tabs; `at` is a message of its chat, or a file of its changes. */
export function paneHash(id: string, tab: PageTab = "screen", at = ""): string {
  const page = `#/pane/${encodeURIComponent(id)}`;
  if (tab === "screen") return page;
  return `${page}/${tab}${at === "" ? "" : `/${encodeURIComponent(at)}`}`;
}

/** The sheets over All that an address opens: the installed app's shortcut "New", and a device. */
function sheetsOf(hash: string): readonly OpenSheet[] {
  const [, screen, id = ""] = hash.split("/").map(decode);
  if (screen === "new") return [{ name: "create", paneId: null }];
  if (screen !== "devices" || id === "") return [];
  return [
    { name: "settings-devices", paneId: null },
    { name: "settings-device", paneId: id },
  ];
}

/** Empty where it is malformed. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export type OpenPage = Omit<Extract<Route, { readonly screen: "pane" }>, "screen">;

/** What a sheet or menu is shown with; its name is looked up in the registry of sheets. */
export interface OpenSheet {
  readonly name: string;
  readonly paneId: string | null;
}

/** Where a list was left: its first whole row and those below it, should that be gone, and how far from the top it stood. */
export interface ListPlace {
  readonly keys: readonly string[];
  readonly offset: number;
}

/** The place of a terminal: the id of its pane and the first lines that are seen; how many there are from them to the end. */
export const SCREEN = "screen";

type Places = Readonly<Record<string, ListPlace | null>>;

/** So many lists of an entry keep their place. */
const MAX_PLACES = 30;

/** Where the reader is: the hash, and sheets as history entries, so that Back closes them. */
export class Router {
  /** Another object with every step and sheet. */
  readonly route = signal<Route>({ screen: "tab", tab: "queue" });
  readonly sheet = signal<OpenSheet | null>(null);
  /** The list shown beside a pane: the last tab that was open. */
  readonly tab = signal<Tab>("queue");
  /** The page shown beside a list: the last one that was opened. */
  readonly shownPage = signal<OpenPage | null>(null);
  readonly openPane = computed(() =>
    this.route.value.screen === "pane" ? this.route.value.id : null,
  );
  readonly beside = computed<Beside>(() => {
    const route = this.route.value;
    const { screen } = route;
    if (screen === "agent" || screen === "phone" || screen === "record") return screen;
    if (route.screen === "pass") return "pass";
    const tab = route.screen === "tab" ? route.tab : null;
    return tab === "queue" || tab === "stats" ? tab : "pane";
  });
  /** Beside a list that has no panes stands none that was opened from another one. */
  readonly paneBeside = computed(() => {
    const hasPanes = this.tab.value === "active" || this.tab.value === "all";
    const isHere = this.beside.value === "pane" && (hasPanes || this.openPane.value !== null);
    return isHere ? (this.shownPage.value?.id ?? null) : null;
  });
  /** Counts what was gone to: a list that is drawn in another layout has not been entered anew. */
  readonly visit = signal(0);
  readonly openAgent = computed(() =>
    this.route.value.screen === "agent" ? this.route.value : null,
  );
  /** Called before somebody leaves for another entry: lists keep their place in this one. */
  readonly leaving = new Set<() => void>();
  readonly #window: Window;
  readonly #onUncover: () => void;
  #afterClose: (() => void) | null = null;
  #isClosing = false;
  #hash = "";

  /** `onUncover` is called whenever other rows come under the finger. */
  constructor(window: Window, onUncover: () => void) {
    this.#window = window;
    this.#onUncover = onUncover;
  }

  start(destination: Tab): void {
    const { hash } = this.#window.location;
    if (parseRoute(hash) === null && sheetsOf(hash).length === 0)
      this.#window.history.replaceState(null, "", `#/${destination}`);
    this.#window.addEventListener("popstate", () => this.#arrive());
    this.#window.addEventListener("hashchange", () => this.#read());
    this.#read();
  }

  go(hash: string): void {
    if (this.#window.location.hash === hash) return;
    for (const keep of this.leaving) keep();
    // A terminal that is opened anew follows its end; lists are shared by the entries.
    const state = { depth: this.#depth + 1, places: { ...this.#places, [SCREEN]: null } };
    this.#window.history.pushState(state, "", hash);
    this.#read();
  }

  replace(hash: string): void {
    this.#window.history.replaceState(this.#window.history.state, "", hash);
    this.#read();
  }

  goPane(id: string): void {
    this.go(paneHash(id));
  }

  /** From one page of a pane to another: Back leads to the list, not through all of them. */
  goBeside(hash: string): void {
    return this.route.value.screen === "pane" ? this.replace(hash) : this.go(hash);
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
    const state = { depth: this.#depth + 1, sheet, places: this.#places };
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

  /** For what leads on once something was awaited, taken before it: it leads nobody who has gone on since. */
  here(): (lead: () => void) => void {
    const from = this.route.peek();
    return (lead) => {
      if (this.route.peek() === from) lead();
    };
  }

  /** Where a list was left in this entry of the history, or before it was gone to; null: at its top. */
  placeOf(list: string): ListPlace | null {
    return this.#places[list] ?? null;
  }

  keepPlace(list: string, place: ListPlace | null): void {
    if (JSON.stringify(this.placeOf(list)) === JSON.stringify(place)) return;
    const { [list]: _, ...others } = this.#places;
    const places = Object.fromEntries(
      [...Object.entries(others), [list, place] as const].slice(-MAX_PLACES),
    );
    this.#window.history.replaceState({ ...this.#state, places }, "");
  }

  /** What this page has put into the entry; nothing where somebody came by an address. */
  get #state(): { readonly depth?: unknown; readonly places?: unknown } {
    const state: unknown = this.#window.history.state;
    return typeof state === "object" && state !== null ? state : {};
  }

  get #depth(): number {
    const { depth } = this.#state;
    return typeof depth === "number" ? depth : 0;
  }

  get #places(): Places {
    // Only this page writes there.
    return (this.#state.places ?? {}) as Places;
  }

  /** The history has moved: only with that a sheet is closed, whatever was gone to since it was asked. */
  #arrive(): void {
    this.#read();
    this.#isClosing = false;
    const after = this.#afterClose;
    this.#afterClose = null;
    // After the views have let go of the sheet.
    if (after !== null && this.sheet.value === null) this.#window.setTimeout(after, 0);
  }

  #read(): void {
    const { location, history } = this.#window;
    const sheets = sheetsOf(location.hash);
    if (sheets.length > 0) {
      history.replaceState(history.state, "", "#/all");
      for (const { name, paneId } of sheets) this.show(name, paneId, "above");
      return;
    }
    const route = parseRoute(location.hash) ?? { screen: "tab", tab: "queue" };
    this.#onUncover();
    if (location.hash !== this.#hash) this.visit.value += 1;
    this.#hash = location.hash;
    this.route.value = route;
    this.sheet.value = readSheet(history.state);
    if (route.screen === "pane") this.shownPage.value = route;
    // A route that is no list leaves the list as it is.
    if (route.screen === "tab") this.tab.value = route.tab;
    else if (route.screen === "pass") this.tab.value = "queue";
    else if (route.screen === "record") this.tab.value = "all";
  }
}

function readSheet(state: unknown): OpenSheet | null {
  const { sheet } = Object(state);
  if (!isLike({ name: "" }, sheet)) return null;
  const { paneId } = Object(sheet);
  return { name: sheet.name, paneId: typeof paneId === "string" ? paneId : null };
}
