import { TERMINAL_SIZES, THEMES } from "../state/preferences.ts";
import type { Pane } from "../model/pane.ts";
import type { Client } from "../state/client.ts";
import type { Tab } from "../state/router.ts";
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
  run: ({ router }) => router.goTab(name),
});

/** The pane that is on the screen. */
export function shownPaneId({ layout, router }: Client): string | null {
  return router.openPane.value ?? (layout.columns.value > 1 ? router.shownPane.value : null);
}

const hasPane = (client: Client): boolean => shownPaneId(client) !== null;

function withPane(run: (client: Client, pane: Pane) => void): (client: Client) => void {
  return (client) => {
    const pane = client.panes.latest(shownPaneId(client) ?? "");
    if (pane !== null) run(client, pane);
  };
}

function goWaiting(client: Client, step: 1 | -1): void {
  const next = client.nextWaiting(shownPaneId(client), step);
  if (next !== null) client.router.replacePane(next.id);
}

function aboutPane(sheet: string): (client: Client) => void {
  return (client) => client.router.show(sheet, shownPaneId(client));
}

function resize(step: number): (client: Client) => void {
  return ({ preferences }) => {
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
    run: ({ router }) => router.show("palette"),
  },
  queue: tab("queue", "g q"),
  active: tab("active", "g a"),
  all: tab("all", "g l"),
  stats: tab("stats", "g s"),
  settings: {
    label: words.settings,
    icon: "sliders",
    keys: "mod ,",
    run: ({ router }) => router.show("settings"),
  },
  help: {
    label: words.help,
    icon: "keyboard",
    keys: "?",
    run: ({ router }) => router.show("shortcuts"),
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
    isOffered: (client) => client.nextWaiting(shownPaneId(client)) !== null,
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
    run: ({ router }) => {
      if (router.openPane.value !== null) router.back();
    },
  },
  filter: {
    label: words.filter,
    icon: "search",
    keys: "/",
    isKeyOnly: true,
    run: (client) => {
      if (focusOn("[data-filter]")) return;
      client.router.goTab("all");
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
    run: ({ terminal }) => {
      terminal.isFinding.value = true;
    },
  },
  follow: {
    label: words.follow,
    icon: "toEnd",
    keys: "f",
    isOffered: hasPane,
    run: ({ terminal }) => {
      terminal.isFollowing.value = !terminal.isFollowing.value;
    },
  },
  wrap: {
    label: words.wrap,
    icon: "wrap",
    keys: "w",
    run: ({ preferences }) => preferences.set({ wrap: !preferences.current.value.wrap }),
  },
  smaller: { label: words.smaller, icon: "textSize", keys: "-", run: resize(-1) },
  larger: { label: words.larger, icon: "textSize", keys: "+", run: resize(1) },
  colours: {
    label: words.colours,
    icon: "screen",
    keys: "",
    run: ({ preferences }) => preferences.set({ colours: !preferences.current.value.colours }),
  },
  create: {
    label: words.create,
    icon: "plus",
    keys: "c",
    isOffered: ({ config }) => config.has("mux_create_v1"),
    run: ({ router }) => router.show("create"),
  },
  broadcast: {
    label: words.broadcast,
    icon: "broadcast",
    keys: "b",
    run: ({ router }) => router.show("broadcast"),
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
    isOffered: (client) => hasPane(client) && client.config.has("explain_v1"),
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
    run: ({ preferences }) => {
      const at = THEMES.indexOf(preferences.current.value.theme);
      preferences.set({ theme: THEMES[(at + 1) % THEMES.length] ?? "system" });
    },
  },
  navigator: {
    label: words.navigator,
    icon: "sideBySide",
    keys: "[",
    isOffered: ({ layout }) => layout.columns.value === 3,
    run: ({ layout }) => {
      layout.hasNavigator.value = !layout.hasNavigator.value;
    },
  },
  inspector: {
    label: words.inspector,
    icon: "sideBySide",
    keys: "]",
    isOffered: ({ layout }) => layout.columns.value === 3,
    run: ({ layout }) => {
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
  client.near.fetch(row);
  // Drawn before this turn ends.
  queueMicrotask(() => row.querySelector<HTMLElement>("[data-row]")?.focus());
}

function focusOn(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}
