import { parseJson } from "../lib/json.ts";
import { run, RunError } from "../lib/run.ts";
import type { UsageReason } from "../protocol/usage.ts";

const MAX_COLLECTOR_BYTES = 16 * 1024 * 1024;
const REPORT_TIMEOUT_MS = 120_000;
/** By subcommand; for all others the one above. */
const TIMEOUT_MS: Readonly<Record<string, number>> = { usage: 30_000, antigravity: 30_000 };

/** Why a call of the collector failed; the message may go into a reply. */
export class CollectorError extends Error {
  override readonly name = "CollectorError";
  constructor(
    readonly reason: Exclude<UsageReason, "disabled">,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

interface CollectorDeps {
  command: readonly string[];
  env?: Record<string, string | undefined>;
  /** For every call. */
  timeoutMs?: number;
}

export class Collector {
  readonly #deps: CollectorDeps;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
  }

  /** Of the executable now; null where it is not installed. */
  get path(): string | null {
    const { command, env } = this.#deps;
    return Bun.which(command[0] ?? "", env?.PATH === undefined ? undefined : { PATH: env.PATH });
  }

  /** @throws CollectorError */
  async json(args: readonly string[], signal: AbortSignal): Promise<unknown> {
    const value = parseJson(await this.run(args, signal));
    if (value !== undefined) return value;
    throw new CollectorError("error", `The usage collector's ${args[0]} is not JSON.`);
  }

  /** @throws CollectorError */
  async run(args: readonly string[], signal: AbortSignal): Promise<string> {
    const { command, env } = this.#deps;
    const { path } = this;
    if (path === null)
      throw new CollectorError("not_installed", "The usage collector was not found on this host.");
    const what = `The usage collector's ${args[0]}`;
    try {
      const { code, stdout } = await run([path, ...command.slice(1), ...args], {
        timeoutMs: this.#deps.timeoutMs ?? TIMEOUT_MS[args[0] ?? ""] ?? REPORT_TIMEOUT_MS,
        maxBytes: MAX_COLLECTOR_BYTES,
        signal,
        ...(env ? { env } : {}),
      });
      if (code === 0) return new TextDecoder().decode(stdout);
      throw new CollectorError("error", `${what} ended with code ${code}.`);
    } catch (cause) {
      if (!(cause instanceof RunError)) throw cause;
      const [reason, how] = FAILURES[cause.kind];
      throw new CollectorError(reason, `${what} ${how}.`, { cause });
    }
  }
}

const FAILURES = {
  not_found: ["not_installed", "could not be started"],
  timeout: ["timeout", "did not end in time"],
  too_large: ["error", "printed more than 16 MiB"],
  aborted: ["error", "was stopped"],
} as const satisfies Record<RunError["kind"], readonly [CollectorError["reason"], string]>;
