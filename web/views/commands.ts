import { TERMINAL_SIZES, THEMES } from "../state/browser/preferences.ts";
import type { Pane } from "../model/pane.ts";
import type { Client } from "../state/client.ts";
import type { Tab } from "../state/browser/router.ts";
import type { IconName } from "../ui/icons.tsx";
import { commands as words } from "../words/commands.ts";
import { passReply, REPLY_KEY } from "./answer/pass-key.ts";
import { toggleStar } from "./pane/star.ts";
import { copyLast } from "./parts/copy.ts";

export interface Command {
  readonly label: string;
  readonly icon: IconName;
  /** Keys one after another as `KeyboardEvent.key` names them; `mod` is Cmd or Ctrl, held. */
  readonly keys: string;
  /** Only for the keyboard: the palette has better ways to do it. */
  readonly isKeyOnly?: boolean;
  /** Absent: always. */
  readonly isOffered?: (client: Client) => boolean;
  readonly run: (client: Client) => void;
}

const tab = (name: Tab, keys: string): Command => ({
  label: words[name],
  icon: name,
  keys,
  run: ({ browser: { router } }) => router.goTab(name),
});

/** The pane that is on the screen. */
export function shownPaneId({ browser }: Client): string | null {
  const { layout, router } = browser;
  const isBeside = layout.columns.value > 1 && router.openAgent.value === null;
  return router.openPane.value ?? (isBeside ? router.shownPane.value : null);
}

const hasWorkspace = ({ server: { workspace } }: Client): boolean =>
  workspace.facts.value.step === "on";

const hasReview = ({ server: { workspace } }: Client): boolean => {
  const facts = workspace.facts.value;
  return facts.step === "on" && facts.hasReview;
};

const hasPane = (client: Client): boolean => shownPaneId(client) !== null;

function withPane(run: (client: Client, pane: Pane) => void): (client: Client) => void {
  return (client) => {
    const pane = client.server.panes.latest(shownPaneId(client) ?? "");
    if (pane !== null) run(client, pane);
  };
}

function goWaiting(client: Client, step: 1 | -1): void {
  const next = client.server.nextWaiting(shownPaneId(client), step);
  if (next !== null) client.browser.router.replacePane(next.id);
}

function aboutPane(sheet: string): (client: Client) => void {
  return (client) => client.browser.router.show(sheet, shownPaneId(client));
}

function resize(step: number): (client: Client) => void {
  return ({ browser: { preferences } }) => {
    const { min, max } = TERMINAL_SIZES;
    const size = preferences.current.value.terminalSize + step;
    preferences.set({ terminalSize: Math.max(min, Math.min(max, size)) });
  };
}

