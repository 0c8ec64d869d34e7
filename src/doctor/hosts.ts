import { checkHost } from "../hosts/check.ts";
import { tmuxFault } from "../multiplexer.ts";
import type { HostConfig, HostStep } from "../protocol/hosts.ts";
import { type Check, ok, warn } from "./check.ts";
import type { DoctorContext } from "./topic.ts";

/** Connects to every machine that is watched, once. */
export async function lookAtHosts({ config }: DoctorContext): Promise<readonly Check[]> {
  const { hosts } = config;
  if (hosts.length === 0) return [ok("only this machine is watched")];
  if (config["terminal.provider"] !== "mux")
    return [warn("other machines are watched with tmux only", "remove hosts")];
  const watched = hosts.filter(({ watch }) => watch);
  return Promise.all(
    watched.map(async (host) =>
      hostCheck(host, await checkHost(host.ssh, { versionFault: tmuxFault })),
    ),
  );
}

export function hostCheck({ name, ssh }: HostConfig, steps: readonly HostStep[]): Check {
  const last = steps.at(-1);
  if (last?.ok) return ok(`${name} can be watched, with ${last.detail ?? "its tmux"}`);
  const step = (last?.step ?? "resolve").replaceAll("_", " ");
  return warn(
    `${name} cannot be watched: ${step}: ${last?.detail ?? "no word from ssh"}`,
    `ssh ${ssh} true`,
  );
}
