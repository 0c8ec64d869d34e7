import { basename } from "node:path";
import { AppError } from "../errors.ts";
import type { CreateRequest } from "../protocol/creation.ts";
import type { ExistingPlaces, NewPanePlace } from "../terminal/provider.ts";

export const MAX_NAME_CHARS = 64;

export function nameFrom(directory: string, fallback: "session" | "window"): string {
  const slug = basename(directory)
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, MAX_NAME_CHARS);
  return slug || fallback;
}

/** `base`, else `base-2`, `base-3`…, cut to the longest valid name. */
export function freeName(base: string, taken: ReadonlySet<string>): string {
  let name = base;
  for (let number = 2; taken.has(name); number += 1) {
    const suffix = `-${number}`;
    name = base.slice(0, MAX_NAME_CHARS - suffix.length) + suffix;
  }
  return name;
}

/** @throws AppError not_found for a missing parent, conflict for a name in use */
export function placeFor(
  request: CreateRequest,
  directory: string,
  { sessions, panes }: ExistingPlaces,
): NewPanePlace {
  const { type } = request;
  if (type === "pane") {
    const { parent_pane_id: paneId, split, size_percent: sizePercent } = request;
    if (!panes.has(paneId)) throw parentGone();
    return { type, paneId, split, sizePercent };
  }
  const nameAmong = (taken: ReadonlySet<string>) => {
    if (request.name === null) return freeName(nameFrom(directory, type), taken);
    if (taken.has(request.name)) throw new AppError("conflict", "the name is in use");
    return request.name;
  };
  if (type === "session")
    return { type, name: nameAmong(new Set(sessions.map(({ name }) => name))) };
  const parent = sessions.find(({ name }) => name === request.parent_session);
  if (!parent) throw parentGone();
  return { type, sessionId: parent.id, name: nameAmong(parent.windows) };
}

function parentGone(): AppError {
  return new AppError("not_found", "the parent no longer exists");
}