/** What can be done by a key, by its name in the palette, or by both. */
export const COMMANDS = {
  search: {
    label: words.search,
    icon: "search",
    keys: "mod k",
    isKeyOnly: true,
    run: ({ browser: { router } }) => router.show("palette"),
  },
  queue: tab("queue", "g q"),
  review: {
    label: words.review,
    icon: "check",
    keys: "g r",
    isOffered: hasReview,
    run: ({ browser: { router } }) => router.goReview(),
  },
  mark: {
    label: words.mark,
    icon: "check",
    keys: "m",
    isKeyOnly: true,
    isOffered: hasReview,
    run: () => void pressIn("[data-mark]:not(:disabled)"),
  },
  agents: {
    label: words.agents,
    icon: "all",
    keys: "g e",
    isOffered: hasWorkspace,
    run: ({ browser: { router } }) => router.go("#/agents"),
  },
  timeline: {
    label: words.timeline,
    icon: "clock",
    keys: "g t",
    isOffered: hasWorkspace,
    run: ({ browser: { router } }) => router.go("#/timeline"),
  },
  plan: {
    label: words.plan,
    icon: "check",
    keys: "a",
    isOffered: (client) =>
      hasReview(client) && client.browser.router.route.value.screen === "review",
    run: ({ browser: { router } }) => router.goReview("plan"),
  },
  active: tab("active", "g a"),
  all: tab("all", "g l"),
  stats: tab("stats", "g s"),
  settings: {
    label: words.settings,
    icon: "sliders",
    keys: "mod ,",
    run: ({ browser: { router } }) => router.show("settings"),
  },
  help: {
    label: words.help,
    icon: "keyboard",
    keys: "?",
    run: ({ browser: { router } }) => router.show("shortcuts"),
  },
  nextRow: {
    label: words.nextRow,
    icon: "down",
    keys: "j",
    isKeyOnly: true,
    run: (client) => moveRow(client, 1),
  },
  previousRow: {
    label: words.previousRow,
    icon: "up",
    keys: "k",
    isKeyOnly: true,
    run: (client) => moveRow(client, -1),
  },
  nextWaiting: {
    label: words.nextWaiting,
    icon: "next",
    keys: "n",
    isOffered: (client) => client.server.nextWaiting(shownPaneId(client)) !== null,
    run: (client) => goWaiting(client, 1),
  },
  previousWaiting: {
    label: words.previousWaiting,
    icon: "back",
    keys: "p",
    isKeyOnly: true,
    run: (client) => goWaiting(client, -1),
  },
  back: {
    label: words.back,
    icon: "back",
    keys: "Escape",
    isKeyOnly: true,
    run: ({ browser: { router } }) => {
      const { value } = router.route;
      if (router.openPane.value !== null || router.openAgent.value !== null) router.back();
      else if (value.screen === "review" && value.part === "plan") router.back("#/review");
    },
  },
  filter: {
    label: words.filter,
    icon: "search",
    keys: "/",
    isKeyOnly: true,
    run: (client) => {
      if (focusOn("[data-filter]")) return;
      client.browser.router.goTab("all");
      requestAnimationFrame(() => focusOn("[data-filter]"));
    },
  },
  reply: {
    label: words.reply,
    icon: "pencil",
    keys: REPLY_KEY,
    isKeyOnly: true,
    run: () => void passReply(),
  },
  write: {
    label: words.write,
    icon: "pencil",
    keys: "i",
    isKeyOnly: true,
    run: () => void focusOn("[data-composer]"),
  },
  find: {
    label: words.find,
    icon: "search",
    keys: "mod f",
    isOffered: hasPane,
    run: ({ browser: { terminal } }) => {
      terminal.isFinding.value = true;
    },
  },
  follow: {
    label: words.follow,
    icon: "toEnd",
    keys: "f",
    isOffered: hasPane,
    run: ({ browser: { terminal } }) => {
      terminal.isFollowing.value = !terminal.isFollowing.value;
    },
  },
  wrap: {
    label: words.wrap,
    icon: "wrap",
    keys: "w",
    run: ({ browser: { preferences } }) =>
      preferences.set({ wrap: !preferences.current.value.wrap }),
  },
  smaller: { label: words.smaller, icon: "textSize", keys: "-", run: resize(-1) },
  larger: { label: words.larger, icon: "textSize", keys: "+", run: resize(1) },
  colours: {
    label: words.colours,
    icon: "screen",
    keys: "",
    run: ({ browser: { preferences } }) =>
      preferences.set({ colours: !preferences.current.value.colours }),
  },
  create: {
    label: words.create,
    icon: "plus",
    keys: "c",
    isOffered: ({ server: { config } }) => config.has("mux_create_v1"),
    run: ({ browser: { router } }) => router.show("create"),
  },
  broadcast: {
    label: words.broadcast,
    icon: "broadcast",
    keys: "b",
    run: ({ browser: { router } }) => router.show("broadcast"),
  },
  star: {
    label: words.star,
    icon: "star",
    keys: "s",
    isOffered: hasPane,
    run: withPane((client, pane) => void toggleStar(client, pane)),
  },
  copy: {
    label: words.copy,
    icon: "copy",
    keys: "y",
    isOffered: hasPane,
    run: withPane(copyLast),
  },
  explain: {
    label: words.explain,
    icon: "info",
    keys: "",
    isOffered: (client) => hasPane(client) && client.server.config.has("explain_v1"),
    run: aboutPane("explain"),
  },
  rename: {
    label: words.rename,
    icon: "pencil",
    keys: "",
    isOffered: hasPane,
    run: aboutPane("rename"),
  },
  theme: {
    label: words.theme,
    icon: "eye",
    keys: "t",
    run: ({ browser: { preferences } }) => {
      const at = THEMES.indexOf(preferences.current.value.theme);
      preferences.set({ theme: THEMES[(at + 1) % THEMES.length] ?? "system" });
    },
  },
  navigator: {
    label: words.navigator,
    icon: "sideBySide",
    keys: "[",
    isOffered: ({ browser: { layout } }) => layout.columns.value === 3,
    run: ({ browser: { layout } }) => {
      layout.hasNavigator.value = !layout.hasNavigator.value;
    },
  },
  inspector: {
    label: words.inspector,
    icon: "sideBySide",
    keys: "]",
    isOffered: ({ browser: { layout } }) => layout.columns.value === 3,
    run: ({ browser: { layout } }) => {
      layout.hasInspector.value = !layout.hasInspector.value;
    },
  },
} as const satisfies Record<string, Command>;

export type CommandId = keyof typeof COMMANDS;

const ALL: readonly Command[] = Object.values(COMMANDS);

export const isOffered = (command: Command, client: Client): boolean =>
  command.isOffered?.(client) !== false;

/** What the palette offers now. */
export const paletteCommands = (client: Client): readonly Command[] =>
  ALL.filter((command) => command.isKeyOnly !== true && isOffered(command, client));

/** The command behind keys, written as in the table. */
export const commandFor = (keys: string, client: Client): Command | null =>
  ALL.find((command) => command.keys === keys && isOffered(command, client)) ?? null;

function moveRow(client: Client, step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row], [data-away], .card-title")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const first = step > 0 ? 0 : rows.length - 1;
  const next = at < 0 ? first : at + step;
  const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
  if (row?.dataset["away"] === undefined) return row?.focus();
  client.browser.near.fetch(row);
  // Drawn before this turn ends.
  queueMicrotask(() => row.querySelector<HTMLElement>("[data-row]")?.focus());
}

/** Presses a button of the card that has the focus. */
function pressIn(selector: string): void {
  document.activeElement?.closest("article")?.querySelector<HTMLElement>(selector)?.click();
}

function focusOn(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}
