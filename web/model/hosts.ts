import type { SeenHost } from "../../src/protocol/tolerant.ts";
import type { Pane } from "./pane.ts";

export type Host = Readonly<SeenHost>;

/** Null where there is only one machine, or the pane's is not known yet. */
export const hostOf = ({ host = null }: Pane, hosts: readonly Host[]): Host | null =>
  hosts.find(({ kind, name }) => (host === null ? kind === "local" : name === host)) ?? null;

/** Unreachable, also while a retry is under way. */
export const isAway = ({ status, reason }: Host): boolean =>
  status === "away" || (status === "connecting" && reason !== null);

/** A person runs it once by hand, so that ssh can ask what it must. */
export const remedyOf = (destination: string): string => `ssh ${destination} true`;

export const nameFor = (destination: string): string =>
  destination
    .replace(/^ssh:\/\//, "")
    .replace(/^.*@/, "")
    .replace(/:\d+$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 32);

/** In the order of the machines; one group where there is only one. */
export function groupByHost(panes: readonly Pane[], hosts: readonly Host[]) {
  if (hosts.length === 0) return [{ host: null, panes }];
  const of = Map.groupBy(panes, (pane) => hostOf(pane, hosts));
  return [...hosts, null].flatMap((host) => {
    const its = of.get(host);
    return its === undefined ? [] : [{ host, panes: its }];
  });
}
