import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { StartupError } from "../../errors.ts";
import { type Limits, run, RunError, type RunOptions, type RunResult } from "../../lib/run.ts";
import { newMark } from "./commands.ts";
import { argumentsOf, type CommandLine, scriptOf, type Tmux } from "./tmux.ts";

const OLDEST_VERSION = { major: 3, minor: 2 };
/** Reads commands from stdin, which holds more of them than the arguments can. */
export const FEED: CommandLine = [["source-file", "-"]];
const VERSION_TIMEOUT_MS = 5000;

/** Each call is a process of its own. */
export class MuxClient implements Tmux {
  readonly executable: string;
  readonly version: string;
  readonly socket: string;
  readonly batchRows = 30_000;
  readonly newMark = newMark;
  readonly #prefix: readonly string[];

  private constructor(
    { executable, version, socket }: Pick<MuxClient, "executable" | "version" | "socket">,
    prefix: readonly string[],
  ) {
    this.executable = executable;
    this.version = version;
    this.socket = socket;
    this.#prefix = prefix;
  }

  /** @throws StartupError when there is no such executable in PATH, or it is too old */
  static async open(options: {
    /** Looked up in PATH, or a path. */
    binary: string;
    /** Name or path of the socket; empty: as tmux resolves it. */
    socket: string;
  }): Promise<MuxClient> {
    const executable = Bun.which(options.binary);
    if (!executable)
      throw new StartupError(
        `cannot find the multiplexer "${options.binary}": install tmux 3.2 or newer, or set mux.binary to its path`,
      );
    const version = await readVersion(executable);
    if (isTooOld(version))
      throw new StartupError(`${executable} is tmux ${version}: 3.2 or newer is needed`);
    const socket = socketPath(options.socket, process.env, process.getuid?.() ?? 0);
    // `-u` lets names and screens through as they are, whatever the locale.
    const prefix = [executable, "-u", ...socketArgs(options.socket)];
    return new MuxClient({ executable, version, socket }, prefix);
  }

  run(line: CommandLine, options: RunOptions): Promise<RunResult> {
    return run([...this.#prefix, ...argumentsOf(line)], options);
  }

  feed(lines: readonly CommandLine[], limits: Limits): Promise<RunResult> {
    return this.run(FEED, { ...limits, stdin: scriptOf(lines) });
  }
}

function socketArgs(socket: string): string[] {
  if (socket === "") return [];
  return [socket.includes("/") ? "-S" : "-L", socket];
}

/**
 * The path of the socket as tmux(1) resolves it: a name lies in the user's folder below TMUX_TMPDIR, or
 * below /tmp when there is no such folder; an empty one means the server of TMUX, else `default`.
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
    // tmux ignores a folder that is missing or not readable.
    return null;
  }
}

async function readVersion(executable: string): Promise<string> {
  try {
    const result = await run([executable, "-V"], { timeoutMs: VERSION_TIMEOUT_MS, maxBytes: 4096 });
    const version = parseVersion(new TextDecoder().decode(result.stdout));
    if (version) return version;
  } catch (cause) {
    if (!(cause instanceof RunError)) throw cause;
    throw new StartupError(`cannot run ${executable}: ${cause.message}`, { cause });
  }
  throw new StartupError(`${executable} does not answer to -V as tmux does`);
}

export function parseVersion(output: string): string | null {
  return /^tmux (\S+)/.exec(output)?.[1] ?? null;
}

/** Versions without a number (`master`, `openbsd-7.5`) are built from newer source than 3.2. */
export function isTooOld(version: string): boolean {
  const parts = /^(?:next-)?(\d+)\.(\d+)/.exec(version);
  if (!parts) return false;
  const [major, minor] = [Number(parts[1]), Number(parts[2])];
  if (major !== OLDEST_VERSION.major) return major < OLDEST_VERSION.major;
  return minor < OLDEST_VERSION.minor;
}

/** For a machine that is not watched: its server never runs. */
export class NoTmux implements Tmux {
  readonly version = null;
  readonly socket = null;
  readonly batchRows = 1;
  readonly newMark = newMark;

  async run(): Promise<RunResult> {
    return { code: 1, stdout: new Uint8Array(), stderr: "no server running on this machine" };
  }

  feed(): Promise<RunResult> {
    return this.run();
  }
}
