import { timingSafeEqual } from "node:crypto";
import type { Credentials } from "../config/credentials.ts";
import { AppError, TooManyError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";
import { ANYBODY, type Grant } from "../slice.ts";
import { BadTokenError } from "./errors.ts";

/** Wrong tokens from one peer address within `WINDOW_SECONDS` before it has to wait. */
export const MAX_WRONG_TOKENS = 60;
export const WINDOW_SECONDS = 60;
/** Peers that are remembered; beyond that the oldest window is dropped. */
const MAX_PEERS = 10_000;
/** Refusals of one sort within `WINDOW_SECONDS` that the log tells: guesses must not fill it. */
export const MAX_LOGGED = 10;

interface Window {
  count: number;
  endsAt: number;
}

interface TokenCheckDeps {
  credentials: Pick<Credentials, "grants" | "isRequired" | "noteUse">;
  clock: Pick<Clock, "monotonic">;
  /** Told of each secret that let nobody in. */
  signRefused?: (peer: string) => void;
}

/** Compares presented tokens with those that are good now, for requests and sockets alike. */
export class TokenCheck {
  readonly #deps: TokenCheckDeps;
  /** Digests that were good in this run: whoever is in stays in, whatever others at its address try. */
  readonly #known = new Set<Buffer>();
  readonly #windows = new Map<string, Window>();
  /** By sort: a port scan without tokens must not hide guesses. */
  readonly #refusals = new Map<string, Window>();

  constructor(deps: TokenCheckDeps) {
    this.#deps = deps;
  }

  /**
   * A missing token is no guess and is not counted. Over the limit of its address a token is compared
   * with those alone that were good in this run: behind a proxy an address is everybody. Without a
   * token anybody is admitted, and who signs in all the same is still known.
   * @throws AppError unauthorized, or too_many.
   */
  require(presented: string | null, peer: string): Grant {
    const { credentials } = this.#deps;
    const digest = presented === null ? null : sha256(presented);
    const grant = digest && this.#grantOf(digest, peer);
    if (grant) {
      credentials.noteUse(grant, peer);
      return grant;
    }
    if (!credentials.isRequired) return ANYBODY;
    if (presented !== null) this.guessedWrong(peer);
    const sort = presented === null ? "missing" : "wrong";
    throw new BadTokenError(this.#count(this.#refusals, sort) <= MAX_LOGGED);
  }

  /** As what let somebody in would do so now; null where it would not. */
  current({ digest }: Pick<Grant, "digest">): Grant | null {
    const { isRequired, grants } = this.#deps.credentials;
    if (digest === null) return isRequired ? null : ANYBODY;
    return find(grants, digest);
  }

  /** @throws AppError too_many */
  #grantOf(presented: Buffer, peer: string): Grant | null {
    const { grants, isRequired } = this.#deps.credentials;
    const isKnown = [...this.#known].filter((digest) => timingSafeEqual(digest, presented)).length;
    // The secret of the commands of this machine is of this run, and cannot be guessed.
    const open = isKnown ? grants : grants.filter(({ id }) => id === "local");
    const found = find(open, presented);
    if (found) return found;
    if (isRequired) this.requireGuessable(peer);
    const grant = find(grants, presented);
    if (grant) this.#known.add(presented);
    return grant;
  }

  /**
   * Whether a secret of this address is looked at.
   * @throws AppError too_many
   */
  requireGuessable(peer: string): void {
    const window = this.#windows.get(peer);
    const left = window ? window.endsAt - this.#deps.clock.monotonic() : 0;
    if (!window || left <= 0 || window.count < MAX_WRONG_TOKENS) return;
    this.#deps.signRefused?.(peer);
    throw new TooManyError("too many bad tokens", Math.ceil(left));
  }

  guessedWrong(peer: string): void {
    this.#deps.signRefused?.(peer);
    this.#count(this.#windows, peer);
  }

  /** How many there were in this window, with this one. */
  #count(windows: Map<string, Window>, key: string): number {
    const now = this.#deps.clock.monotonic();
    const window = windows.get(key);
    if (window && now < window.endsAt) return ++window.count;
    // The map is ordered by age of the windows: a new one goes to the end.
    windows.delete(key);
    windows.set(key, { count: 1, endsAt: now + WINDOW_SECONDS });
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= MAX_PEERS) break;
      windows.delete(oldest);
    }
    return 1;
  }
}

/** Compares digests of equal length in constant time: timing tells nothing of a secret. */
function find(grants: readonly Grant[], presented: Buffer): Grant | null {
  const isIt = ({ digest }: Grant) => digest !== null && timingSafeEqual(presented, digest);
  return grants.filter(isIt)[0] ?? null;
}

/**
 * While nobody is asked for a token, everybody who has an account here could type as this user.
 * @throws AppError forbidden
 */
export function requireSameUser(grant: Grant, isOtherUser?: () => boolean): void {
  if (grant.digest === null && isOtherUser?.())
    throw new AppError(
      "forbidden",
      "without a token, other users of this machine are refused: panewatch phone makes one",
    );
}

/** Null for any other header. */
export function bearerOf(header: string | undefined): string | null {
  return /^Bearer +(\S.*)$/i.exec(header ?? "")?.[1] ?? null;
}
