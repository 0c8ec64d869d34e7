import { timingSafeEqual } from "node:crypto";
import type { Credentials } from "../config/credentials.ts";
import { AppError, TooManyError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";
import { ANYBODY, type Grant } from "../slice.ts";
import { BadTokenError } from "./errors.ts";

/** Of one address within `WINDOW_SECONDS`: after that it has to wait. */
export const MAX_WRONG_TOKENS = 60;
export const WINDOW_SECONDS = 60;
const MAX_PEERS = 10_000;
/** Refusals of one sort within `WINDOW_SECONDS`: guesses must not fill the log. */
export const MAX_LOGGED = 10;

interface CountWindow {
  count: number;
  endsAt: number;
}

interface TokenCheckDeps {
  credentials: Pick<Credentials, "grants" | "isRequired" | "noteUse">;
  clock: Pick<Clock, "monotonic">;
  /** Called for each wrong secret. */
  signRefused?: (peer: string) => void;
}

/** Compares tokens with the valid ones, for requests and sockets alike. */
export class TokenCheck {
  readonly #deps: TokenCheckDeps;
  /** Digests that were valid in this run: guesses of others at an address must not lock them out. */
  readonly #known = new Set<Buffer>();
  /** Wrong tokens by address. */
  readonly #windows = new Map<string, CountWindow>();
  /** By sort: a port scan without tokens must not hide guesses. */
  readonly #refusals = new Map<string, CountWindow>();

  constructor(deps: TokenCheckDeps) {
    this.#deps = deps;
  }

  /**
   * A missing token is no guess and is not counted. An address over its limit is compared with tokens
   * that were valid in this run alone: behind a proxy everybody has one address. Where no token is
   * required, one that is sent still tells who it is.
   * @throws AppError unauthorized, or too_many
   */
  require(token: string | null, peer: string): Grant {
    const { credentials } = this.#deps;
    const digest = token === null ? null : sha256(token);
    const grant = digest && this.#grantOf(digest, peer);
    if (grant) {
      credentials.noteUse(grant, peer);
      return grant;
    }
    if (!credentials.isRequired) return ANYBODY;
    if (token !== null) this.guessedWrong(peer);
    const sort = token === null ? "missing" : "wrong";
    throw new BadTokenError(this.#count(this.#refusals, sort) <= MAX_LOGGED);
  }

  /** The grant as it is now; null where it has been revoked. */
  current({ digest }: Pick<Grant, "digest">): Grant | null {
    const { isRequired, grants } = this.#deps.credentials;
    if (digest === null) return isRequired ? null : ANYBODY;
    return find(grants, digest);
  }

  /** @throws AppError too_many */
  #grantOf(digest: Buffer, peer: string): Grant | null {
    const { grants, isRequired } = this.#deps.credentials;
    const isKnown = [...this.#known].filter((known) => timingSafeEqual(known, digest)).length;
    // The secret of this machine's commands is random and of this run: it cannot be guessed.
    const unlimited = isKnown ? grants : grants.filter(({ id }) => id === "local");
    const match = find(unlimited, digest);
    if (match) return match;
    if (isRequired) this.requireGuessable(peer);
    const grant = find(grants, digest);
    if (grant) this.#known.add(digest);
    return grant;
  }

  /** Refuses an address that has guessed too often. @throws AppError too_many */
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

  /** The count of this window, with this one. */
  #count(windows: Map<string, CountWindow>, key: string): number {
    const now = this.#deps.clock.monotonic();
    const window = windows.get(key);
    if (window && now < window.endsAt) return ++window.count;
    // The map stays ordered by the age of its windows.
    windows.delete(key);
    windows.set(key, { count: 1, endsAt: now + WINDOW_SECONDS });
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > now && windows.size <= MAX_PEERS) break;
      windows.delete(oldest);
    }
    return 1;
  }
}

/** In constant time, over all grants: timing tells nothing of a secret. */
function find(grants: readonly Grant[], digest: Buffer): Grant | null {
  const matches = (grant: Grant) => grant.digest !== null && timingSafeEqual(digest, grant.digest);
  return grants.filter(matches)[0] ?? null;
}

/**
 * Without a required token every account of this machine could type as this user.
 * @throws AppError forbidden
 */
export function requireSameUser(grant: Grant, isOtherUser?: () => boolean): void {
  if (grant.digest === null && isOtherUser?.())
    throw new AppError(
      "forbidden",
      "without a token, other users of this machine are refused: panewatch phone makes one",
    );
}

export function bearerOf(header: string | undefined): string | null {
  return /^Bearer +(\S.*)$/i.exec(header ?? "")?.[1] ?? null;
}
