import { destinationFault, nameFault } from "../config/checks.ts";
import type { Settings } from "../config/settings.ts";
import { AppError, TooManyError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Log } from "../lib/log.ts";
import {
  type CheckHostReply,
  type HostConfig,
  type HostsReply,
  type HostState,
  type HostStep,
  MAX_HOSTS,
} from "../protocol/hosts.ts";
import type { Ok } from "../protocol/input.ts";
import { askedBy, type Handlers, type Slice, whoAsks } from "../slice.ts";
import { CHECK_SECONDS } from "./check.ts";
import type { Machines } from "./machines.ts";

export interface HostRoutesDeps {
  machines: Pick<Machines, "admit" | "named" | "settingsChanged" | "states">;
  /** Connects to it once. */
  check: (ssh: string) => Promise<HostStep[]>;
  settings: Pick<Settings, "changeHosts">;
  /** Why no other machine can be watched, or null. */
  unsupported: string | null;
  record: Pick<Ledger, "note">;
  log: Pick<Log, "info">;
}

export function hostsSlice(deps: HostRoutesDeps): Slice {
  const { unsupported } = deps;
  return {
    name: "hosts",
    routes: hostRoutes(deps),
    capabilities: () => ({
      hosts_v1: {
        version: 1,
        enabled: unsupported === null,
        max: MAX_HOSTS,
        ...(unsupported === null ? {} : { reason: unsupported }),
      },
    }),
  };
}

function hostRoutes(deps: HostRoutesDeps): Handlers {
  const { machines, check, settings, unsupported, record, log } = deps;
  let isChecking = false;
  const now = async (name: string): Promise<HostState> => {
    await machines.settingsChanged();
    const state = machines.states().find((host) => host.kind === "ssh" && host.name === name);
    if (!state) throw unknown(name);
    return state;
  };
  return {
    "GET /api/hosts": (c) => c.json<HostsReply>({ hosts: machines.states() }),
    "POST /api/hosts": async (c) => {
      if (unsupported !== null) throw new AppError("invalid", unsupported);
      const added = { ...requireHost(c.req.valid("json")), watch: true };
      await machines.admit(added.name);
      await settings.changeHosts((before) => withHost(before, added));
      log.info(`access: host ${added.name} was added by ${whoAsks(c.env)}`);
      record.note({ kind: "host_added", what: added.name, by: askedBy(c.env) });
      return c.json(await now(added.name));
    },
    "POST /api/hosts/check": async (c) => {
      const { ssh } = c.req.valid("json");
      const fault = unsupported ?? destinationSentence(ssh);
      if (fault !== null) throw new AppError("invalid", fault);
      if (isChecking) throw new TooManyError("another host is being checked", CHECK_SECONDS);
      isChecking = true;
      try {
        return c.json<CheckHostReply>({ steps: await check(ssh) });
      } finally {
        isChecking = false;
      }
    },
    "PATCH /api/hosts/:name": async (c) => {
      const name = c.req.param("name");
      const { watch } = c.req.valid("json");
      await settings.changeHosts((before) => {
        requireKnown(before, name);
        return before.map((host) => (host.name === name ? { ...host, watch } : host));
      });
      return c.json(await now(name));
    },
    "DELETE /api/hosts/:name": async (c) => {
      const name = c.req.param("name");
      await settings.changeHosts((before) => {
        requireKnown(before, name);
        return before.filter((host) => host.name !== name);
      });
      log.info(`access: host ${name} was removed by ${whoAsks(c.env)}`);
      record.note({ kind: "host_removed", what: name, by: askedBy(c.env) });
      await machines.settingsChanged();
      return c.json<Ok>({ ok: true });
    },
    "POST /api/hosts/:name/retry": (c) => {
      const host = machines.named(c.req.param("name"));
      if (!host) throw unknown(c.req.param("name"));
      host.link.retry();
      return c.json<Ok>({ ok: true });
    },
  };
}

/** @throws AppError invalid, with a sentence */
function requireHost({ name, ssh }: { name: string; ssh: string }) {
  const badName = nameFault(name);
  if (badName) throw new AppError("invalid", `the name ${badName}`);
  const badPlace = destinationSentence(ssh);
  if (badPlace) throw new AppError("invalid", badPlace);
  return { name, ssh };
}

function destinationSentence(ssh: string): string | null {
  const fault = destinationFault(ssh);
  return fault === null ? null : `the destination ${fault}`;
}

function withHost(before: readonly HostConfig[], added: HostConfig): readonly HostConfig[] {
  if (before.some(({ name }) => name === added.name))
    throw new AppError("conflict", `a host is called ${added.name} already`);
  if (before.length >= MAX_HOSTS)
    throw new AppError("invalid", `at most ${MAX_HOSTS} hosts can be watched`);
  return [...before, added];
}

function requireKnown(hosts: readonly HostConfig[], name: string): void {
  if (!hosts.some((host) => host.name === name)) throw unknown(name);
}

function unknown(name: string): AppError {
  return new AppError("not_found", `no host is called ${name}`);
}
