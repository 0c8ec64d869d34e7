import type { NamingMode } from "../protocol/config.ts";
import type { PaneKind } from "../protocol/pane.ts";

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

export interface NamedLook {
  kind: PaneKind;
  lines: readonly string[];
}

const NAMES: Readonly<Record<Exclude<NamingMode, "smart">, (pane: NamedPane) => string>> = {
  pane: ({ names }) => joined(names.paneIndex),
  window_pane: ({ names }) => joined(names.windowIndex, names.paneIndex),
  session_pane: ({ names }) => joined(names.session, names.paneIndex),
  session_window_pane: ({ names }) => joined(names.session, names.windowIndex, names.paneIndex),
  title: ({ title }) => withoutSpinner(title),
  window: ({ window }) => withoutSpinner(window),
  target: ({ target }) => target,
  command: ({ command }) => command,
};

/** An empty result falls back to the target; `smart` is what the heuristics say. */
export function resolveName(mode: NamingMode, pane: NamedPane, smart: () => string): string {
  const name = mode === "smart" ? smart() : NAMES[mode](pane);
  return name.trim() || pane.target;
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
