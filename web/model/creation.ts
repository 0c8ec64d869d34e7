import type {
  CreateRequest,
  CreationState,
  DirectoryListing,
} from "../../src/protocol/creation.ts";
import type { Host } from "./filter.ts";
import type { Pane } from "./pane.ts";

export const MAX_NAME_CHARS = 64;
export const MAX_FIRST_MESSAGE = 8000;

/** Why a name is refused, or null. For an empty one the server chooses. */
export function nameProblem(name: string): string | null {
  if (!/^[A-Za-z0-9_-]*$/.test(name)) return "Only letters, digits, _ and -.";
  return name.length > MAX_NAME_CHARS ? `At most ${MAX_NAME_CHARS} characters.` : null;
}

export const INITIAL_FORM = {
  host: null as string | null,
  type: "session" as CreateRequest["type"],
  /** Null until the server has listed its roots. */
  path: null as string | null,
  /** Null until the server has listed the runtimes. */
  runtime: null as CreateRequest["runtime"] | null,
  name: "",
  /** The first message to an agent; shells get none. */
  message: "",
  session: null as string | null,
  paneId: null as string | null,
  split: "side_by_side" as "side_by_side" | "stacked",
  sizePercent: 50,
};
export type CreationForm = Readonly<typeof INITIAL_FORM>;

export function requestFor(form: CreationForm): CreateRequest | null {
  const { type, host, path, runtime, session, paneId } = form;
  if (path === null || runtime === null) return null;
  const first_message = runtime === "shell" ? "" : form.message.trim();
  const common = {
    cwd: path,
    runtime,
    ...(first_message !== "" && { first_message }),
    ...(host !== null && { host }),
  };
  const { split, sizePercent: size_percent } = form;
  if (type === "pane")
    return paneId === null
      ? null
      : { type, ...common, parent_pane_id: paneId, split, size_percent };
  if (nameProblem(form.name) !== null) return null;
  const name = form.name === "" ? null : form.name;
  if (type === "session") return { type, ...common, name };
  return session === null ? null : { type, ...common, parent_session: session, name };
}

interface Crumb {
  readonly name: string;
  readonly path: string;
}

/** The directories from the root down to the listed one. */
export function crumbsOf({ root, path }: DirectoryListing): readonly Crumb[] {
  const below = path.slice(root.path.length).split("/").filter(Boolean);
  const crumbs: Crumb[] = [{ name: root.label, path: root.path }];
  let at = root.path.replace(/\/$/, "");
  for (const name of below) crumbs.push({ name, path: (at = `${at}/${name}`) });
  return crumbs;
}

export const isInside = (path: string, { roots }: Pick<CreationState, "roots">): boolean =>
  roots.some((root) => path === root.path || path.startsWith(`${root.path.replace(/\/$/, "")}/`));

const splittable = (panes: readonly Pane[]): readonly Pane[] =>
  panes.filter((pane) => pane.capabilities.create && pane.actionable && /^%\d+$/.test(pane.id));

export const splittableOn = (panes: readonly Pane[], host: string | null): readonly Pane[] =>
  splittable(panes).filter((pane) => (pane.host ?? null) === host);

/** Sessions that can take a window, in the provider's order. */
export function sessionNames(panes: readonly Pane[], host: string | null): readonly string[] {
  const names = splittableOn(panes, host).flatMap(({ hierarchy }) =>
    hierarchy.filter(({ kind }) => kind === "session").map(({ label }) => label),
  );
  return [...new Set(names)];
}

export type Parents = Pick<CreationForm, "host" | "paneId" | "session">;

/**
 * The parents to begin with on a machine: the open pane and its session, else the first that can be
 * split.
 */
export function defaultParents(
  panes: readonly Pane[],
  host: string | null,
  shownId: string | null,
): Parents {
  const all = splittableOn(panes, host);
  const shown = all.find(({ id }) => id === shownId) ?? all[0];
  const session = shown?.hierarchy.find(({ kind }) => kind === "session")?.label;
  return {
    host,
    paneId: shown?.id ?? null,
    session: session ?? sessionNames(all, host)[0] ?? null,
  };
}

/** The machine of the open pane, else the last one used if it is still watched. */
export function initialHost(
  panes: readonly Pane[],
  hosts: readonly Host[],
  { shownId, last }: { readonly shownId: string | null; readonly last: string | null },
): string | null {
  const shown = splittable(panes).find(({ id }) => id === shownId);
  if (shown !== undefined) return shown.host ?? null;
  return machines(hosts).some(({ kind, name }) => kind === "ssh" && name === last) ? last : null;
}

export const machines = (hosts: readonly Host[]): readonly Host[] =>
  hosts.filter(({ status }) => status !== "off");
