import { timingSafeEqual } from "node:crypto";
import { TooManyError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";
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
  /** Empty: everybody is admitted. */
  readonly #digests: readonly Buffer[];
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  /** Log limits, one for each sort: a port scan without tokens must not hide guesses. */
  readonly #refused: Record<"missing" | "wrong", Tally> = { missing: NO_TALLY, wrong: NO_TALLY };

  /**
   * An empty `token` admits everybody. `local` signs in like the token: a secret of this run, which
   * only the user of this machine can read.
   */
  constructor(deps: { token: string; local?: string; clock: Clock }) {
    const { token, local = "" } = deps;
    const secrets = token === "" ? [] : [token, local].filter((secret) => secret !== "");
    this.#digests = secrets.map(sha256);
    this.#clock = deps.clock;
  }

  get isRequired(): boolean {
    return this.#digests.length > 0;
  }

  /**
   * A missing token is no guess and is not counted. A good token is admitted whatever others at the
   * same address have tried: behind a proxy that is everybody.
   * @throws AppError unauthorized, or too_many.
   */
  require(presented: string | null, peer: string): void {
    if (!this.isRequired || (presented !== null && this.#isGood(sha256(presented)))) return;
    if (presented !== null) this.guessedWrong(peer);
    const sort = presented === null ? "missing" : "wrong";
    const { tally, isLogged, unlogged } = tallied(this.#refused[sort], this.#clock.monotonic());
    this.#refused[sort] = tally;
    throw new BadTokenError(isLogged, unlogged);
  }

  /** Compares digests of equal length in constant time: timing tells nothing of a secret. */
  #isGood(presented: Buffer): boolean {
    return this.#digests.filter((digest) => timingSafeEqual(presented, digest)).length > 0;
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
