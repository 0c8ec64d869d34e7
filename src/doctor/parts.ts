import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { serviceUrl } from "../cli/ask-service.ts";
import { serviceControl } from "../cli/service.ts";
import { isObject } from "../lib/json.ts";
import type { Config } from "../config/fields.ts";
import { readKeptAccess, tokenOf } from "../config/kept-access.ts";
import { localDisk, resolveRoots } from "../creation/roots.ts";
import { LABELS } from "../detect/agents.ts";
import { StartupError } from "../errors.ts";
import { UPLOADS_FOLDER } from "../images/images.ts";
import { requestDirectly } from "../lib/direct-request.ts";
import { parseJson } from "../lib/json.ts";
import { isLoopback, listenFailure } from "../lib/address.ts";
import { baseUrls, interfaceAddresses } from "../pairing/links.ts";
import { agentFault, SSH_AGENT } from "../service/managers.ts";
import type { ServiceStatus } from "../service/service.ts";
import { withoutPath } from "./state.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";

export function lookAtRuntimes({ config }: DoctorContext): readonly Check[] {
  return Object.entries(config["creation.runtimes"]).map(([id, [executable = ""]]) => {
    const label = LABELS[id] ?? id;
    const path = Bun.which(executable);
    return ok(
      path === null ? `New offers no ${label}: no ${executable} here` : `${label}: ${path}`,
    );
  });
}

interface UsageFacts {
  enabled: boolean;
  executable: string;
  path: string | null;
}

export function lookAtUsage({ config }: DoctorContext): readonly Check[] {
  const [executable = ""] = config["usage.command"];
  const path = Bun.which(executable);
  return usageChecks({ enabled: config["usage.enabled"], executable, path });
}

export function usageChecks({ enabled, executable, path }: UsageFacts): Check[] {
  if (!enabled) return [ok("usage: off")];
  if (path !== null) return [ok(`usage: ${path}`)];
  return [warn(`usage: ${executable} is not installed`, "install it, or set usage.command")];
}

interface CreationFacts {
  enabled: boolean;
  roots: readonly string[];
  dropped: readonly string[];
}

export async function lookAtCreation({ config }: DoctorContext): Promise<readonly Check[]> {
  const dropped: string[] = [];
  const roots = await resolveRoots(localDisk, config["creation.roots"], {
    warn: (message) => void dropped.push(message),
  });
  const enabled = config["creation.enabled"];
  return creationChecks({ enabled, roots: roots.map(({ path }) => path), dropped });
}

export function creationChecks({ enabled, roots, dropped }: CreationFacts): Check[] {
  if (!enabled) return [ok("creation: off")];
  const checks = dropped.map((why) => warn(why, "correct it in creation.roots"));
  if (roots.length > 0) return [...checks, ok(`creation: in ${roots.join(", ")}`)];
  return [...checks, warn("creation: no valid root, so that it is off", "set creation.roots")];
}

interface NamingFacts {
  enabled: boolean;
  backend: string;
  executable: string | null;
  path: string | null;
}

export function lookAtNaming({ config }: DoctorContext): readonly Check[] {
  return namingChecks(namingFacts(config));
}

export function namingChecks({ enabled, backend, executable, path }: NamingFacts): Check[] {
  if (!enabled) return [ok("naming by a model: off")];
  if (executable === null) return [ok(`naming by a model: ${backend}`)];
  if (path !== null) return [ok(`naming by a model: ${backend}, ${path}`)];
  return [
    warn(
      `naming by a model: ${executable} is not installed`,
      `install it, or set auto_naming.${backend}_bin`,
    ),
  ];
}

function namingFacts(config: Config): NamingFacts {
  const backend = config["auto_naming.ai_backend"];
  const enabled = config["auto_naming.ai_enabled"];
  if (backend === "local")
    return {
      ...{ enabled, executable: null, path: null },
      backend: withoutPath(config["auto_naming.local_url"]),
    };
  const executable = config[`auto_naming.${backend}_bin`];
  return { enabled, backend, executable, path: Bun.which(executable) };
}

export async function lookAtImages({ stateDir }: DoctorContext): Promise<readonly Check[]> {
  const folder = join(stateDir, UPLOADS_FOLDER);
  const found = await lstat(folder).catch(() => null);
  return imagesChecks({ folder, isLinkOrFile: found !== null && !found.isDirectory() });
}

export function imagesChecks(facts: { folder: string; isLinkOrFile: boolean }): Check[] {
  const { folder, isLinkOrFile } = facts;
  if (!isLinkOrFile) return [ok(`images: in ${folder}`)];
  const refused = `images: ${folder} is a link or no folder, so that uploads are refused`;
  return [warn(refused, "remove it")];
}

interface PairingFacts {
  hasToken: boolean;
  urls: readonly string[];
  isLocal: boolean;
}

