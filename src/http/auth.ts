import { timingSafeEqual } from "node:crypto";
import { TooManyError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";
import type { TokenAccess } from "../protocol/config.ts";
import { BadTokenError } from "./errors.ts";
import { NO_TALLY, tallied, type Tally } from "./tally.ts";

/** Wrong tokens from one peer address within `WINDOW_SECONDS` before it has to wait. */
export const MAX_WRONG_TOKENS = 60;
export const WINDOW_SECONDS = 60;
/** Peers that are remembered; beyond that the oldest window is dropped. */
const MAX_PEERS = 10_000;

interface Window {
  wrong: number;
  endsAt: number;
}

/** Compares presented tokens with those that are good, for requests and sockets alike. */
export class TokenCheck {
  /** Digest of each good token; none: everybody is admitted. */
  readonly #good: readonly (readonly [digest: Buffer, access: TokenAccess])[];
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  /** Log limits, one for each sort: a port scan without tokens must not hide guesses. */
  readonly #refused: Record<"missing" | "wrong", Tally> = { missing: NO_TALLY, wrong: NO_TALLY };

  /**
   * An empty `token` admits everybody. `local` signs in like the token: a secret of this run, which
   * only the user of this machine can read. `read` lets its client look and do nothing.
   */
  constructor(deps: { token: string; read?: string; local?: string; clock: Clock }) {
    const { token, read = "", local = "" } = deps;
    const known = [[token, "all"] as const, [local, "all"] as const, [read, "read"] as const];
    const secrets = token === "" ? [] : known.filter(([secret]) => secret !== "");
    this.#good = secrets.map(([secret, access]) => [sha256(secret), access]);
    this.#clock = deps.clock;
  }

  get isRequired(): boolean {
    return this.#good.length > 0;
  }

  /**
   * A missing token is no guess and is not counted. A good token is admitted whatever others at the
   * same address have tried: behind a proxy that is everybody.
   * @throws AppError unauthorized, or too_many.
   */
  require(presented: string | null, peer: string): TokenAccess {
    if (!this.isRequired) return "all";
    const access = presented === null ? null : this.#accessOf(sha256(presented));
    if (access !== null) return access;
    if (presented !== null) this.guessedWrong(peer);
    const sort = presented === null ? "missing" : "wrong";
    const { tally, isLogged, unlogged } = tallied(this.#refused[sort], this.#clock.monotonic());
    this.#refused[sort] = tally;
    throw new BadTokenError(isLogged, unlogged);
  }

  /** Compares digests of equal length in constant time: timing tells nothing of a secret. */
  #accessOf(presented: Buffer): TokenAccess | null {
    const [found] = this.#good.filter(([digest]) => timingSafeEqual(presented, digest));
    return found?.[1] ?? null;
  }

  /**
   * Counts a wrong guess, also of another secret that leads to the token.
   * @throws AppError too_many.
   */
  guessedWrong(peer: string): void {
    const now = this.#clock.monotonic();
    const window = this.#windows.get(peer);
    if (window && now < window.endsAt) {
      window.wrong++;
      if (window.wrong > MAX_WRONG_TOKENS)
        throw new TooManyError("too many bad tokens", Math.ceil(window.endsAt - now));
      return;
    }
    // The map is ordered by age of the windows: a new one goes to the end.
    this.#windows.delete(peer);
    this.#windows.set(peer, { wrong: 1, endsAt: now + WINDOW_SECONDS });
    for (const [oldest, { endsAt }] of this.#windows) {
      if (endsAt > now && this.#windows.size <= MAX_PEERS) break;
      this.#windows.delete(oldest);
    }
  }
}

/** The token of an `Authorization: Bearer …` header, or null. */
export function bearerOf(header: string | undefined): string | null {
  return /^Bearer +(\S.*)$/i.exec(header ?? "")?.[1] ?? null;
}
