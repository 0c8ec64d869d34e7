import type {
  CreateRequest,
  CreationState,
  DirectoryListing,
} from "../../src/protocol/creation.ts";
import type { Pane } from "./pane.ts";

export const MAX_NAME_CHARS = 64;
export const MAX_FIRST_MESSAGE = 8000;

/** What is wrong with a name of a session or window; an empty one is chosen by the server. */
export function nameProblem(name: string): "characters" | "length" | null {
  if (name === "") return null;
  if (!/^[A-Za-z0-9_-]*$/.test(name)) return "characters";
  return name.length > MAX_NAME_CHARS ? "length" : null;
}

/** What is asked for, while it is being put together. */
export interface Wanted {
  readonly type: CreateRequest["type"];
  /** Null until the server has named its roots. */
  readonly path: string | null;
  readonly runtime: CreateRequest["runtime"];
  readonly name: string;
  /** What an agent is told first; a shell is told nothing. */
  readonly message: string;
  readonly session: string | null;
  readonly paneId: string | null;
  readonly split: "side_by_side" | "stacked";
  readonly sizePercent: number;
}

export const FIRST_WANTED: Wanted = {
  type: "session",
  path: null,
  runtime: "shell",
  name: "",
  message: "",
  session: null,
  paneId: null,
  split: "side_by_side",
  sizePercent: 50,
};

/** The request for what is wanted, or null while something is missing or wrong. */
export function requestFor(wanted: Wanted): CreateRequest | null {
  const { type, path, runtime, session, paneId } = wanted;
  if (path === null) return null;
  const first_message = runtime === "shell" ? "" : wanted.message.trim();
  const common = { cwd: path, runtime, ...(first_message !== "" && { first_message }) };
  if (type === "pane")
    return paneId === null
      ? null
      : {
          type,
          ...common,
          parent_pane_id: paneId,
          split: wanted.split,
          size_percent: wanted.sizePercent,
        };
  if (nameProblem(wanted.name) !== null) return null;
  const name = wanted.name === "" ? null : wanted.name;
  if (type === "session") return { type, ...common, name };
  return session === null ? null : { type, ...common, parent_session: session, name };
}

export interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** The way from the root down to a directory. */
export function crumbsOf({ root, path }: DirectoryListing): readonly Crumb[] {
  const below = path.slice(root.path.length).split("/").filter(Boolean);
  const crumbs: Crumb[] = [{ name: root.label, path: root.path }];
  let at = root.path.replace(/\/$/, "");
  for (const name of below) crumbs.push({ name, path: (at = `${at}/${name}`) });
  return crumbs;
}

/** Whether a path lies in one of the roots. */
export const isInside = (path: string, { roots }: Pick<CreationState, "roots">): boolean =>
  roots.some((root) => path === root.path || path.startsWith(`${root.path.replace(/\/$/, "")}/`));

/** Panes that can be split. */
export const splittable = (panes: readonly Pane[]): readonly Pane[] =>
  panes.filter((pane) => pane.capabilities.create && pane.actionable && /^%\d+$/.test(pane.id));

/** Sessions that can take a window, in the provider's order. */
export function sessionNames(panes: readonly Pane[]): readonly string[] {
  const names = splittable(panes).flatMap(({ hierarchy }) =>
    hierarchy.filter(({ kind }) => kind === "session").map(({ label }) => label),
  );
  return [...new Set(names)];
}
