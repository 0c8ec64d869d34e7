import type { SeenHost } from "../../src/protocol/tolerant.ts";
import type { Pane } from "./pane.ts";

export type Host = Readonly<SeenHost>;

/** The machine that a pane is on; null where there is one alone, or it is not known yet. */
export const hostOf = ({ host = null }: Pane, hosts: readonly Host[]): Host | null =>
  hosts.find(({ kind, name }) => (host === null ? kind === "local" : name === host)) ?? null;

/** It was there or should be, and is not: also while it is tried again. */
export const isAway = ({ status, reason }: Host): boolean =>
  status === "away" || (status === "connecting" && reason !== null);

/** Seconds until it is tried again; null: only when somebody asks. */
export const secondsUntilRetry = ({ retry_at }: Host, now: number): number | null =>
  retry_at === null ? null : Math.max(0, retry_at - now);

/** What a person runs once by hand, so that ssh asks them what it must ask. */
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

export interface HostPanes {
  readonly host: Host | null;
  readonly panes: readonly Pane[];
}

/** Panes by machine, in the order of the machines; all of them together where there is one alone. */
export function groupByHost(panes: readonly Pane[], hosts: readonly Host[]): readonly HostPanes[] {
  if (hosts.length === 0) return [{ host: null, panes }];
  const of = Map.groupBy(panes, (pane) => hostOf(pane, hosts));
  return [...hosts, null].flatMap((host) => {
    const its = of.get(host);
    return its === undefined ? [] : [{ host, panes: its }];
  });
}
