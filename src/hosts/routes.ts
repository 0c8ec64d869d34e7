import { destinationFault, nameFault } from "../config/checks.ts";
import type { Settings } from "../config/settings.ts";
import { AppError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { RequestLimit } from "../lib/lock.ts";
import {
  type CheckHostReply,
  type HostConfig,
  type HostsReply,
  type HostState,
  type HostStep,
  MAX_HOSTS,
} from "../protocol/hosts.ts";
import type { Handlers, Slice } from "../slice.ts";
import { CHECK_SECONDS } from "./check.ts";
import type { Machines } from "./machines.ts";

const ONE_CHECK = { ofOne: 1, ofAll: 1, retryAfterSeconds: CHECK_SECONDS };

export interface HostRoutesDeps {
  machines: Pick<Machines, "admit" | "findHost" | "settingsChanged" | "states">;
  check: (ssh: string) => Promise<HostStep[]>;
  settings: Pick<Settings, "changeHosts">;
  /** Why no other machine can be watched, or null. */
  unsupported: string | null;
  record: Pick<Ledger, "changed">;
}

export function hostsSlice(deps: HostRoutesDeps): Slice {
  const { machines, check, settings, unsupported, record } = deps;
  const checks = new RequestLimit("another host is being checked", ONE_CHECK);
  const stateOf = (name: string): HostState => {
    const isIt = (host: HostState) => host.kind === "ssh" && host.name === name;
    return requireHost(machines.states().find(isIt), name);
  };
  const applyChange = async (name: string): Promise<HostState> => {
    await machines.settingsChanged();
    return stateOf(name);
  };
  /** @throws AppError invalid */
  const requireDestination = (ssh: string): void => {
    const fault = destinationFault(ssh);
    const why = unsupported ?? (fault && `the destination ${fault}`);
    if (why !== null) throw new AppError("invalid", why);
  };
  const changeHost = (name: string, change: (host: HostConfig) => readonly HostConfig[]) =>
    settings.changeHosts((before) => {
      const isIt = (host: HostConfig) => host.name === name;
      requireHost(before.find(isIt), name);
      return before.flatMap((host) => (isIt(host) ? change(host) : [host]));
    });
  const routes: Handlers = {
    "GET /api/hosts": () => ({ hosts: machines.states() }) satisfies HostsReply,
    "POST /api/hosts": async (c) => {
      const { name, ssh } = c.req.valid("json");
      requireDestination(ssh);
      const badName = nameFault(name);
      if (badName) throw new AppError("invalid", `the name ${badName}`);
      await machines.admit(name);
      await settings.changeHosts((before) => withHost(before, { name, ssh, watch: true }));
      const sentence = `host ${name} was added`;
      record.changed(c.env, { kind: "host_added", what: name, sentence });
      return applyChange(name);
    },
    "POST /api/hosts/check": (c) => {
      const { ssh } = c.req.valid("json");
      requireDestination(ssh);
      return checks.run("", async (): Promise<CheckHostReply> => ({ steps: await check(ssh) }));
    },
    "PATCH /api/hosts/:name": async (c) => {
      const name = c.req.param("name");
      const { watch } = c.req.valid("json");
      await changeHost(name, (host) => [{ ...host, watch }]);
      return applyChange(name);
    },
    "DELETE /api/hosts/:name": async (c) => {
      const name = c.req.param("name");
      await changeHost(name, () => []);
      const sentence = `host ${name} was removed`;
      record.changed(c.env, { kind: "host_removed", what: name, sentence });
      await machines.settingsChanged();
    },
    "POST /api/hosts/:name/retry": (c) => {
      const { name } = stateOf(c.req.param("name"));
      const host = machines.findHost(name);
      if (host === null) throw new AppError("conflict", `${name} is not watched`);
      host.link.retry();
    },
  };
  return {
    name: "hosts",
    routes,
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

function withHost(before: readonly HostConfig[], added: HostConfig): readonly HostConfig[] {
  if (before.some(({ name }) => name === added.name))
    throw new AppError("conflict", `a host is called ${added.name} already`);
  if (before.length >= MAX_HOSTS)
    throw new AppError("invalid", `at most ${MAX_HOSTS} hosts can be watched`);
  return [...before, added];
}

/** @throws AppError not_found */
function requireHost<T>(host: T | null | undefined, name: string): T {
  if (host == null) throw new AppError("not_found", `no host is called ${name}`);
  return host;
}
