import type { Client } from "../../state/client.ts";
import { isField, leadFocus } from "../../ui/focus.ts";
import { isLetter } from "../answer/option.tsx";
import { passDigit, passLetter } from "./command.ts";
import { commandFor } from "./table.ts";

const CHORD_MS = 1200;
/** Groups of commands that act once for each time a key goes down. */
const ONCE: ReadonlySet<string> = new Set(["answer", "review", "do"]);
/** The key that begins a chord. */
const LEADER = "g";

/** What a key does. Single ones are dead in text fields, and off when the reader wants it so. */
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
    // The sheet hears its own keys; when what had the focus in it is gone, the page does.
    if (isEscape && client.browser.router.sheet.value !== null)
      return client.browser.router.close();
    if (isEscape && isField(event.target)) return leaveField(event);
    if (event.altKey || isField(event.target) || client.browser.router.sheet.value !== null) return;
    if (!client.browser.preferences.current.value.singleKeys) return;
    const nowMs = client.browser.clock.monotonicMs();
    const isChord = nowMs - chordAt < CHORD_MS;
    chordAt = event.key === LEADER && !isChord ? nowMs : -CHORD_MS;
    if (!isChord && picks(event.key)) event.preventDefault();
    else run(client, isChord ? `${LEADER} ${event.key}` : event.key, event);
  };
}

/** A digit, or a letter that the prompt has an option for: it arms, Enter sends. */
const picks = (key: string): boolean =>
  /^[1-9]$/.test(key) ? passDigit(key) : isLetter(key) && key !== LEADER && passLetter(key);

function run(client: Client, keys: string, event: KeyboardEvent): void {
  const command = commandFor(keys, client);
  if (command === null) return;
  event.preventDefault();
  // A key that is held walks along a list; it does nothing to a card or a pane twice.
  if (event.repeat && ONCE.has(command.group)) return;
  command.run?.(client);
}

const isSignedOut = ({ server }: Client): boolean =>
  ["unauthorized", "incompatible"].includes(server.connection.value.phase);

/** Out of the field to the column around it, where single keys work again. */
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
