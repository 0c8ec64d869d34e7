import { constants } from "node:fs";
import { access, lstat, readdir, readFile, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Flags } from "./cli/arguments.ts";
import { examine, hasFailure, renderReport, type DoctorFacts } from "./cli/checks.ts";
import { multiplexerFacts } from "./cli/multiplexer.ts";
import { serviceUrl } from "./cli/pair.ts";
import { configPathOf } from "./cli/serve.ts";
import { serviceControl } from "./cli/service.ts";
import type { Field } from "./config/field.ts";
import { CONFIG_KEYS, FIELDS, type Config } from "./config/fields.ts";
import { readFlags } from "./config/flags.ts";
import { OVERLAY_FILE, parseOverlay } from "./config/overlay.ts";
import { resolve, sourceOf, type Layers, type Source } from "./config/resolve.ts";
import { stateDirOf } from "./config/state-dir.ts";
import { readYaml } from "./config/yaml.ts";
import { resolveRoots } from "./creation/roots.ts";
import { StartupError } from "./errors.ts";
import { UPLOADS_FOLDER } from "./images/images.ts";
import { requestDirectly } from "./lib/direct-request.ts";
import { nearestReal } from "./lib/inside.ts";
import { interfaceAddresses } from "./pairing/interfaces.ts";
import { baseUrls } from "./pairing/links.ts";
import { VERSION } from "./protocol/version.ts";

const PROBE_TIMEOUT_MS = 2000;
const PROBE_MAX_BYTES = 1024 * 1024;
const MAX_SHOWN_CHARS = 120;

const SOURCES: Readonly<Record<Source, string>> = {
  default: "default",
  yaml: "configuration file",
  overlay: "changed in the settings page",
  flags: "command line",
};

/** Checks this machine and prints what it found; 1 when something keeps the service from working. */
export async function doctor(flags: Flags): Promise<number> {
  const sections = examine(await gather(flags));
  process.stdout.write(renderReport(sections));
  return hasFailure(sections) ? 1 : 0;
}

/** Looks only: nothing is created, moved or corrected. */
async function gather(flags: Flags): Promise<DoctorFacts> {
  const path = configPathOf(flags);
  const stateDir = stateDirOf({ configPath: path, home: homedir() });
  const { layers, refusal, warnings } = await readLayers(flags, path, stateDir);
  const config = resolve(layers);
  const runtimes = Object.entries(config["creation.runtimes"]).map(([id, [executable = ""]]) => ({
    id,
    executable,
    path: Bun.which(executable),
  }));
  return {
    versions: {
      panewatch: VERSION,
      bun: Bun.version,
      system: `${process.platform} ${process.arch}`,
    },
    config: {
      path,
      refusal,
      warnings,
      values: valuesOf(layers, config),
      exposesToken: layers.yaml["server.token"] !== undefined && (await isOpen(path)),
    },
    multiplexer: await multiplexerFacts(config, layers),
    state: await stateFacts(stateDir),
    bind: {
      host: config["server.host"],
      port: config["server.port"],
      tokenChars: config["server.token"].length,
      listener: await listenerAt(config["server.host"], config["server.port"]),
    },
    runtimes,
    usage: usageFacts(config),
    creation: await creationFacts(config),
    naming: namingFacts(config),
    images: await imagesFacts(join(stateDir, UPLOADS_FOLDER)),
    phone: phoneFacts(config),
    service: await serviceFacts(flags),
  };
}

async function readLayers(flags: Flags, path: string | null, stateDir: string) {
  const warnings: string[] = [];
  let refusal: string | null = null;
  const layers: Layers = { yaml: {}, overlay: {}, flags: readFlags(flags) };
  try {
    if (path !== null) {
      const yaml = await readYaml(path);
      layers.yaml = yaml.layer;
      warnings.push(...yaml.warnings);
    }
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    refusal = error.message;
  }
  const saved = await readFile(join(stateDir, OVERLAY_FILE), "utf8").catch(() => null);
  const overlay = saved === null ? null : parseOverlay(parseJson(saved));
  if (overlay) {
    layers.overlay = overlay.layer;
    warnings.push(...overlay.warnings);
  } else if (saved !== null) {
    warnings.push(`${OVERLAY_FILE} is corrupt; the next start sets it aside`);
  }
  return { layers, refusal, warnings };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Told as corrupt by the caller, as any other content that is no object.
    return null;
  }
}