export async function lookAtPairing(context: DoctorContext): Promise<readonly Check[]> {
  const { config, stateDir } = context;
  const kept = await readKeptAccess(stateDir);
  const { urls, isLocal } = baseUrls({
    publicUrls: [...config["server.public_urls"], ...kept.addresses],
    pageOrigin: null,
    bindHost: config["server.host"],
    port: config["server.port"],
    interfaces: interfaceAddresses(),
  });
  return pairingChecks({ hasToken: tokenOf(config, kept) !== "", urls, isLocal });
}

export function pairingChecks({ hasToken, urls, isLocal }: PairingFacts): Check[] {
  if (!hasToken) return [ok("pairing: off, as no token is set (panewatch phone)")];
  if (!isLocal) return [ok(`pairing: a phone reaches ${urls.join(", ")}`)];
  return [warn("pairing: only this machine can connect", "panewatch phone finds a way")];
}

export async function lookAtService({ flags, config }: DoctorContext): Promise<readonly Check[]> {
  try {
    const service = serviceControl(flags, [process.execPath]);
    const status = await service.status();
    const fault = agentFault({
      platform: process.platform,
      hasHosts: config.hosts.length > 0,
      agent: process.env[SSH_AGENT] ?? "",
      isGiven: !status.isInstalled || (await service.gives(SSH_AGENT)),
    });
    const agent = fault === null ? [] : [warn(`service: ${fault.text}`, fault.remedy)];
    return [...serviceChecks(status), ...agent];
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return [ok("service: this system has no systemd or launchd")];
  }
}

export function serviceChecks({ isInstalled, isRunning }: ServiceStatus): Check[] {
  if (!isInstalled) return [ok("service: not installed (panewatch service install)")];
  if (typeof isRunning === "object")
    return [
      warn(
        `service: installed; whether it runs cannot be told: ${isRunning.unknown}`,
        "ask from a session that has a user bus",
      ),
    ];
  if (isRunning) return [ok("service: installed and running")];
  return [warn("service: installed, but not running", "panewatch service install starts it")];
}

const MIN_TOKEN_CHARS = 16;
const PROBE_TIMEOUT_MS = 2000;
const PROBE_MAX_BYTES = 1024 * 1024;

type Listener = "free" | "panewatch" | "other" | { failure: string };

export interface AddressFacts {
  host: string;
  port: number;
  tokenChars: number;
  listener: Listener;
}

export async function lookAtAddress(context: DoctorContext): Promise<readonly Check[]> {
  const { config, stateDir } = context;
  const host = config["server.host"];
  const port = config["server.port"];
  const tokenChars = tokenOf(config, await readKeptAccess(stateDir)).length;
  return addressChecks({ host, port, tokenChars, listener: await listenerAt(host, port) });
}

export function addressChecks({ host, port, tokenChars, listener }: AddressFacts): Check[] {
  const at = `${host} port ${port}`;
  const checks: Check[] = [];
  if (tokenChars > 0) checks.push(ok("a token is set"));
  else if (isLoopback(host)) checks.push(ok("no token: only this machine can connect"));
  else
    checks.push(
      fail(
        `refusing to bind ${host} with an empty token`,
        "set server.token in the file, or run panewatch phone first",
      ),
    );
  if (tokenChars > 0 && tokenChars < MIN_TOKEN_CHARS)
    checks.push(
      warn(`the token has ${tokenChars} characters`, "use a long random one: openssl rand -hex 32"),
    );
  if (listener === "free") checks.push(ok(port === 0 ? `${host}, any free port` : `${at} is free`));
  else if (listener === "panewatch") checks.push(ok(`panewatch runs at ${at}`));
  else if (listener === "other")
    checks.push(fail(`${at} is taken by another program`, "choose another port with --port"));
  else checks.push(fail(`cannot listen on ${at}: ${listener.failure}`, "see --host and --port"));
  return checks;
}

async function listenerAt(host: string, port: number): Promise<Listener> {
  const code = await listenFailure(host, port);
  if (code === null) return "free";
  if (code !== "EADDRINUSE") return { failure: code };
  return (await isPanewatch(host, port)) ? "panewatch" : "other";
}

/** Asks without the token, which another program on the port must not learn. */
async function isPanewatch(host: string, port: number): Promise<boolean> {
  try {
    const reply = await requestDirectly(`${serviceUrl(host, port)}/api/config`, {
      method: "GET",
      timeoutMs: PROBE_TIMEOUT_MS,
      maxBytes: PROBE_MAX_BYTES,
    });
    const body = parseJson(reply.text);
    if (!isObject(body)) return false;
    return "_info" in body || ("detail" in body && body.detail === "bad or missing token");
  } catch {
    // Something listens that speaks no HTTP: it is not this service.
    return false;
  }
}
