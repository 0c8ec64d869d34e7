import type { Flags } from "../config/resolve.ts";
import { destinationFault, nameFault } from "../config/checks.ts";
import { StartupError } from "../errors.ts";
import { printedJson } from "../lib/json.ts";
import { print } from "../lib/print.ts";
import { runInTerminal } from "../lib/run.ts";
import { CheckHostReply, HostsReply, HostState, type HostStep } from "../protocol/hosts.ts";
import { Ok } from "../protocol/input.ts";
import { stripControls } from "../lib/words.ts";
import { askFor } from "./ask-service.ts";
import { renderColumns } from "./panes/list.ts";

const CHECK_TIMEOUT_MS = 30_000;
const ADD = "panewatch hosts add NAME [DESTINATION]";

export async function listHosts(flags: Flags): Promise<string> {
  const hosts = await readHosts(flags);
  return flags.json ? printedJson(hosts, 2) : renderHosts(hosts);
}

export function renderHosts(hosts: readonly HostState[]): string {
  if (hosts.length === 0) return `no other machine is watched: ${ADD}\n`;
  return renderColumns(
    hosts.map((host) => {
      const { name, ssh, status, panes, version, round_trip_ms, reason, detail } = host;
      const answer = round_trip_ms === null ? "" : `${Math.round(round_trip_ms)} ms`;
      const tmux = version === null ? "" : `tmux ${version}`;
      const count = `${panes} ${panes === 1 ? "pane" : "panes"}`;
      const why = [reason?.replaceAll("_", " "), detail].filter(Boolean).join(": ");
      return [name, status, ssh ?? "this machine", count, tmux, answer, why].map(stripControls);
    }),
  );
}

/** `panewatch hosts add`: the first connection is made in the person's terminal. */
export async function addHost(
  flags: Flags & { name: string; destination: string | undefined },
): Promise<number | string> {
  const { name, destination: ssh = name } = flags;
  const fault = nameFault(name);
  if (fault) throw new StartupError(`the name ${fault}`);
  const code = await runInTerminal(firstConnection(ssh));
  if (code !== 0)
    throw new StartupError(`ssh ${ssh} ended with ${code}; nothing was added: mend that first`);
  if (!(await printCheck(flags, ssh))) return 1;
  await askFor(flags, { method: "POST", path: "/api/hosts", body: { name, ssh } }, HostState);
  return `${name} is watched from now on\n`;
}

/** `panewatch hosts remove`: its panes disappear, its names and stars stay in the settings. */
export async function removeHost(flags: Flags & { name: string }): Promise<string> {
  const { name } = flags;
  await askFor(flags, { method: "DELETE", path: `/api/hosts/${encodeURIComponent(name)}` }, Ok);
  return `${name} is not watched any more\n`;
}

export async function checkHosts(flags: Flags & { name: string }): Promise<number> {
  const { name } = flags;
  const host = (await readHosts(flags)).find((one) => one.kind === "ssh" && one.name === name);
  return (await printCheck(flags, host?.ssh ?? name)) ? 0 : 1;
}

/** A command in which ssh itself asks for the host key, a password or a second factor. */
export function firstConnection(ssh: string): string[] {
  const fault = destinationFault(ssh);
  if (fault) throw new StartupError(`the destination ${fault}`);
  return ["ssh", "-o", "ControlPath=none", "--", ssh, "exit 0"];
}

export function renderSteps(steps: readonly HostStep[]): string {
  return renderColumns(
    steps.map(({ step, ok, detail, ms }) =>
      [ok ? "ok" : "FAIL", step.replaceAll("_", " "), `${ms} ms`, detail ?? ""].map(stripControls),
    ),
  );
}

async function printCheck(flags: Flags, ssh: string): Promise<boolean> {
  const request = { method: "POST", path: "/api/hosts/check", body: { ssh } } as const;
  const { steps } = await askFor(
    flags,
    { ...request, timeoutMs: CHECK_TIMEOUT_MS },
    CheckHostReply,
  );
  print(renderSteps(steps));
  const isWhole = steps.every(({ ok }) => ok);
  const isTmux = steps.at(-1)?.step === "tmux";
  const remedy = isTmux ? "install tmux 3.2 or newer there" : `mend it with: ssh ${ssh} true`;
  if (!isWhole) print(`${remedy}\n`);
  return isWhole;
}

export async function readHosts(flags: Flags): Promise<HostState[]> {
  return (await askFor(flags, { method: "GET", path: "/api/hosts" }, HostsReply)).hosts;
}
