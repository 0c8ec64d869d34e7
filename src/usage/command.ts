import { parseJson } from "../lib/json.ts";
import { run, RunError } from "../lib/run.ts";
import type { UsageReason } from "../protocol/usage.ts";

const MAX_COLLECTOR_BYTES = 16 * 1024 * 1024;
const QUOTA_TIMEOUT_MS = 30_000;
const SYNC_TIMEOUT_MS = 30_000;
const REPORT_TIMEOUT_MS = 120_000;

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
  /** Executable and first arguments, from the configuration. */
  command: readonly string[];
  env?: Record<string, string | undefined>;
  /** Overrides the timeout of every call. */
  timeoutMs?: number;
}

/** The external program that counts tokens and knows quotas. */
export class Collector {
  readonly #deps: CollectorDeps;

  constructor(deps: CollectorDeps) {
    this.#deps = deps;
  }

  /** Where the executable is now, or null. */
  get path(): string | null {
    const { command, env } = this.#deps;
    return Bun.which(command[0] ?? "", env?.PATH === undefined ? undefined : { PATH: env.PATH });
  }

  quotas(signal: AbortSignal): Promise<unknown> {
    return this.#json(["usage", "--json"], QUOTA_TIMEOUT_MS, signal);
  }

  /** Brings one agent's data up to date. A failure is ignored: the other reports do not need it. */
  async sync(signal: AbortSignal): Promise<void> {
    await this.#run(["antigravity", "sync"], SYNC_TIMEOUT_MS, signal).catch((error: unknown) => {
      if (!(error instanceof CollectorError)) throw error;
    });
  }

  hourly(signal: AbortSignal): Promise<unknown> {
    return this.#report(["hourly", "--json", "--today"], signal);
  }

  /** Both dates are included, as `YYYY-MM-DD`. */
  daily(since: string, until: string, signal: AbortSignal): Promise<unknown> {
    return this.#report(["graph", "--since", since, "--until", until], signal);
  }

  monthly(signal: AbortSignal): Promise<unknown> {
    return this.#report(["monthly", "--json"], signal);
  }

  #report(args: readonly string[], signal: AbortSignal): Promise<unknown> {
    return this.#json([...args, "--no-spinner"], REPORT_TIMEOUT_MS, signal);
  }

  async #json(args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<unknown> {
    const value = parseJson(await this.#run(args, timeoutMs, signal));
    if (value !== undefined) return value;
    throw new CollectorError("error", `The usage collector's ${args[0]} is not JSON.`);
  }

  async #run(args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<string> {
    const { command, env } = this.#deps;
    const { path } = this;
    if (path === null)
      throw new CollectorError("not_installed", "The usage collector was not found on this host.");
    const what = `The usage collector's ${args[0]}`;
    try {
      const { code, stdout } = await run([path, ...command.slice(1), ...args], {
        timeoutMs: this.#deps.timeoutMs ?? timeoutMs,
        maxBytes: MAX_COLLECTOR_BYTES,
        signal,
        ...(env ? { env } : {}),
      });
      if (code === 0) return new TextDecoder().decode(stdout);
      throw new CollectorError("error", `${what} ended with code ${code}.`);
    } catch (cause) {
      if (!(cause instanceof RunError)) throw cause;
      throw failed(what, cause);
    }
  }
}

function failed(what: string, cause: RunError): CollectorError {
  switch (cause.kind) {
    case "not_found":
      return new CollectorError("not_installed", `${what} could not be started.`, { cause });
    case "timeout":
      return new CollectorError("timeout", `${what} did not end in time.`, { cause });
    case "too_large":
      return new CollectorError("error", `${what} printed more than 16 MiB.`, { cause });
    case "aborted":
      return new CollectorError("error", `${what} was stopped.`, { cause });
  }
}
