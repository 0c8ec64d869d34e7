import { waits } from "../../model/pane.ts";
import { TERMINAL_SIZES, THEMES } from "../../state/browser/preferences.ts";
import type { Tab } from "../../state/browser/router.ts";
import type { Client } from "../../state/client.ts";
import { commands as words } from "../../words/commands.ts";
import { passReply, REPLY_KEY } from "../answer/pass-key.ts";
import { Stops } from "../../state/server/stops.ts";
import { hasLines, moveChange, openFile, remarkOnLine } from "../changes/keys.ts";
import { toggleStar } from "../pane/star.ts";
import { copyLast } from "../parts/copy.ts";
import { SEARCH_KEYS } from "../parts/key-caps.tsx";
import {
  aboutPane,
  buttonFor,
  focusOn,
  goBack,
  goFilter,
  goWaiting,
  hasPane,
  hasReview,
  isOffered,
  moveRow,
  pressing,
  shownPane,
  shownPaneId,
  stoppable,
  toPage,
  withPane,
  type Command,
} from "./command.ts";

const toTab = (tab: Tab) => (client: Client) => client.browser.router.goTab(tab);
const toSheet = (name: string) => (client: Client) => client.browser.router.show(name);
const hasThree = ({ browser: { layout } }: Client) => layout.columns.value === 3;
const canType = ({ server }: Client) => server.may("type");
const canCreate = (client: Client) => client.server.config.has("mux_create_v1") && canType(client);

/** A prompt whose own letter this is takes it. */
const isFree = (key: string) => (client: Client) => {
  const pane = shownPane(client);
  return pane !== null && !(waits(pane) && pane.menu.some((option) => option.key === key));
};

/**
 * Everything that a key or the palette does, in the order in which it is told. The list of all keys,
 * the palette and the keyboard read this table, so that the keys that are shown are the keys that work.
 */
