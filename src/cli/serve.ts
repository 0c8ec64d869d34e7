import { homedir } from "node:os";
import { readFlags } from "../config/flags.ts";
import { loadConfig } from "../config/load.ts";
import type { Settings } from "../config/settings.ts";
import type { Config } from "../config/fields.ts";
import { StartupError } from "../errors.ts";
import { systemClock, type Clock } from "../lib/clock.ts";
import { isLoopback } from "../lib/loopback.ts";
import { createLog, type Log } from "../lib/log.ts";
import { VERSION } from "../protocol/version.ts";
import type { Flags } from "./arguments.ts";

/** What the running service is made from. */
export interface AppOptions {
  settings: Settings;
  stateDir: string;
  instanceId: string;
  /** Folder of the built web client. */
  assets: string;
  /** Entry of the pattern worker. */
  workerUrl: URL;
  log: Log;
  clock: Clock;
}

export interface App {
  /** Opens the port after the first pass; `url` has the port that was taken. */
  start(): Promise<{ url: string }>;
  stop(): Promise<void>;
}

export interface ServeDeps {
  createApp: (options: AppOptions) => Promise<App>;
  assets: string;
  workerUrl: URL;
}

/** Runs the service until a signal; the result is the exit code. */
export async function serve(flags: Flags, deps: ServeDeps): Promise<number> {
  const { createApp, ...places } = deps;
  const log = createLog();
  const clock = systemClock;
  const loaded = await loadConfig({
    configPath: configPathOf(flags),
    flags: readFlags(flags),
    home: homedir(),
    log,
    clock,
  });
  const config = loaded.settings.current;
  requireSupported(config);
  const stopped = firstSignal();
  const app = await createApp({ ...loaded, ...places, log, clock });
  const { url } = await startOn(app, config);
  process.stdout.write(greeting({ url, stateDir: loaded.stateDir, config }));
  await stopped;
  await app.stop();
  return 0;
}

export function configPathOf(flags: Flags): string | null {
  const path = flags.get("config");
  return typeof path === "string" ? path : null;
}

/** @throws StartupError for what this build cannot do or must not do. */
export function requireSupported(config: Config): void {
  if (config["terminal.provider"] === "wsp")
    throw new StartupError("terminal provider wsp: this build supports mux only so far");
  const host = config["server.host"];
  if (config["server.token"] === "" && !isLoopback(host))
    throw new StartupError(`refusing to bind ${host} with an empty token`);
}

/** What a person sees at the start; never the token. */
export function greeting(facts: { url: string; stateDir: string; config: Config }): string {
  const { url, stateDir, config } = facts;
  const [publicUrl] = config["server.public_urls"];
  const phone = publicUrl
    ? `On a phone: ${publicUrl}`
    : `On a phone: put HTTPS in front, such as: tailscale serve ${new URL(url).port}`;
  return `panewatch ${VERSION} on ${url}\nState in ${stateDir}\n${phone}\n`;
}

async function startOn(app: App, config: Config): Promise<{ url: string }> {
  try {
    return await app.start();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    const at = `${config["server.host"]} port ${config["server.port"]}`;
    await app.stop();
    if (code === "EADDRINUSE")
      throw new StartupError(`${at} is taken; choose another with --port (0 takes a free one)`, {
        cause,
      });
    if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new StartupError(`cannot listen on ${at} (${code}); see --host and --port`, { cause });
    throw cause;
  }
}

/** Settles at the first SIGINT or SIGTERM; a second one ends the process at once. */
function firstSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen = 0;
  const onSignal = (_: string, number: number) => {
    if (++seen > 1) process.exit(128 + number);
    resolve();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return promise;
}
