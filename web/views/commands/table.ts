import { waits } from "../../model/pane.ts";
import { TERMINAL_SIZES, THEMES } from "../../state/browser/preferences.ts";
import type { Tab } from "../../state/browser/router.ts";
import type { Client } from "../../state/client.ts";
import { passReply, REPLY_KEY } from "../answer/pass-key.ts";
import { Stops } from "../../state/server/stops.ts";
import { hasLines, moveChange, openFile, remarkOnLine } from "../changes/keys.ts";
import { toggleStar } from "../pane/menu.tsx";
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
  { group: "go", label: "Search or run", keys: SEARCH_KEYS, run: toSheet("palette") },
  { group: "go", label: "Queue", icon: "queue", keys: "g q", run: toTab("queue") },
  { group: "go", label: "Queue", keys: "g r", run: toTab("queue") },
  { group: "go", label: "Active", icon: "active", keys: "g a", run: toTab("active") },
  { group: "go", label: "All", icon: "all", keys: "g l", run: toTab("all") },
  { group: "go", label: "Stats", icon: "stats", keys: "g s", run: toTab("stats") },
  {
    group: "go",
    label: "Settings",
    icon: "sliders",
    keys: "mod ,",
    run: toSheet("settings"),
  },
  {
    group: "go",
    label: "On your phone",
    icon: "phone",
    able: ({ server }) => server.config.has("phone_v1"),
    run: ({ browser: { router } }) => router.go("#/phone"),
  },
  {
    group: "go",
    label: "Keyboard shortcuts",
    icon: "keyboard",
    keys: "?",
    run: toSheet("shortcuts"),
  },

  { group: "move", label: "Next row", keys: "j", run: (client) => moveRow(client, 1) },
  { group: "move", label: "Previous row", keys: "k", run: (client) => moveRow(client, -1) },
  {
    group: "move",
    label: "Next waiting",
    icon: "next",
    keys: "n",
    when: (client) => client.server.nextWaiting(shownPaneId(client)) !== null,
    run: goWaiting(1),
  },
  {
    group: "move",
    label: "Previous waiting",
    keys: "p",
    run: goWaiting(-1),
  },
  { group: "move", label: "Open", keys: "Enter" },
  { group: "move", label: "Back", keys: "Escape", run: goBack },
  { group: "move", label: "Filter the list", keys: "/", run: goFilter },
  { group: "move", label: "Next column", keys: "F6" },

  { group: "answer", label: "Pick an answer", keys: "1 to 9" },
  { group: "answer", label: "Send the picked answer", keys: "Enter" },
  { group: "answer", label: "Drop the pick", keys: "Escape" },
  { group: "answer", label: "Reply in words", keys: REPLY_KEY, run: () => void passReply() },
  { group: "answer", label: "Answer now or collect answers", keys: "a", ...betweenModes() },
  { group: "answer", label: "Leave it open", keys: "0" },
  { group: "answer", label: "Send what is chosen", keys: "mod Enter", ...pressing("send") },

  { group: "review", label: "Reviewed, and next", keys: "m", able: hasReview, ...pressing("mark") },
  {
    group: "review",
    label: "Later",
    keys: "l",
    run: (client) => {
      const button = buttonFor("later");
      if (button === null) moveRow(client, 1);
      else button.click();
    },
  },
  { group: "review", label: "Its changes", icon: "braces", keys: "v", ...toPage("changes") },
  { group: "review", label: "Put away until new output", keys: "x", ...pressing("put-away") },
  { group: "review", label: "Its screen", icon: "terminal", keys: "o", ...toPage("screen") },
  { group: "review", label: "Its chat", icon: "speech", keys: "d", ...toPage("chat") },

  { group: "pane", label: "Write", keys: "i", run: () => void focusOn("[data-composer]") },
  { group: "pane", label: "Send the message", keys: "mod Enter" },
  {
    group: "pane",
    label: "Stop its agent",
    icon: "stop",
    keys: "mod .",
    when: (client) => stoppable(client) !== null,
    run: (client) => {
      const pane = stoppable(client);
      if (pane !== null) void client.server.part(Stops).press(pane);
    },
  },
  { group: "pane", label: "New line", keys: "Enter" },
  {
    group: "pane",
    label: "Find in output",
    icon: "search",
    keys: "mod f",
    when: hasPane,
    run: ({ browser: { terminal } }) => {
      terminal.isFinding.value = true;
    },
  },
  {
    group: "pane",
    label: "Follow the tail",
    icon: "toEnd",
    keys: "f",
    when: hasPane,
    run: ({ browser: { terminal } }) => {
      terminal.isFollowing.value = !terminal.isFollowing.value;
    },
  },
  { group: "pane", label: "Wrap lines", icon: "wrap", keys: "w", run: toggle("wrap") },
  { group: "pane", label: "Terminal text smaller", icon: "textSize", keys: "-", run: resize(-1) },
  { group: "pane", label: "Terminal text larger", icon: "textSize", keys: "+", run: resize(1) },
  { group: "pane", label: "Terminal colours", icon: "screen", run: toggle("colours") },

  ...inFiles([
    ["Next file", "j", () => openFile("next")],
    ["Previous file", "k", () => openFile("previous")],
    ["Next change", "n", () => moveChange(1)],
    ["Previous change", "p", () => moveChange(-1)],
    ["Remark on the line", "r", remarkOnLine],
  ]),

  {
    group: "do",
    label: "New session, window, pane",
    icon: "plus",
    keys: "c",
    able: canCreate,
    run: toSheet("create"),
  },
  {
    group: "do",
    label: "Broadcast",
    icon: "broadcast",
    keys: "b",
    able: canType,
    run: toSheet("broadcast"),
  },
  {
    group: "do",
    label: "Star",
    icon: "star",
    keys: "s",
    when: hasPane,
    run: withPane((client, pane) => void toggleStar(client, pane)),
  },
  {
    group: "do",
    label: "Copy last 40 lines",
    icon: "copy",
    keys: "y",
    when: isFree("y"),
    run: withPane(copyLast),
  },
  {
    group: "do",
    label: "Why this status?",
    icon: "info",
    able: ({ server: { config } }) => config.has("explain_v1"),
    when: hasPane,
    run: aboutPane("explain"),
  },
  { group: "do", label: "Rename", icon: "pencil", when: hasPane, run: aboutPane("rename") },

  {
    group: "look",
    label: "Theme",
    icon: "eye",
    keys: "t",
    run: ({ browser: { preferences } }) => {
      const at = THEMES.indexOf(preferences.current.value.theme);
      preferences.set({ theme: THEMES[(at + 1) % THEMES.length] ?? "system" });
    },
  },
  {
    group: "look",
    label: "Hide or show the list",
    icon: "sideBySide",
    keys: "[",
    when: hasThree,
    run: ({ browser: { layout } }) => {
      layout.hasNavigator.value = !layout.hasNavigator.value;
    },
  },
  {
    group: "look",
    label: "Hide or show the details",
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
