import { waits } from "../../model/pane.ts";
import { nextWaiting } from "../../model/work.ts";
import { THEMES } from "../../state/browser/preferences.ts";
import type { Client } from "../../state/client.ts";
import type { IconName } from "../../ui/icons.tsx";
import { REPLY_KEY } from "../answer/option.tsx";
import { goFile, hasFile, hasLines, moveChange, remarkOnLine } from "../changes/files.tsx";
import { PANE_ACTS, resize, type PaneAct } from "../pane/menu.tsx";
import { SEARCH_KEYS } from "../parts/key-caps.tsx";
import {
  actOfCard,
  focusOn,
  goBack,
  goFilter,
  goWaiting,
  hasPane,
  isOffered,
  moveRow,
  onCard,
  pressReply,
  shownPane,
  shownPaneId,
  stoppable,
  toPage,
  withPane,
  type Action,
  type Command,
} from "./command.ts";

const run = (does: (client: Client) => void): Action => ({ run: does });
const go = (hash: string): Action => run(({ browser: { router } }) => router.go(hash));
const sheet = (name: string): Action => run(({ browser: { router } }) => router.show(name));
/** An act of the pane menu, for the pane on the screen; `also` is a further condition. */
function ofPane(name: keyof typeof PANE_ACTS, keys: string | null, also = hasPane): Row {
  const { label, icon, run: act, can }: PaneAct = PANE_ACTS[name];
  const when = (client: Client) => {
    const pane = shownPane(client);
    return pane !== null && can?.(client.server, pane) !== false && also(client);
  };
  return [label, keys, { when, run: withPane((client, pane) => void act(client, pane)) }, icon];
}
/** Acts of the pane menu that apply to every terminal. */
const ofTerminals = (name: "wrap" | "colours", keys: string | null): Row => {
  const { label, icon, run: act } = PANE_ACTS[name];
  return [label, keys, run(act), icon];
};
const flip = (part: "hasNavigator" | "hasInspector"): Action => ({
  when: ({ browser: { layout } }) => layout.columns.value === 3,
  run: ({ browser: { layout } }) => {
    layout[part].value = !layout[part].value;
  },
});
const has =
  (capability: Parameters<Client["server"]["config"]["has"]>[0]) =>
  ({ server }: Client): boolean =>
    server.config.has(capability);
const canType = ({ server }: Client) => server.may("type");
const canCreate = (client: Client) => has("mux_create_v1")(client) && canType(client);

/** False while the prompt on the screen has an option with this key. */
const isFree = (key: string) => (client: Client) => {
  const pane = shownPane(client);
  return pane !== null && !(waits(pane) && pane.menu.some((option) => option.key === key));
};

const hasReview = ({ server: { workspace } }: Client): boolean => {
  const facts = workspace.facts.value;
  return facts.step === "on" && facts.hasReview;
};

const hasNext = (client: Client) =>
  nextWaiting(client.server.panes.all.value, shownPaneId(client)) !== null;

/** Switches between answering and collecting answers, where the queue offers that. */
const betweenModes: Action = {
  when: ({ browser: { router }, server: { picks } }) =>
    router.beside.value === "queue" && picks.isOffered.value,
  run: ({ server: { picks } }) => {
    picks.isWanted.value = !picks.isWanted.peek();
  },
};

const stopping: Action = {
  when: (client) => stoppable(client) !== null,
  run: (client) => {
    const pane = stoppable(client);
    if (pane !== null) void PANE_ACTS.stop.run(client, pane);
  },
};

function putLater(client: Client): void {
  const act = actOfCard(client, "later");
  if (act === null) moveRow(client, 1);
  else act();
}

function find({ browser: { terminal } }: Client): void {
  terminal.isFinding.value = true;
}

const inFiles = (when: NonNullable<Action["when"]>, does: (client: Client) => void): Action => ({
  able: has("changes_v1"),
  when,
  run: does,
});

function nextTheme({ browser: { preferences } }: Client): void {
  const at = THEMES.indexOf(preferences.current.value.theme);
  preferences.set({ theme: THEMES[(at + 1) % THEMES.length] ?? "system" });
}

type Row = readonly [label: string, keys: string | null, act?: Action, icon?: IconName];

const of = (group: Command["group"], rows: readonly Row[]): Command[] =>
  rows.map(([label, keys, act, icon]) => ({
    ...{ group, label, ...act },
    ...(keys !== null && { keys }),
    ...(icon !== undefined && { icon }),
  }));

