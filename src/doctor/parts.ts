import { findService } from "../store/state-lock.ts";
import { requireAccess } from "../cli/serve.ts";
import { serviceControl } from "../cli/service.ts";
import { readStoredAccess, tokenOf } from "../config/stored-access.ts";
import { localDisk, resolveRoots } from "../creation/roots.ts";
import { LABELS } from "../detect/agents.ts";
import { StartupError } from "../errors.ts";
import { listenFailure } from "../lib/address.ts";
import { baseUrls, interfaceAddresses } from "../pairing/links.ts";
import type { ServiceStatus } from "../service/service.ts";
import { withoutPath } from "./state.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";

export function examineRuntimes({ config }: DoctorContext): readonly Check[] {
  return Object.entries(config["creation.runtimes"]).map(([id, [executable = ""]]) => {
    const label = LABELS[id] ?? id;
    const path = Bun.which(executable);
    return ok(
      path === null ? `New offers no ${label}: no ${executable} here` : `${label}: ${path}`,
    );
  });
}

export function examineUsage({ config }: DoctorContext): readonly Check[] {
  if (!config["usage.enabled"]) return [ok("usage: off")];
  const [executable = ""] = config["usage.command"];
  return [programCheck("usage:", executable, "usage.command")];
}

function programCheck(part: string, executable: string, key: string, name = ""): Check {
  const path = Bun.which(executable);
  if (path !== null) return ok(`${part} ${name}${path}`);
  return warn(`${part} ${executable} is not installed`, `install it, or set ${key}`);
}

export async function* examineCreation({ config }: DoctorContext): AsyncGenerator<Check, void> {
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

export function examineNaming({ config }: DoctorContext): readonly Check[] {
  const backend = config["auto_naming.ai_backend"];
  if (!config["auto_naming.ai_enabled"]) return [ok("naming by a model: off")];
  if (backend === "local")
    return [ok(`naming by a model: ${withoutPath(config["auto_naming.local_url"])}`)];
  const key = `auto_naming.${backend}_bin` as const;
  return [programCheck("naming by a model:", config[key], key, `${backend}, `)];
}

export async function* examinePairing(context: DoctorContext): AsyncGenerator<Check, void> {
  const { config, stateDir } = context;
  const access = await readStoredAccess(stateDir);
  if (tokenOf(config, access) === "")
    return yield ok("pairing: off, as no token is set (panewatch phone)");
  const { urls, isLocal } = baseUrls({
    publicUrls: [...config["server.public_urls"], ...access.addresses],
    pageOrigin: null,
    bindHost: config["server.host"],
    port: config["server.port"],
    interfaces: interfaceAddresses(),
  });
  yield isLocal
    ? warn("pairing: only this machine can connect", "panewatch phone finds a way")
    : ok(`pairing: a phone reaches ${urls.join(", ")}`);
}

export async function* examineService({ flags }: DoctorContext): AsyncGenerator<Check, void> {
  try {
    yield serviceCheck(await serviceControl(flags, [process.execPath]).status());
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    yield ok("service: this system has no systemd or launchd");
  }
}

export function serviceCheck({ isInstalled, isRunning, sentence }: ServiceStatus): Check {
  const text = `service: ${sentence}`;
  if (!isInstalled) return ok(`${text} (panewatch service install)`);
  if (isRunning) return ok(text);
  const remedy = "panewatch service install starts it";
  return warn(text, isRunning === null ? "ask from a session that has a user bus" : remedy);
}

const LONG_TOKEN = "set server.token in the file to a long random one (openssl rand -hex 32)";

export async function* examineAddress(context: DoctorContext): AsyncGenerator<Check, void> {
  const { config, stateDir } = context;
  const host = config["server.host"];
  const access = await readStoredAccess(stateDir);
  try {
    const warnings = requireAccess({ config, access });
    const isOpen = tokenOf(config, access) === "";
    yield ok(isOpen ? "no token: only this machine can connect" : "a token is set");
    for (const warning of warnings) yield warn(warning, LONG_TOKEN);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    yield fail(error.message, `${LONG_TOKEN}, or run panewatch phone first`);
  }
  const port = config["server.port"];
  const code = listenFailure(host, port);
  const holder = code === "EADDRINUSE" ? await findService(stateDir) : null;
  yield holder?.address?.port === port
    ? ok(`panewatch runs at ${host} port ${port}`)
    : listenerCheck(host, port, code);
}

function listenerCheck(host: string, port: number, code: string | null): Check {
  const at = `${host} port ${port}`;
  if (code === null) return ok(port === 0 ? `${host}, any free port` : `${at} is free`);
  if (code !== "EADDRINUSE")
    return fail(`cannot listen on ${at}: ${code}`, "see --host and --port");
  return fail(`${at} is taken by another program`, "choose another port with --port");
}
