import type { Client } from "../../state/client.ts";
import { isField, leadFocus } from "../../ui/focus.ts";
import { isLetter } from "../answer/option.tsx";
import { pressDigit, pressLetter } from "./command.ts";
import { commandFor } from "./table.ts";

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
      if (!event.altKey && !event.shiftKey) run(client, `mod ${key}`, event);
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
    else run(client, isChord ? `${LEADER} ${event.key}` : event.key, event);
  };
}

/** A digit, or the letter of an option. */
const picks = (key: string): boolean =>
  /^[1-9]$/.test(key) ? pressDigit(key) : isLetter(key) && key !== LEADER && pressLetter(key);

function run(client: Client, keys: string, event: KeyboardEvent): void {
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