export const COMMANDS: readonly Command[] = [
  { group: "go", label: words.search, keys: SEARCH_KEYS, run: toSheet("palette") },
  { group: "go", label: words.queue, icon: "queue", keys: "g q", run: toTab("queue") },
  { group: "go", label: words.queue, keys: "g r", run: toTab("queue") },
  { group: "go", label: words.active, icon: "active", keys: "g a", run: toTab("active") },
  { group: "go", label: words.all, icon: "all", keys: "g l", run: toTab("all") },
  { group: "go", label: words.stats, icon: "stats", keys: "g s", run: toTab("stats") },
  {
    group: "go",
    label: words.settings,
    icon: "sliders",
    keys: "mod ,",
    run: toSheet("settings"),
  },
  {
    group: "go",
    label: words.onYourPhone,
    icon: "phone",
    able: ({ server }) => server.config.has("phone_v1"),
    run: ({ browser: { router } }) => router.go("#/phone"),
  },
  { group: "go", label: words.help, icon: "keyboard", keys: "?", run: toSheet("shortcuts") },

  { group: "move", label: words.nextRow, keys: "j", run: (client) => moveRow(client, 1) },
  { group: "move", label: words.previousRow, keys: "k", run: (client) => moveRow(client, -1) },
  {
    group: "move",
    label: words.nextWaiting,
    icon: "next",
    keys: "n",
    when: (client) => client.server.nextWaiting(shownPaneId(client)) !== null,
    run: goWaiting(1),
  },
  {
    group: "move",
    label: words.previousWaiting,
    keys: "p",
    run: goWaiting(-1),
  },
  { group: "move", label: words.open, keys: "Enter" },
  { group: "move", label: words.back, keys: "Escape", run: goBack },
  { group: "move", label: words.filter, keys: "/", run: goFilter },
  { group: "move", label: words.column, keys: "F6" },

  { group: "answer", label: words.pick, keys: "1 to 9" },
  { group: "answer", label: words.send, keys: "Enter" },
  { group: "answer", label: words.drop, keys: "Escape" },
  { group: "answer", label: words.reply, keys: REPLY_KEY, run: () => void passReply() },
  { group: "answer", label: words.mode, keys: "a", ...betweenModes() },
  { group: "answer", label: words.leaveOpen, keys: "0" },
  { group: "answer", label: words.sendAll, keys: "mod Enter", ...pressing("send") },

  { group: "review", label: words.mark, keys: "m", able: hasReview, ...pressing("mark") },
  {
    group: "review",
    label: words.later,
    keys: "l",
    run: (client) => {
      const button = buttonFor("later");
      if (button === null) moveRow(client, 1);
      else button.click();
    },
  },
  { group: "review", label: words.files, icon: "braces", keys: "v", ...toPage("changes") },
  { group: "review", label: words.putAway, keys: "x", ...pressing("put-away") },
  { group: "review", label: words.openPane, icon: "terminal", keys: "o", ...toPage("screen") },
  { group: "review", label: words.openAgent, icon: "speech", keys: "d", ...toPage("chat") },

  { group: "pane", label: words.write, keys: "i", run: () => void focusOn("[data-composer]") },
  { group: "pane", label: words.sendMessage, keys: "mod Enter" },
  {
    group: "pane",
    label: words.stop,
    icon: "stop",
    keys: "mod .",
    when: (client) => stoppable(client) !== null,
    run: (client) => {
      const pane = stoppable(client);
      if (pane !== null) void client.server.part(Stops).press(pane);
    },
  },
  { group: "pane", label: words.newLine, keys: "Enter" },
  {
    group: "pane",
    label: words.find,
    icon: "search",
    keys: "mod f",
    when: hasPane,
    run: ({ browser: { terminal } }) => {
      terminal.isFinding.value = true;
    },
  },
  {
    group: "pane",
    label: words.follow,
    icon: "toEnd",
    keys: "f",
    when: hasPane,
    run: ({ browser: { terminal } }) => {
      terminal.isFollowing.value = !terminal.isFollowing.value;
    },
  },
  { group: "pane", label: words.wrap, icon: "wrap", keys: "w", run: toggle("wrap") },
  { group: "pane", label: words.smaller, icon: "textSize", keys: "-", run: resize(-1) },
  { group: "pane", label: words.larger, icon: "textSize", keys: "+", run: resize(1) },
  { group: "pane", label: words.colours, icon: "screen", run: toggle("colours") },

  ...inFiles([
    [words.nextFile, "j", () => openFile("next")],
    [words.previousFile, "k", () => openFile("previous")],
    [words.nextChange, "n", () => moveChange(1)],
    [words.previousChange, "p", () => moveChange(-1)],
    [words.remark, "r", remarkOnLine],
  ]),

  {
    group: "do",
    label: words.create,
    icon: "plus",
    keys: "c",
    able: canCreate,
    run: toSheet("create"),
  },
  {
    group: "do",
    label: words.broadcast,
    icon: "broadcast",
    keys: "b",
    able: canType,
    run: toSheet("broadcast"),
  },
  {
    group: "do",
    label: words.star,
    icon: "star",
    keys: "s",
    when: hasPane,
    run: withPane((client, pane) => void toggleStar(client, pane)),
  },
  {
    group: "do",
    label: words.copy,
    icon: "copy",
    keys: "y",
    when: isFree("y"),
    run: withPane(copyLast),
  },
  {
    group: "do",
    label: words.explain,
    icon: "info",
    able: ({ server: { config } }) => config.has("explain_v1"),
    when: hasPane,
    run: aboutPane("explain"),
  },
  { group: "do", label: words.rename, icon: "pencil", when: hasPane, run: aboutPane("rename") },

  {
    group: "look",
    label: words.theme,
    icon: "eye",
    keys: "t",
    run: ({ browser: { preferences } }) => {
      const at = THEMES.indexOf(preferences.current.value.theme);
      preferences.set({ theme: THEMES[(at + 1) % THEMES.length] ?? "system" });
    },
  },
  {
    group: "look",
    label: words.navigator,
    icon: "sideBySide",
    keys: "[",
    when: hasThree,
    run: ({ browser: { layout } }) => {
      layout.hasNavigator.value = !layout.hasNavigator.value;
    },
  },
  {
    group: "look",
    label: words.inspector,
    icon: "sideBySide",
    keys: "]",
    when: hasThree,
    run: ({ browser: { layout } }) => {
      layout.hasInspector.value = !layout.hasInspector.value;
    },
  },
];

/** What the palette offers now. */
export const paletteCommands = (client: Client): readonly Command[] =>
  COMMANDS.filter((command) => command.icon !== undefined && isOffered(command, client));

/** The command behind keys, written as in the table; what holds for less of the page stands further below. */
export const commandFor = (keys: string, client: Client): Command | null =>
  COMMANDS.findLast(
    (command) => command.run !== undefined && command.keys === keys && isOffered(command, client),
  ) ?? null;

function inFiles(keys: readonly (readonly [string, string, () => void])[]): Command[] {
  return keys.map(([label, key, run]) => ({
    ...{ group: "files", label, keys: key, run },
    able: ({ server }) => server.config.has("changes_v1"),
    when: hasLines,
  }));
}

/** Between answering and picking, where the head of the queue offers it. */
function betweenModes(): Pick<Command, "when" | "run"> {
  return {
    when: ({ browser: { router }, server: { picks } }) =>
      router.beside.value === "queue" && picks.isOffered.value,
    run: ({ server: { picks } }) => {
      picks.isWanted.value = !picks.isWanted.peek();
    },
  };
}

function toggle(name: "wrap" | "colours"): (client: Client) => void {
  return ({ browser: { preferences } }) =>
    preferences.set({ [name]: !preferences.current.value[name] });
}

function resize(step: number): (client: Client) => void {
  return ({ browser: { preferences } }) => {
    const { min, max } = TERMINAL_SIZES;
    const size = preferences.current.value.terminalSize + step;
    preferences.set({ terminalSize: Math.max(min, Math.min(max, size)) });
  };
}
