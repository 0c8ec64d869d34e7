import { computed, signal } from "@preact/signals";
import { isLike } from "../../model/stored.ts";

export const TABS = ["queue", "active", "all", "stats"] as const;
export type Tab = (typeof TABS)[number];

export const PAGE_TABS = ["screen", "chat", "changes"] as const;
export type PageTab = (typeof PAGE_TABS)[number];

/** What the main column shows beside a list. */
type BesideKind = "pane" | "agent" | "phone" | "record" | "stats" | "queue" | "pass";

export type Route =
  | { readonly screen: "tab"; readonly tab: Tab }
  /** `at`: a message of the chat, or a file of the changes. */
  | {
      readonly screen: "pane";
      readonly id: string;
      readonly tab: PageTab;
      readonly at: string | null;
    }
  | { readonly screen: "pass" }
  /** A session that is in no pane; `part`: the filter to begin with. */
  | {
      readonly screen: "agent";
      readonly id: string;
      readonly at: string | null;
      readonly part: "decisions" | null;
    }
  /** Pairing, and what a new device sees after it. */
  | { readonly screen: "phone" | "paired" }
  /** The record of acts; `query` narrows it. */
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
    case "agent":
      if (id === "") return null;
      return { screen, id, at: at || null, part: part === "decisions" ? part : null };
    // Review and the lists of sessions are addresses of earlier versions.
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

/** Leads on to its pane where it is in one. */
export const agentHash = (id: string, at = ""): string =>
  `#/agent/${encodeURIComponent(id)}${at === "" ? "" : `/chat/${encodeURIComponent(at)}`}`;

/** `at` is a message of its chat, or a file of its changes. */
export function paneHash(id: string, tab: PageTab = "screen", at = ""): string {
  const page = `#/pane/${encodeURIComponent(id)}`;
  if (tab === "screen") return page;
  return `${page}/${tab}${at === "" ? "" : `/${encodeURIComponent(at)}`}`;
}

/** Sheets that an address opens over All: the app shortcut "New", and a device. */
function sheetsOf(hash: string): readonly OpenSheet[] {
  const [, screen, id = ""] = hash.split("/").map(decode);
  if (screen === "new") return [{ name: "create", paneId: null }];
  if (screen !== "devices" || id === "") return [];
  return [
    { name: "settings-devices", paneId: null },
    { name: "settings-device", paneId: id },
  ];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export type OpenPage = Omit<Extract<Route, { readonly screen: "pane" }>, "screen">;

/** `name` is a key of the registry of sheets. */
interface OpenSheet {
  readonly name: string;
  readonly paneId: string | null;
}

/**
 * Keys of the first whole row and those below it (in case it is gone), and its offset from the top
 * in pixels.
 */
export interface ScrollPosition {
  readonly keys: readonly string[];
  readonly offset: number;
}

/**
 * The position in a terminal, which an entry keeps of one pane: its id and digests of the first lines
 * in view; the offset is the number of lines from there to the end.
 */
export const SCREEN = "screen";

type Places = Readonly<Record<string, ScrollPosition | null>>;

/** Places per history entry. */
const MAX_PLACES = 30;

/** The route is the hash; sheets are history entries, so that Back closes them. */
export class Router {
  /** A new object with every navigation. */
  readonly route = signal<Route>({ screen: "tab", tab: "queue" });
  readonly sheet = signal<OpenSheet | null>(null);
  /** The list beside a pane: the last open tab. */
  readonly tab = signal<Tab>("queue");
  /** The page beside a list: the last one opened. */
  readonly shownPage = signal<OpenPage | null>(null);
  readonly openPane = computed(() =>
    this.route.value.screen === "pane" ? this.route.value.id : null,
  );
  readonly beside = computed<BesideKind>(() => {
    const route = this.route.value;
    const { screen } = route;
    if (screen === "agent" || screen === "phone" || screen === "record") return screen;
    if (route.screen === "pass") return "pass";
    const tab = route.screen === "tab" ? route.tab : null;
    return tab === "queue" || tab === "stats" ? tab : "pane";
  });
  /** A list without panes shows no pane that was opened from another list. */
  readonly paneBeside = computed(() => {
    const hasPanes = this.tab.value === "active" || this.tab.value === "all";
    const isHere = this.beside.value === "pane" && (hasPanes || this.openPane.value !== null);
    return isHere ? (this.shownPage.value?.id ?? null) : null;
  });
  /** Counts navigations: redrawing a list in another layout is none. */
  readonly visit = signal(0);
  readonly openAgent = computed(() =>
    this.route.value.screen === "agent" ? this.route.value : null,
  );
  /** Called before a navigation, so that lists save their place in this entry. */
  readonly leaving = new Set<() => void>();
  readonly #window: Window;
  readonly #onUncover: () => void;
  #afterClose: (() => void) | null = null;
  #isClosing = false;
  #hash = "";

  /** `onUncover`: other rows have come under the finger. */
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

  /** Between pages of panes the entry is replaced: Back leads to the list. */
  goBeside(hash: string): void {
    return this.route.value.screen === "pane" ? this.replace(hash) : this.go(hash);
  }

  /** Back within the app; to `list` when the page was opened at this address. */
  back(list = `#/${this.tab.value}`): void {
    if (this.#depth > 0) this.#window.history.back();
    else this.replace(list);
  }

  /** Replaces the open sheet, or stands `above` it so that closing leads back to it. */
  show(name: string, paneId: string | null = null, how: "instead" | "above" = "instead"): void {
    const sheet: OpenSheet = { name, paneId };
    const { history } = this.#window;
    const state = { depth: this.#depth + 1, sheet, places: this.#places };
    if (this.sheet.value === null || how === "above") history.pushState(state, "");
    else history.replaceState({ ...state, depth: this.#depth }, "");
    this.#read();
  }

  /** `then` runs once the focus is back on what the sheet covered. */
  close(then: (() => void) | null = null): void {
    if (this.sheet.value === null) return then?.();
    this.#afterClose = then;
    // A second Back before the first has arrived would leave the page below, too.
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#window.history.back();
  }

  /** Call before an await: the result navigates only if the person has not gone elsewhere since. */
  here(): (lead: () => void) => void {
    const from = this.route.peek();
    return (lead) => {
      if (this.route.peek() === from) lead();
    };
  }

  /** In this history entry; null: at the top. */
  savedPosition(list: string): ScrollPosition | null {
    return this.#places[list] ?? null;
  }

  savePosition(list: string, place: ScrollPosition | null): void {
    if (JSON.stringify(this.savedPosition(list)) === JSON.stringify(place)) return;
    const { [list]: _, ...others } = this.#places;
    const places = Object.fromEntries(
      [...Object.entries(others), [list, place] as const].slice(-MAX_PLACES),
    );
    this.#window.history.replaceState({ ...this.#state, places }, "");
  }

  /** Empty where the entry was not made by this page. */
  get #state(): { readonly depth?: unknown; readonly places?: unknown } {
    const state: unknown = this.#window.history.state;
    return typeof state === "object" && state !== null ? state : {};
  }

  get #depth(): number {
    const { depth } = this.#state;
    return typeof depth === "number" ? depth : 0;
  }

  get #places(): Places {
    return (this.#state.places ?? {}) as Places;
  }

  /** `popstate`: only now is a sheet closed, whatever was navigated to meanwhile. */
  #arrive(): void {
    this.#read();
    this.#isClosing = false;
    const after = this.#afterClose;
    this.#afterClose = null;
    // After the views have removed the sheet.
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
    // Other routes leave the list as it is.
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
