import { basename } from "node:path";
import type { CreateRequest } from "../protocol/creation.ts";

export const MAX_NAME_CHARS = 64;

export function isValidName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

/** A directory's base name as a session or window name. */
export function nameFrom(directory: string, fallback: "session" | "window"): string {
  const slug = basename(directory)
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, MAX_NAME_CHARS);
  return slug === "" ? fallback : slug;
}

/** `base`, else `base-2`, `base-3`…, with the base cut so that the whole stays a valid name. */
export function freeName(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`;
    const name = base.slice(0, MAX_NAME_CHARS - suffix.length) + suffix;
    if (!taken.has(name)) return name;
  }
}

/** A session as the multiplexer lists it. */
export interface ListedSession {
  id: string;
  name: string;
  windows: ReadonlySet<string>;
}

/** Where a new pane goes, by ids of the multiplexer's own: no name of a person is ever a target. */
export type Place =
  | { type: "session"; name: string }
  | { type: "window"; sessionId: string; name: string }
  | { type: "pane"; paneId: string; split: "side_by_side" | "stacked"; sizePercent: number };

/** Why there is no place for a request. */
export type Misplaced = "parent_gone" | "name_in_use";

export function placeFor(
  request: CreateRequest,
  directory: string,
  sessions: readonly ListedSession[],
  panes: ReadonlySet<string>,
): Place | Misplaced {
  if (request.type === "pane") {
    if (!panes.has(request.parent_pane_id)) return "parent_gone";
    const { parent_pane_id: paneId, split, size_percent: sizePercent } = request;
    return { type: "pane", paneId, split, sizePercent };
  }
  if (request.type === "session") {
    const taken = new Set(sessions.map((session) => session.name));
    const name = chooseName(request.name, directory, "session", taken);
    return name === null ? "name_in_use" : { type: "session", name };
  }
  const parent = sessions.find((session) => session.name === request.parent_session);
  if (!parent) return "parent_gone";
  const name = chooseName(request.name, directory, "window", parent.windows);
  return name === null ? "name_in_use" : { type: "window", sessionId: parent.id, name };
}

function chooseName(
  asked: string | null,
  directory: string,
  fallback: "session" | "window",
  taken: ReadonlySet<string>,
): string | null {
  if (asked === null) return freeName(nameFrom(directory, fallback), taken);
  return taken.has(asked) ? null : asked;
}

/**
 * Arguments for the multiplexer: detached, so that no attached client changes window or focus.
 * `format` is what it prints about the new pane.
 */
export function creationArgs(
  place: Place,
  directory: string,
  argv: readonly string[],
  format: string,
): string[] {
  return [
    ...placeArgs(place),
    "-d",
    "-c",
    argument(literal(directory)),
    "-P",
    "-F",
    format,
    ...commandArgs(argv),
  ];
}

function placeArgs(place: Place): string[] {
  switch (place.type) {
    case "session":
      // -E: the new session takes the multiplexer's environment, not the service's display or agent.
      return ["new-session", "-E", "-s", place.name];
    case "window":
      return ["new-window", "-t", `${place.sessionId}:`, "-n", place.name];
    case "pane": {
      const direction = place.split === "side_by_side" ? "-h" : "-v";
      // -Z: a person who has zoomed a pane of this window keeps it zoomed.
      return ["split-window", "-Z", direction, "-l", `${place.sizePercent}%`, "-t", place.paneId];
    }
  }
}

// The multiplexer hands a single argument to a shell and executes several as they are; `env` makes
// them several.
function commandArgs(argv: readonly string[]): string[] {
  return argv.length === 0 ? [] : ["--", "/usr/bin/env", ...argv.map(argument)];
}

/** An argument ending in ";" would end the multiplexer's command there. */
function argument(text: string): string {
  return text.endsWith(";") ? `${text.slice(0, -1)}\\;` : text;
}

/**
 * A start directory is expanded as a format, where `#(…)` runs a command: every `#` is doubled, but
 * for those before a `[`, which are taken as they are.
 */
function literal(path: string): string {
  return path.replace(/(#+)(\[?)/g, (_, marks: string, bracket: string) =>
    bracket === "" ? marks + marks : marks + bracket,
  );
}
