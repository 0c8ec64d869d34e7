import { basename } from "node:path";
import type { CreateRequest } from "../protocol/creation.ts";
import type { ListedSession, NewPanePlace } from "../terminal/provider.ts";

export const MAX_NAME_CHARS = 64;

export function isValidName(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

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

export type Misplaced = "parent_gone" | "name_in_use";

export function placeFor(
  request: CreateRequest,
  directory: string,
  sessions: readonly ListedSession[],
  panes: ReadonlySet<string>,
): NewPanePlace | Misplaced {
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
