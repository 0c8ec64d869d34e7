import { timingSafeEqual } from "node:crypto";
import type { Credentials } from "../config/credentials.ts";
import { TooManyError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";
import type { Grant } from "../slice.ts";
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

const ANYBODY: Grant = { who: "anybody", access: "all", digest: null };

/** Compares presented tokens with those that are good now, for requests and sockets alike. */
export class TokenCheck {
  readonly #credentials: Pick<Credentials, "grants" | "isRequired">;
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();
  /** Log limits, one for each sort: a port scan without tokens must not hide guesses. */
  readonly #refused: Record<"missing" | "wrong", Tally> = { missing: NO_TALLY, wrong: NO_TALLY };

  constructor(deps: { credentials: Pick<Credentials, "grants" | "isRequired">; clock: Clock }) {
    this.#credentials = deps.credentials;
    this.#clock = deps.clock;
  }

  get isRequired(): boolean {
    return this.#credentials.isRequired;
  }

  /**
   * A missing token is no guess and is not counted. A good token is admitted whatever others at the
   * same address have tried: behind a proxy that is everybody. Without a token anybody is admitted,
   * and who signs in all the same is still known.
   * @throws AppError unauthorized, or too_many.
   */
  require(presented: string | null, peer: string): Grant {
    const grant = presented === null ? null : this.#grantOf(sha256(presented));
    if (grant !== null) return grant;
    if (!this.isRequired) return ANYBODY;
    if (presented !== null) this.guessedWrong(peer);
    const sort = presented === null ? "missing" : "wrong";
    const { tally, isLogged, unlogged } = tallied(this.#refused[sort], this.#clock.monotonic());
    this.#refused[sort] = tally;
    throw new BadTokenError(isLogged, unlogged);
  }

  /** Whether what once let somebody in would do so now. */
  holds({ digest }: Grant): boolean {
    return digest === null ? !this.isRequired : this.#grantOf(digest) !== null;
  }

  /** Compares digests of equal length in constant time: timing tells nothing of a secret. */
  #grantOf(presented: Buffer): Grant | null {
    const isIt = ({ digest }: Grant) => digest !== null && timingSafeEqual(presented, digest);
    return this.#credentials.grants.filter(isIt)[0] ?? null;
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
