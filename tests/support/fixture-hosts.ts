import { HostState } from "../../src/protocol/hosts.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { fixture } from "./fixture.ts";
import { NOW } from "./fixture-panes.ts";
import type { FixtureServer } from "./fixture-server.ts";

/** A session runs on this machine where it is named here, else on the server's own. */
const MACHINES: Readonly<Record<string, string>> = {
  web: "buildbox",
  mobile: "buildbox",
  ml: "gpu-1",
};

export function fixtureHost(members: Partial<HostState> & { name: string }): HostState {
  const live = fixture(HostState, {
    ...{ kind: "ssh", ssh: members.name, watch: true, status: "live", version: "3.4" },
    ...{ since: NOW - 7200, round_trip_ms: 38, read_at: NOW - 1 },
  });
  return { ...live, ...members };
}

const AWAY: Partial<HostState> = {
  status: "away",
  since: NOW - 600,
  read_at: NOW - 604,
  round_trip_ms: null,
  reason: "timeout",
  detail: "Connection timed out",
  retry_at: NOW + 18,
};

/** The fleet of the fixtures on three machines; `away` changes what `who` is, null: all are there. */
export function onThreeMachines(
  server: FixtureServer,
  away: Partial<HostState> | null = AWAY,
  who = "buildbox",
): void {
  server.panes = server.panes.map((pane) => placed(pane, away === null ? null : who));
  const of = (name: string) => (name === who ? away : null);
  const count = (host: string | null) => server.panes.filter((pane) => pane.host === host).length;
  server.hosts = [
    fixtureHost({
      ...{ name: "laptop", kind: "local", ssh: null, since: 0, version: "3.5a" },
      ...{ round_trip_ms: null, panes: count(null) },
    }),
    fixtureHost({ name: "buildbox", panes: count("buildbox"), ...of("buildbox") }),
    fixtureHost({ name: "gpu-1", version: "3.3a", panes: count("gpu-1"), ...of("gpu-1") }),
    fixtureHost({
      name: "pi",
      ssh: "me@10.0.0.7",
      watch: false,
      status: "off",
      since: 0,
      version: null,
      round_trip_ms: null,
    }),
  ];
  canWatchHosts(server);
}

export function canWatchHosts(server: FixtureServer): void {
  server.config._info.capabilities.hosts_v1 = { version: 1, enabled: true, max: 32 };
}

export const away = (members: Partial<HostState>): Partial<HostState> => ({ ...AWAY, ...members });

function placed(pane: PaneState, away: string | null): PaneState {
  const host = MACHINES[pane.hierarchy[0]?.label ?? ""] ?? null;
  if (host === null) return { ...pane, host };
  const target = `${host}:${pane.target}`;
  if (host !== away) return { ...pane, host, target };
  return { ...pane, host, target, stale: true, actionable: false };
}