/** Read by the list of all keys, the palette and the keyboard, so that the listed keys are those that work. */
export const COMMANDS: readonly Command[] = [
  ...of("Go", [
    ["Search or run", SEARCH_KEYS, sheet("palette")],
    ["Queue", "g q", go("#/queue"), "queue"],
    ["Queue", "g r", go("#/queue")],
    ["Active", "g a", go("#/active"), "active"],
    ["All", "g l", go("#/all"), "all"],
    ["Stats", "g s", go("#/stats"), "stats"],
    ["Settings", "mod ,", sheet("settings"), "sliders"],
    ["On your phone", null, { able: has("phone_v1"), ...go("#/phone") }, "phone"],
    ["Keyboard shortcuts", "?", sheet("shortcuts"), "keyboard"],
  ]),
  ...of("Move", [
    ["Next row", "j", run((client) => moveRow(client, 1))],
    ["Previous row", "k", run((client) => moveRow(client, -1))],
    ["Next waiting", "n", { when: hasNext, run: goWaiting(1) }, "next"],
    ["Previous waiting", "p", run(goWaiting(-1))],
    ["Open", "Enter"],
    ["Back", "Escape", run(goBack)],
    ["Filter the list", "/", run(goFilter)],
    ["Next column", "F6"],
  ]),
  ...of("Answer", [
    ["Pick an answer", "1 to 9"],
    ["Send the picked answer", "Enter"],
    ["Drop the pick", "Escape"],
    ["Reply in words", REPLY_KEY, run(pressReply)],
    ["Answer now or collect answers", "a", betweenModes],
    ["Send what is chosen", "mod Enter"],
  ]),
  ...of("Card", [
    ["Reviewed, and next", "m", { able: hasReview, ...onCard("mark") }],
    ["Later", "l", run(putLater)],
    ["Its changes", "v", toPage("changes"), "sideBySide"],
    ["Put away until new output", "x", onCard("put away")],
    ["Its screen", "o", toPage("screen"), "terminal"],
    ["Its chat", "d", toPage("chat"), "speech"],
  ]),
  ...of("Pane", [
    ["Write", "i", run(() => focusOn("[data-composer]"))],
    ["Send the message", "mod Enter"],
    ["Stop its agent", "mod .", stopping, PANE_ACTS.stop.icon],
    ["New line", "Enter"],
    [PANE_ACTS.find.label, "mod f", { when: hasPane, run: find }, PANE_ACTS.find.icon],
    ofPane("follow", "f"),
    ofTerminals("wrap", "w"),
    ["Terminal text smaller", "-", run((client) => resize(client, -1)), "textSize"],
    ["Terminal text larger", "+", run((client) => resize(client, 1)), "textSize"],
    ofTerminals("colours", null),
  ]),
  ...of("Changes", [
    ["Next file", "j", inFiles(hasFile, (client) => goFile(client, 1))],
    ["Previous file", "k", inFiles(hasFile, (client) => goFile(client, -1))],
    ["Next change", "n", inFiles(hasLines, () => moveChange(1))],
    ["Previous change", "p", inFiles(hasLines, () => moveChange(-1))],
    ["Remark on the line", "r", inFiles(hasLines, remarkOnLine)],
  ]),
  ...of("Do", [
    ["New session, window, pane", "c", { able: canCreate, ...sheet("create") }, "plus"],
    ["Broadcast", "b", { able: canType, ...sheet("broadcast") }, "broadcast"],
    ofPane("star", "s"),
    ofPane("copy", "y", isFree("y")),
    ofPane("explain", null),
    ofPane("rename", null),
  ]),
  ...of("Look", [
    ["Theme", "t", run(nextTheme), "eye"],
    ["Hide or show the list", "[", flip("hasNavigator"), "sideBySide"],
    ["Hide or show the details", "]", flip("hasInspector"), "sideBySide"],
  ]),
];

export const paletteCommands = (client: Client): readonly Command[] =>
  COMMANDS.filter((command) => command.icon !== undefined && isOffered(command, client));

/** Of several commands with these keys the last: special ones stand below general ones. */
export const commandFor = (keys: string, client: Client): Command | null =>
  COMMANDS.findLast(
    (command) => command.run !== undefined && command.keys === keys && isOffered(command, client),
  ) ?? null;