function valuesOf(layers: Layers, config: Config): DoctorFacts["config"]["values"] {
  return CONFIG_KEYS.flatMap((key) => {
    const source = sourceOf(layers, key);
    if (source === "default") return [];
    const field: Field<unknown> = FIELDS[key];
    const value = field.secret ? "(set, not shown)" : JSON.stringify(config[key]);
    const shown = value.length > MAX_SHOWN_CHARS ? `${value.slice(0, MAX_SHOWN_CHARS)}…` : value;
    return [{ key, value: shown, source: SOURCES[source] }];
  });
}

async function stateFacts(path: string): Promise<DoctorFacts["state"]> {
  const names = await readdir(path).catch(() => null);
  if (names === null)
    return {
      path,
      exists: false,
      isWritable: await isWritable(await nearestReal(path)),
      open: [],
      corrupt: [],
    };
  const ours = names.filter((name) => /^(panewatch-|server-instance-id$|uploads$)/.test(name));
  const paths = ours.map((name) => join(path, name));
  const modes = await Promise.all(
    paths.map(async (one) => ({ path: one, mode: await modeOf(one) })),
  );
  return {
    path,
    exists: true,
    isWritable: await isWritable(path),
    open: modes.flatMap((one) =>
      one.mode & 0o077 ? [{ path: one.path, mode: one.mode.toString(8) }] : [],
    ),
    corrupt: paths.filter((one) => one.includes(".corrupt-")),
  };
}

async function isWritable(path: string): Promise<boolean> {
  return access(path, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function isOpen(path: string | null): Promise<boolean> {
  return path !== null && ((await modeOf(path)) & 0o044) !== 0;
}

/** 0 for what cannot be looked at: nothing is known of it then. */
async function modeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ mode }) => mode & 0o777,
    () => 0,
  );
}

type Listener = DoctorFacts["bind"]["listener"];

async function listenerAt(host: string, port: number): Promise<Listener> {
  const code = await listenFailure(host, port);
  if (code === null) return "free";
  if (code !== "EADDRINUSE") return { failure: code };
  return (await isPanewatch(host, port)) ? "panewatch" : "other";
}

function listenFailure(host: string, port: number): Promise<string | null> {
  const { promise, resolve: settle } = Promise.withResolvers<string | null>();
  const server = createServer();
  server.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
  server.listen(port, host, () => server.close(() => settle(null)));
  return promise;
}

/** Asks without the token: whoever listens there must not learn it. */
async function isPanewatch(host: string, port: number): Promise<boolean> {
  try {
    const reply = await requestDirectly(`${serviceUrl(host, port)}/api/config`, {
      method: "GET",
      timeoutMs: PROBE_TIMEOUT_MS,
      maxBytes: PROBE_MAX_BYTES,
    });
    const body: unknown = JSON.parse(reply.text);
    if (typeof body !== "object" || body === null) return false;
    return "_info" in body || ("detail" in body && body.detail === "bad or missing token");
  } catch {
    // Something listens that speaks no HTTP, or no JSON: it is not this service.
    return false;
  }
}

function usageFacts(config: Config): DoctorFacts["usage"] {
  const [executable = ""] = config["usage.command"];
  return { enabled: config["usage.enabled"], executable, path: Bun.which(executable) };
}

async function creationFacts(config: Config): Promise<DoctorFacts["creation"]> {
  const dropped: string[] = [];
  const roots = await resolveRoots(config["creation.roots"], {
    warn: (message) => void dropped.push(message),
  });
  return {
    enabled: config["creation.enabled"],
    roots: roots.map(({ path }) => path),
    dropped,
  };
}

function namingFacts(config: Config): DoctorFacts["naming"] {
  const backend = config["auto_naming.ai_backend"];
  const enabled = config["auto_naming.ai_enabled"];
  if (backend === "local")
    return { enabled, backend: config["auto_naming.local_url"], executable: null, path: null };
  const executable = config[`auto_naming.${backend}_bin`];
  return { enabled, backend, executable, path: Bun.which(executable) };
}

async function imagesFacts(folder: string): Promise<DoctorFacts["images"]> {
  const found = await lstat(folder).catch(() => null);
  return { folder, isLinkOrFile: found !== null && !found.isDirectory() };
}

function phoneFacts(config: Config): DoctorFacts["phone"] {
  return baseUrls({
    publicUrls: config["server.public_urls"],
    pageOrigin: null,
    bindHost: config["server.host"],
    port: config["server.port"],
    interfaces: interfaceAddresses(),
  });
}

async function serviceFacts(flags: Flags): Promise<DoctorFacts["service"]> {
  try {
    return await serviceControl(flags, [process.execPath]).status();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return null;
  }
}
