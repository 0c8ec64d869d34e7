import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { serviceUrl } from "../cli/ask-service.ts";
import { serviceControl } from "../cli/service.ts";
import { MIN_TOKEN_CHARS } from "../config/credentials.ts";
import { readKeptAccess, tokenOf } from "../config/kept-access.ts";
import { localDisk, resolveRoots } from "../creation/roots.ts";
import { LABELS } from "../detect/agents.ts";
import { StartupError } from "../errors.ts";
import { UPLOADS_FOLDER } from "../images/images.ts";
import { isLoopback, listenFailure } from "../lib/address.ts";
import { requestDirectly } from "../lib/direct-request.ts";
import { isObject, parseJson } from "../lib/json.ts";
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

export function lookAtUsage({ config }: DoctorContext): readonly Check[] {
  if (!config["usage.enabled"]) return [ok("usage: off")];
  const [executable = ""] = config["usage.command"];
  const path = Bun.which(executable);
  if (path !== null) return [ok(`usage: ${path}`)];
  return [warn(`usage: ${executable} is not installed`, "install it, or set usage.command")];
}

export async function* lookAtCreation({ config }: DoctorContext): AsyncGenerator<Check, void> {
  if (!config["creation.enabled"]) return yield ok("creation: off");
  const dropped: string[] = [];
  const roots = await resolveRoots(localDisk, config["creation.roots"], {
    warn: (message) => void dropped.push(message),
  });
  for (const why of dropped) yield warn(why, "correct it in creation.roots");
  yield roots.length > 0
    ? ok(`creation: in ${roots.map(({ path }) => path).join(", ")}`)
    : warn("creation: no valid root, so that it is off", "set creation.roots");
}

export function lookAtNaming({ config }: DoctorContext): readonly Check[] {
  const backend = config["auto_naming.ai_backend"];
  if (!config["auto_naming.ai_enabled"]) return [ok("naming by a model: off")];
  if (backend === "local")
    return [ok(`naming by a model: ${withoutPath(config["auto_naming.local_url"])}`)];
  const executable = config[`auto_naming.${backend}_bin`];
  const path = Bun.which(executable);
  if (path !== null) return [ok(`naming by a model: ${backend}, ${path}`)];
  return [
    warn(
      `naming by a model: ${executable} is not installed`,
      `install it, or set auto_naming.${backend}_bin`,
    ),
  ];
}

export async function* lookAtImages({ stateDir }: DoctorContext): AsyncGenerator<Check, void> {
  const folder = join(stateDir, UPLOADS_FOLDER);
  const found = await lstat(folder).catch(() => null);
  if (found === null || found.isDirectory()) return yield ok(`images: in ${folder}`);
  const refused = `images: ${folder} is a link or no folder, so that uploads are refused`;
  yield warn(refused, "remove it");
}

export async function* lookAtPairing(context: DoctorContext): AsyncGenerator<Check, void> {
  const { config, stateDir } = context;
  const kept = await readKeptAccess(stateDir);
  if (tokenOf(config, kept) === "")
    return yield ok("pairing: off, as no token is set (panewatch phone)");
  const { urls, isLocal } = baseUrls({
    publicUrls: [...config["server.public_urls"], ...kept.addresses],
    pageOrigin: null,
    bindHost: config["server.host"],
    port: config["server.port"],
    interfaces: interfaceAddresses(),
  });
  yield isLocal
    ? warn("pairing: only this machine can connect", "panewatch phone finds a way")
    : ok(`pairing: a phone reaches ${urls.join(", ")}`);
}

export async function* lookAtService({
  flags,
  config,
}: DoctorContext): AsyncGenerator<Check, void> {
  try {
    const service = serviceControl(flags, [process.execPath]);
    const status = await service.status();
    const fault = agentFault({
      platform: process.platform,
      hasHosts: config.hosts.length > 0,
      agent: process.env[SSH_AGENT] ?? "",
      isGiven: !status.isInstalled || (await service.gives(SSH_AGENT)),
    });
    yield serviceCheck(status);
    if (fault !== null) yield warn(`service: ${fault.text}`, fault.remedy);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    yield ok("service: this system has no systemd or launchd");
  }
}

export function serviceCheck({ isInstalled, isRunning }: ServiceStatus): Check {
  if (!isInstalled) return ok("service: not installed (panewatch service install)");
  if (typeof isRunning === "object")
    return warn(
      `service: installed; whether it runs cannot be told: ${isRunning.unknown}`,
      "ask from a session that has a user bus",
    );
  if (isRunning) return ok("service: installed and running");
  return warn("service: installed, but not running", "panewatch service install starts it");
}

const PROBE_TIMEOUT_MS = 2000;
const PROBE_MAX_BYTES = 1024 * 1024;

export async function* lookAtAddress(context: DoctorContext): AsyncGenerator<Check, void> {
  const { config, stateDir } = context;
  const host = config["server.host"];
  const { length } = tokenOf(config, await readKeptAccess(stateDir));
  if (length > 0) yield ok("a token is set");
  else if (isLoopback(host)) yield ok("no token: only this machine can connect");
  else
    yield fail(
      `refusing to bind ${host} with an empty token`,
      "set server.token in the file, or run panewatch phone first",
    );
  if (length > 0 && length < MIN_TOKEN_CHARS)
    yield warn(`the token has ${length} characters`, "use a long random one: openssl rand -hex 32");
  yield await listenerCheck(host, config["server.port"]);
}

async function listenerCheck(host: string, port: number): Promise<Check> {
  const at = `${host} port ${port}`;
  const code = await listenFailure(host, port);
  if (code === null) return ok(port === 0 ? `${host}, any free port` : `${at} is free`);
  if (code !== "EADDRINUSE")
    return fail(`cannot listen on ${at}: ${code}`, "see --host and --port");
  if (await isPanewatch(host, port)) return ok(`panewatch runs at ${at}`);
  return fail(`${at} is taken by another program`, "choose another port with --port");
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
