import { waits } from "../../model/pane.ts";
import { nextWaiting } from "../../model/work.ts";
import { THEMES } from "../../state/browser/preferences.ts";
import type { Client } from "../../state/client.ts";
import type { IconName } from "../../ui/button.tsx";
import { REPLY_KEY, isLetter } from "../answer/option.tsx";
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
  type Action,
  type Command,
  pressDigit,
  pressLetter,
} from "./command.ts";
import { isField, leadFocus } from "../../ui/focus.ts";

const run = (does: (client: Client) => void): Action => ({ run: does });
const go = (hash: string): Action => run(({ browser: { router } }) => router.go(hash));
const sheet = (name: string): Action => run(({ browser: { router } }) => router.show(name));
/** An act of the pane menu, for the pane on the screen, where its prompt has no option with that key. */
function ofPane(name: keyof typeof PANE_ACTS, keys: string | null): Row {
  const { label, icon, run: act, can }: PaneAct = PANE_ACTS[name];
  const when = (client: Client) => {
    const pane = shownPane(client);
    if (pane === null || can?.(client.server, pane) === false) return false;
    return !waits(pane) || !pane.menu.some(({ key }) => key === keys);
  };
  const doIt = (client: Client) => {
    const pane = shownPane(client);
    if (pane !== null) void act(client, pane);
  };
  return [label, keys, { when, run: doIt }, icon];
}
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
    ofPane("wrap", "w"),
    ["Terminal text smaller", "-", run((client) => resize(client, -1)), "textSize"],
    ["Terminal text larger", "+", run((client) => resize(client, 1)), "textSize"],
    ofPane("colours", null),
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
    ofPane("copy", "y"),
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

const CHORD_MS = 1200;
/** Groups whose commands ignore the repeats of a held key. */
const ONCE: ReadonlySet<string> = new Set(["Answer", "Card", "Do"]);
const LEADER = "g";

/** Single keys do nothing in text fields, and nothing at all where the preference is off. */
export function keysOf(client: Client): (event: KeyboardEvent) => void {
  let chordAt = -CHORD_MS;
  return (event) => {
    if (event.defaultPrevented || event.isComposing || isSignedOut(client)) return;
    if (event.key === "F6") {
      event.preventDefault();
      return focusNextColumn(event.shiftKey ? -1 : 1);
    }
    if (event.metaKey || event.ctrlKey) {
      // A letter is upper case while Caps Lock is on; the names of other keys have capitals.
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (!event.altKey && !event.shiftKey) runKeys(client, `mod ${key}`, event);
      return;
    }
    const isEscape = event.key === "Escape";
    // A sheet handles Escape itself; it comes here where the focused element in it was removed.
    if (isEscape && client.browser.router.sheet.value !== null)
      return client.browser.router.close();
    if (isEscape && isField(event.target)) return leaveField(event);
    if (event.altKey || isField(event.target) || client.browser.router.sheet.value !== null) return;
    if (!client.browser.preferences.current.value.singleKeys) return;
    const nowMs = performance.now();
    const isChord = nowMs - chordAt < CHORD_MS;
    chordAt = event.key === LEADER && !isChord ? nowMs : -CHORD_MS;
    if (!isChord && picks(event.key)) event.preventDefault();
    else runKeys(client, isChord ? `${LEADER} ${event.key}` : event.key, event);
  };
}

/** A digit, or the letter of an option. */
const picks = (key: string): boolean =>
  /^[1-9]$/.test(key) ? pressDigit(key) : isLetter(key) && key !== LEADER && pressLetter(key);

function runKeys(client: Client, keys: string, event: KeyboardEvent): void {
  const command = commandFor(keys, client);
  if (command === null) return;
  event.preventDefault();
  // A held key moves along a list, but acts on a card or a pane once.
  if (event.repeat && ONCE.has(command.group)) return;
  command.run?.(client);
}

const isSignedOut = ({ server }: Client): boolean =>
  ["unauthorized", "incompatible"].includes(server.connection.value.phase);

/** Without the focus in a field single keys work again. */
function leaveField(event: KeyboardEvent): void {
  event.preventDefault();
  if (event.target instanceof HTMLElement) event.target.blur();
}

function focusNextColumn(step: number): void {
  const columns = [...document.querySelectorAll<HTMLElement>(".column, .one-column, .app > .pane")];
  const at = columns.findIndex((column) => column.contains(document.activeElement));
  const next = columns[(at + step + columns.length) % columns.length];
  next?.setAttribute("tabindex", "-1");
  leadFocus(next);
}
