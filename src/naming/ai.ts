import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { JsonFile, UnreadableError } from "../lib/json-file.ts";
import { Loop } from "../lib/loop.ts";
import { ask, callOf, type AskOptions, type BackendCall, type NamingConfig } from "./backends.ts";
import { NameCache, NAMES_FILE } from "./cache.ts";
import { runsOneOf } from "./heuristics.ts";
import type { AiNames, PaneLook } from "./namer.ts";
import { parseAnswer, questionOf } from "./question.ts";
import type { NamedPane } from "./resolve.ts";

export interface AiNamerDeps {
  config: NamingConfig;
  cache: NameCache;
  /** This process's environment, of which a backend's gets a little. */
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  log: Log;
  /** Asks the backend; a test gives its own. */
  ask?: (call: BackendCall, options: AskOptions) => Promise<string>;
}

/** Null when it is switched off. */
export async function openAiNamer(
  options: Omit<AiNamerDeps, "cache" | "ask"> & { stateDir: string },
): Promise<AiNamer | null> {
  const { config, stateDir, clock, log } = options;
  if (!config["auto_naming.ai_enabled"] || config["auto_naming.timeout"] === 0) return null;
  const cache = new NameCache(new JsonFile(join(stateDir, NAMES_FILE), { log, clock }));
  try {
    await cache.load();
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    log.warn(`naming by a model is off: ${error.message}`);
    return null;
  }
  return new AiNamer({ ...options, cache });
}

/** A pane that has just begun shows nothing to be named after. */
export const SETTLE_SECONDS = 20;
const REST_MS = 2000;
const FIRST_PAUSE_SECONDS = 30;
const LONGEST_PAUSE_SECONDS = 30 * 60;
const MAX_WANTED = 200;

interface Wish {
  pane: NamedPane;
  lines: readonly string[];
  since: number;
  seenAt: number;
}

/**
 * Asks a model for names, one pane at a time, beside the passes: `nameOf` answers from what is
 * there. While the backend fails, the pauses between its attempts grow.
 */
export class AiNamer implements AiNames {
  readonly #deps: AiNamerDeps;
  readonly #programs: ReadonlySet<string>;
  readonly #wishes = new Map<string, Wish>();
  readonly #loop: Loop;
  #pauseSeconds = 0;
  #notBefore = -Infinity;

  constructor(deps: AiNamerDeps) {
    this.#deps = deps;
    this.#programs = new Set(deps.config["auto_naming.ai_programs"]);
    const run = (signal: AbortSignal) => this.#turn(signal);
    this.#loop = new Loop({ run, restMs: () => REST_MS, log: deps.log });
  }

  nameOf(pane: NamedPane, look: PaneLook): string | null {
    if (!runsOneOf(this.#programs, { ...pane, kind: look.kind })) return null;
    const key = keyOf(pane);
    const name = this.#deps.cache.find(key, this.#deps.clock.now());
    if (name === null) this.#want(key, pane, look);
    return name;
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  #want(key: string, pane: NamedPane, { lines }: PaneLook): void {
    const now = this.#deps.clock.monotonic();
    const wish = this.#wishes.get(key);
    if (!wish && this.#wishes.size >= MAX_WANTED) return;
    this.#wishes.set(key, { pane, lines, since: wish?.since ?? now, seenAt: now });
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { cache, clock, log } = this.#deps;
    await cache.notice();
    const now = clock.monotonic();
    // What no pass has wanted for a while is gone.
    for (const [key, wish] of this.#wishes)
      if (now - wish.seenAt > SETTLE_SECONDS) this.#wishes.delete(key);
    if (now < this.#notBefore) return;
    const next = this.#wishes.entries().find(([, wish]) => now - wish.since >= SETTLE_SECONDS);
    if (!next) return;
    const [key, wish] = next;
    this.#wishes.delete(key);
    try {
      const name = await this.#ask(wish, signal);
      await cache.add(key, name, clock.now());
      if (this.#pauseSeconds > 0) log.info("naming by a model works again");
      this.#pauseSeconds = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (this.#pauseSeconds === 0) log.warn(`naming by a model fails: ${messageOf(error)}`);
      const longer = this.#pauseSeconds * 2 || FIRST_PAUSE_SECONDS;
      this.#pauseSeconds = Math.min(LONGEST_PAUSE_SECONDS, longer);
      this.#notBefore = clock.monotonic() + this.#pauseSeconds;
    }
  }

  async #ask({ pane, lines }: Wish, signal: AbortSignal): Promise<string> {
    const { config, env } = this.#deps;
    const timeoutMs = config["auto_naming.timeout"] * 1000;
    const call = callOf(config, questionOf(pane, lines), env);
    const answer = await (this.#deps.ask ?? ask)(call, { timeoutMs, signal });
    const name = parseAnswer(answer, config["auto_naming.max_len"]);
    if (name === null) throw new Error("the answer holds no name");
    return name;
  }
}

/** Another program or folder in the same pane is another thing to name. */
function keyOf({ identity, command, cwd }: NamedPane): string {
  return new Bun.CryptoHasher("sha256").update(`${identity}\0${command}\0${cwd}`).digest("hex");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
