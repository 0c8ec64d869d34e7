import type { NamingMode } from "../protocol/config.ts";

export interface NamedPane {
  /** Stable for the life of the pane. */
  identity: string;
  target: string;
  title: string;
  command: string;
  cwd: string;
  window: string;
  names: { session: string; windowIndex: string; paneIndex: string };
}

/**
 * The name of a pane in a mode; an empty result falls back to its target.
 * `smart` is what the heuristics say: they need more than the pane.
 */
export function resolveName(mode: NamingMode, pane: NamedPane, smart: () => string): string {
  return nameBy(mode, pane, smart).trim() || pane.target;
}

function nameBy(mode: NamingMode, pane: NamedPane, smart: () => string): string {
  const { session, windowIndex, paneIndex } = pane.names;
  switch (mode) {
    case "pane":
      return joined(paneIndex);
    case "window_pane":
      return joined(windowIndex, paneIndex);
    case "session_pane":
      return joined(session, paneIndex);
    case "session_window_pane":
      return joined(session, windowIndex, paneIndex);
    case "title":
      return withoutSpinner(pane.title);
    case "window":
      return withoutSpinner(pane.window);
    case "target":
      return pane.target;
    case "command":
      return pane.command;
    case "smart":
      return smart();
  }
}

// Without one of its parts a name would read like "work::3": no name is better.
function joined(...parts: string[]): string {
  return parts.some((part) => part.trim() === "") ? "" : parts.join(":");
}

// Spinners that programs put before their title: braille dots, stars, circles, quarters, hands.
const SPINNER =
  /^(?:(?:[\u2800-\u28ff✢✳✶✻✽✦✧·•∗*◇◆○●◌◍◎◐-◕◴-◷◜-◟⏲⏳⌛✋]\ufe0f?)+(?:\s+|$)|[|/\\-]\s+)+/u;

export function withoutSpinner(title: string): string {
  return title.trimStart().replace(SPINNER, "").trim();
}
