import { useEffect } from "preact/hooks";
import { TERMINAL_SIZES } from "../state/preferences.ts";
import { useClient, type Client } from "../state/client.ts";
import type { Tab } from "../state/router.ts";

const CHORD_MS = 1200;
const CHORDS: Readonly<Record<string, Tab>> = { q: "queue", a: "active", l: "all", s: "stats" };

/** Single keys of the whole client. Dead in text fields, and off when the reader wants it so. */
export function useShortcuts(): void {
  const client = useClient();
  useEffect(() => {
    let chordAt = -CHORD_MS;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        return client.router.show("palette");
      }
      if (event.key === "F6") {
        event.preventDefault();
        return focusNextColumn(event.shiftKey ? -1 : 1);
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (client.router.sheet.value !== null || !client.preferences.current.value.singleKeys)
        return;
      const isChord = client.clock.monotonicMs() - chordAt < CHORD_MS;
      chordAt = event.key === "g" && !isChord ? client.clock.monotonicMs() : -CHORD_MS;
      const tab = isChord ? CHORDS[event.key] : undefined;
      const run = tab === undefined ? actionFor(client, event.key) : () => client.router.goTab(tab);
      if (run === null) return;
      event.preventDefault();
      run();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [client]);
}

function actionFor(client: Client, key: string): (() => void) | null {
  const { layout, preferences, router, terminal } = client;
  const { wrap, terminalSize } = preferences.current.value;
  if (/^[1-9]$/.test(key)) return () => passToOptions(key);
  const actions: Readonly<Record<string, () => void>> = {
    "/": () => focusFilter(client),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    n: () => goWaiting(client),
    p: () => history.back(),
    Escape: () => {
      if (router.openPane.value !== null) router.back();
    },
    r: () => focusOn(".reply textarea"),
    i: () => focusOn("[data-composer]"),
    f: () => {
      terminal.isFollowing.value = !terminal.isFollowing.value;
    },
    w: () => preferences.set({ wrap: !wrap }),
    "-": () => preferences.set({ terminalSize: Math.max(TERMINAL_SIZES.min, terminalSize - 1) }),
    "+": () => preferences.set({ terminalSize: Math.min(TERMINAL_SIZES.max, terminalSize + 1) }),
    y: () => document.querySelector<HTMLElement>("[data-copy]")?.click(),
    s: () => document.querySelector<HTMLElement>("[data-star]")?.click(),
    b: () => router.show("broadcast"),
    c: () => router.show("create"),
    "?": () => router.show("shortcuts"),
    "[": () => {
      layout.hasNavigator.value = !layout.hasNavigator.value;
    },
    "]": () => {
      layout.hasInspector.value = !layout.hasInspector.value;
    },
  };
  return actions[key] ?? null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** Digits go to the answers that are on the screen: they arm, Enter sends. */
function passToOptions(key: string): void {
  const options = document.querySelector<HTMLElement>('[data-options]:not([aria-disabled="true"])');
  if (options === null) return;
  options.focus({ preventScroll: true });
  options.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

function goWaiting(client: Client): void {
  const next = client.nextWaiting(client.router.openPane.value);
  if (next !== null) client.router.goPane(next.id);
}

function focusFilter(client: Client): void {
  if (!focusOn("[data-filter]")) {
    client.router.goTab("all");
    requestAnimationFrame(() => focusOn("[data-filter]"));
  }
}

function focusOn(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}

function moveRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row], .card-title")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step;
  rows[Math.max(0, Math.min(rows.length - 1, next))]?.focus();
}

function focusNextColumn(step: number): void {
  const columns = [...document.querySelectorAll<HTMLElement>(".column, .one-column, .app > .pane")];
  const at = columns.findIndex((column) => column.contains(document.activeElement));
  const next = columns[(at + step + columns.length) % columns.length];
  next?.setAttribute("tabindex", "-1");
  next?.focus();
}
