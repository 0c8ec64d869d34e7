import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { StartupError } from "../../errors.ts";
import { run, RunError, type RunOptions, type RunResult } from "../../lib/run.ts";
import { argumentsOf, scriptOf, type CommandLine } from "./script.ts";

const OLDEST_VERSION = { major: 3, minor: 2 };
/** How tmux reads its commands from stdin, which holds more of them than its arguments can. */
export const FEED: CommandLine = [["source-file", "-"]];
const VERSION_TIMEOUT_MS = 5000;

/** Runs commands of one tmux executable against one server socket. */
export class MuxClient {
  readonly executable: string;
  /** As `tmux -V` says it: `3.3a`, `next-3.6`, `master`. */
  readonly version: string;
  readonly #prefix: readonly string[];

  private constructor(executable: string, version: string, socket: string) {
    this.executable = executable;
    this.version = version;
    this.#prefix = [executable, "-u", ...socketArgs(socket)];
  }

  /**
   * Finds the executable (in PATH unless it is a path) and asks for its version.
   * @throws StartupError when there is none, or it is too old.
   */
  static async open(options: { binary: string; socket: string }): Promise<MuxClient> {
    const executable = Bun.which(options.binary);
    if (!executable)
      throw new StartupError(
        `cannot find the multiplexer "${options.binary}": install tmux 3.2 or newer, or set mux.binary to its path`,
      );
    const version = await readVersion(executable);
    if (isTooOld(version))
      throw new StartupError(`${executable} is tmux ${version}: 3.2 or newer is needed`);
    return new MuxClient(executable, version, options.socket);
  }

  /**
   * One process, the cheapest way for a short line without secrets: every user of the machine can
   * read it. `-u` lets names and screens through as they are, whatever the locale; the environment
   * is ours, so `TMUX` and `TMUX_TMPDIR` choose the server as they do for a person.
   */
  run(line: CommandLine, options: RunOptions): Promise<RunResult> {
    return run(this.command(argumentsOf(line)), options);
  }

  /**
   * One process that reads any number of lines from stdin. tmux goes on with the next line after one
   * that fails, and leaves with 1 then.
   */
  feed(lines: readonly CommandLine[], options: Omit<RunOptions, "stdin">): Promise<RunResult> {
    return this.run(FEED, { ...options, stdin: scriptOf(lines) });
  }

  /** The whole argument list: executable, UTF-8, socket. It escapes nothing. */
  command(args: readonly string[]): string[] {
    return [...this.#prefix, ...args];
  }
}

/** A name is for `-L`, a path for `-S`; nothing leaves the choice to tmux. */
function socketArgs(socket: string): string[] {
  if (socket === "") return [];
  return [socket.includes("/") ? "-S" : "-L", socket];
}

/**
 * Where the socket of the watched server is, as tmux(1) resolves it: a path is itself, a name lies
 * in the user's folder below TMUX_TMPDIR, or below /tmp when there is no such folder, and nothing
 * means the server of TMUX, else `default`.
 */
export function socketPath(
  socket: string,
  env: Record<string, string | undefined>,
  uid: number,
): string {
  if (socket.includes("/")) return resolve(socket);
  const [inherited = ""] = (env.TMUX ?? "").split(",");
  if (socket === "" && inherited !== "") return inherited;
  const folder = realFolder(env.TMUX_TMPDIR || "/tmp") ?? realFolder("/tmp") ?? "/tmp";
  return join(folder, `tmux-${uid}`, socket || "default");
}

function realFolder(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    // Not there, or not for this user: tmux passes it over.
    return null;
  }
}

async function readVersion(executable: string): Promise<string> {
  try {
    const result = await run([executable, "-V"], { timeoutMs: VERSION_TIMEOUT_MS, maxBytes: 4096 });
    const version = /^tmux (\S+)/.exec(new TextDecoder().decode(result.stdout))?.[1];
    if (version) return version;
  } catch (cause) {
    if (!(cause instanceof RunError)) throw cause;
    throw new StartupError(`cannot run ${executable}: ${cause.message}`, { cause });
  }
  throw new StartupError(`${executable} does not answer to -V as tmux does`);
}

/** Unnumbered versions (`master`, `openbsd-7.5`) are built from newer source than 3.2. */
function isTooOld(version: string): boolean {
  const parts = /^(?:next-)?(\d+)\.(\d+)/.exec(version);
  if (!parts) return false;
  const [major, minor] = [Number(parts[1]), Number(parts[2])];
  if (major !== OLDEST_VERSION.major) return major < OLDEST_VERSION.major;
  return minor < OLDEST_VERSION.minor;
}
