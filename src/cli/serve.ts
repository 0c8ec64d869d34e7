import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { isatty } from "node:tty";
import type { AppOptions } from "../app.ts";
import { MIN_TOKEN_CHARS } from "../config/credentials.ts";
import type { Flags } from "../config/resolve.ts";
import { tokenOf } from "../config/stored-access.ts";
import { loadState, type Sources } from "../config/load.ts";
import { requireOwnState } from "../config/ownership.ts";
import { StartupError } from "../errors.ts";
import { systemClock } from "../lib/clock.ts";
import { createLog, type Log } from "../lib/log.ts";
import { isLoopback } from "../lib/address.ts";
import { PrintError } from "../lib/print.ts";
import { quoteWord } from "../lib/words.ts";
import { openMultiplexer } from "../multiplexer.ts";
import { PATTERN_WORD } from "../pattern-worker.ts";
import { VERSION } from "../protocol/version.ts";
import { StateLock } from "../store/state-lock.ts";
import { sourcesFor } from "./context.ts";

type ServeOptions = Partial<Pick<AppOptions, "assets" | "patternWorker" | "linkCommand">> & {
  /** Its state ends with the process. */
  isSample?: boolean;
  /** What a command does beside the service that it started; null leaves the service running. */
  meanwhile?: () => Promise<number | null>;
};

// In the executable the web client lies beside this module; in the source tree it is in dist/.
const isExecutable = import.meta.url.includes("/$bunfs/");

export const SELF = isExecutable ? [process.execPath] : [process.execPath, Bun.main];

const PLACES = {
  assets: join(import.meta.dir, isExecutable ? "web" : "../../dist/web"),
  patternWorker: [...SELF, PATTERN_WORD],
};

export async function serve(flags: Flags, options: ServeOptions = {}): Promise<number> {
  const { isSample, meanwhile, ...given } = options;
  const clock = systemClock;
  const sources = await sourcesFor(flags);
  const { config, configPath, stateDir } = sources;
  const log = createLog(undefined, config["server.log"]);
  const warnings = [...requireAccess(sources), ...(await requireOwnState(stateDir, configPath))];
  for (const warning of warnings) log.warn(warning);
  const opening = openMultiplexer(config, log);
  opening.catch(() => undefined);
  // Most of the program is loaded while the multiplexer is asked for its version.
  const { createApp } = await import("../app.ts");
  const multiplexer = await opening;
  const lock = await StateLock.take(stateDir, { log });
  try {
    const localSecret = crypto.randomUUID();
    const tools = { log, clock, requireLock: () => lock.requireInPlace() };
    const loaded = await loadState(sources, { ...tools, localSecret });
    const stopped = firstSignal();
    const fault = firstUncaught(log);
    const isOurs = { requireLock: () => lock.require() };
    const places = { ...PLACES, ...given };
    const app = await createApp({ ...loaded, ...places, ...isOurs, multiplexer, log, clock });
    const run = async () => {
      const { url, address } = await app.start();
      await lock.tell(address, localSecret);
      const onPhone = meanwhile ? null : (loaded.credentials.publicUrls[0] ?? phoneCommand(flags));
      const facts = isSample ? {} : { stateDir, onPhone };
      // Not by `print`: the service goes on where nobody can read the greeting.
      await Bun.write(Bun.stdout, greeting(url, facts)).catch((error: unknown) => {
        log.warn(`the greeting cannot be printed: ${String(error)}`);
      });
      const ended = stopped.then(() => 0);
      return (await Promise.race([ended, meanwhile?.().catch(unprinted) ?? ended])) ?? ended;
    };
    try {
      return await Promise.race([run(), fault.then(() => 1)]);
    } finally {
      // Also after a refused start: its child processes must not outlive this one.
      await Promise.race([app.stop(), fault.then(() => Bun.sleep(STOP_AFTER_FAULT_MS))]);
    }
  } finally {
    await lock.release();
  }
}

/** The reader of the output is gone, such as a closed terminal: the service goes on without it. */
function unprinted(error: unknown): null {
  if (error instanceof PrintError) return null;
  throw error;
}

/** A part that the fault has broken may never stop. */
const STOP_AFTER_FAULT_MS = 5000;

/**
 * Checks who is let in by the configuration; gives warnings.
 * @throws StartupError for an unsafe configuration.
 */
export function requireAccess(
  { config, access }: Pick<Sources, "config" | "access">,
  platform = process.platform,
): string[] {
  const host = config["server.host"];
  const token = tokenOf(config, access);
  if (token === "" && !isLoopback(host))
    throw new StartupError(`refusing to bind ${host} with an empty token`);
  const read = config["server.read_token"];
  if (read !== "" && token === "")
    throw new StartupError("server.read_token needs server.token: without it everybody may act");
  if (read !== "" && read === token)
    throw new StartupError("server.read_token is server.token: a token that only looks is another");
  // Linux tells the user of a connection: see `PeerUsers` in `http/server.ts`.
  if (token === "" && platform !== "linux")
    return ["without a token, other users of this machine may type too: panewatch phone makes one"];
  const short = [token, read].some((one) => one !== "" && one.length < MIN_TOKEN_CHARS);
  const guessed = `a token below ${MIN_TOKEN_CHARS} characters can be guessed`;
  if (short && !isLoopback(host)) throw new StartupError(`refusing to bind ${host}: ${guessed}`);
  return short ? [`${guessed}: panewatch phone makes a long one where none is configured`] : [];
}

/**
 * Printed at the start; never holds the token.
 * @param facts empty for a sample; `onPhone` is the address for a phone, or the command that finds
 * one
 */
export function greeting(url: string, facts: { stateDir?: string; onPhone?: string | null }) {
  const { stateDir, onPhone } = facts;
  const state = stateDir === undefined ? "" : `State in ${stateDir}\n`;
  return `panewatch ${VERSION} on ${url}\n${state}${onPhone ? `On a phone: ${onPhone}\n` : ""}`;
}

function phoneCommand({ config }: Flags): string {
  const which = Bun.which("panewatch");
  const facts = { folder: process.cwd(), found: which && realpathSync(which) };
  return `${commandOf(SELF, facts)} phone${config ? ` --config ${quoteWord(String(config))}` : ""}`;
}

export function commandOf(
  self: readonly string[],
  { folder, found }: { folder: string; found: string | null },
): string {
  const [executable = "", ...rest] = self;
  if (rest.length === 0 && found === executable) return "panewatch";
  const typed = (path: string) => {
    const near = relative(folder, path);
    return quoteWord(near.startsWith("..") || !near.includes("/") ? path : near);
  };
  return [executable, ...rest].map(typed).join(" ");
}

/** Resolves at the first signal; a second one ends the process at once. */
function firstSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const onSignal = (_: string, number: number) => {
    if (++count > 1) process.exit(128 + number);
    resolve();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  if (!ignoresHangup()) process.on("SIGHUP", onSignal);
  return promise;
}

/** Whether the service was started to outlive its terminal, as by `nohup`. */
function ignoresHangup(): boolean {
  const status = "/proc/self/status";
  // Without /proc: nohup leaves no terminal behind the output.
  if (!existsSync(status)) return !isatty(1);
  // The lowest bit of the mask is SIGHUP.
  return /^SigIgn:\s*[0-9a-f]*[13579bdf]$/m.test(readFileSync(status, "utf8"));
}

/**
 * Resolves at the first uncaught error or rejection, after which the state of the service is
 * unknown.
 */
function firstUncaught(log: Log): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onFault = (fault: unknown) => {
    log.error("a fault that nobody caught; the service stops", fault);
    resolve();
  };
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
  return promise;
}
