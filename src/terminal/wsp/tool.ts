import { realpathSync, statSync } from "node:fs";
import { StartupError } from "../../errors.ts";
import { run, RunError, type RunResult } from "../../lib/run.ts";
import { type FailureCategory, refusalIn, WspFailure } from "./wire.ts";

const CALL_TIMEOUT_MS = 5000;
/** More than a snapshot of thousands of panes. */
export const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** The operating system refuses a longer argument. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;
/** Flags that the tool takes out of its arguments anywhere, also where a text stands. */
const FLAGS = ["--session", "--remote", "--remote-keybindings"];
const DEFAULT_BINARY = "wsp";
/** Tried where the default one is not in PATH; a name that a person has set is the only one tried. */
const SECOND_BINARY = "herdr";

const CATEGORIES = {
  timeout: "timeout",
  aborted: "timeout",
  too_large: "oversized",
  not_found: "binary_missing",
} as const satisfies Record<RunError["kind"], FailureCategory>;

export interface ToolOptions {
  binary: string;
  session: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Starts its processes; absent: the system does. */
  run?: typeof run;
}

export class Tool {
  readonly executable: string;
  readonly session: string;
  readonly #env: Record<string, string | undefined>;
  readonly #file: string;
  readonly #run: typeof run;

  private constructor(executable: string, { session, env, run: start = run }: ToolOptions) {
    this.executable = executable;
    this.#run = start;
    this.session = session;
    this.#env = childEnvironment(env, session);
    this.#file = fileOf(executable);
  }

  /** @throws StartupError when there is no such executable */
  static open(options: ToolOptions): Tool {
    const { binary, env } = options;
    const names = binary === DEFAULT_BINARY ? [DEFAULT_BINARY, SECOND_BINARY] : [binary];
    const path = env.PATH ?? "";
    const found = names.flatMap((name) => Bun.which(name, { PATH: path }) ?? [])[0];
    if (found === undefined)
      throw new StartupError(
        `wsp executable: no program ${names.join(" or ")} is found; install herdr, or set terminal.wsp.binary to its path`,
      );
    return new Tool(realpathSync(found), options);
  }

  /** False when the executable has been replaced. */
  get isUnchanged(): boolean {
    return fileOf(this.executable) === this.#file;
  }

  /** With any exit code. @throws WspFailure: then it may have done something or not */
  async run(words: readonly string[], signal?: AbortSignal): Promise<RunResult> {
    try {
      return await this.#run([this.executable, ...withSession(words, this.session)], {
        timeoutMs: CALL_TIMEOUT_MS,
        maxBytes: MAX_OUTPUT_BYTES,
        env: this.#env,
        ...(signal ? { signal } : {}),
      });
    } catch (cause) {
      if (!(cause instanceof RunError)) throw cause;
      throw new WspFailure(CATEGORIES[cause.kind], `${nameOf(words)}: ${cause.message}`, { cause });
    }
  }

  /** The output of a command that only reads. @throws WspFailure */
  async read(words: readonly string[], signal?: AbortSignal): Promise<string> {
    const { code, stdout, stderr } = await this.run(words, signal);
    const name = nameOf(words);
    const refusal = code === 1 ? refusalIn(name, stderr) : null;
    if (code !== 0) throw refusal ?? new WspFailure("command_failed", `${name}: exit ${code}`);
    try {
      return decoder.decode(stdout);
    } catch (cause) {
      throw new WspFailure("malformed", `${name}: the output is not UTF-8`, { cause });
    }
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The session stands last, as two arguments: so it wins over any earlier one and the environment. */
export function withSession(words: readonly string[], session: string): string[] {
  return [...words, "--session", session];
}

/** Whether the tool would not send this text: a bare `--` ends its search for flags, the rest are flags. */
export function isTakenForFlag(text: string): boolean {
  if (text === "--") return true;
  return FLAGS.some((flag) => text === flag || text.startsWith(`${flag}=`));
}

export function isTooLong(text: string): boolean {
  return Buffer.byteLength(text) > MAX_ARGUMENT_BYTES;
}

// Without the text that was sent and the output: both are private.
function nameOf(words: readonly string[]): string {
  return `wsp ${words.slice(0, 2).join(" ")}`;
}

function childEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  session: string,
): Record<string, string | undefined> {
  const inherited = Object.entries(env).filter(([name]) => !name.startsWith("HERDR_"));
  return { ...Object.fromEntries(inherited), HERDR_SESSION: session };
}

function fileOf(path: string): string {
  try {
    const { dev, ino, mtimeMs, size } = statSync(path);
    return [dev, ino, mtimeMs, size].join(" ");
  } catch {
    // A missing file is not the one that was checked.
    return "";
  }
}
