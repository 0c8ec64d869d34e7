import { randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";
import type { Scope } from "../protocol/scope.ts";
import type { Grant } from "../slice.ts";

export const CODE_SECONDS = 5 * 60;
/** Valid at the same time; a further one replaces the oldest. */
export const MAX_CODES = 10;
const CODE_BYTES = 16;
/** Without 0 O 1 I, which are easily confused. */
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const SHORT_LETTERS = 8;
/** Wrong guesses, from any address, after which the short form of a code is not accepted. */
export const MAX_GUESSES = 1000;

export interface CodeGrant {
  scope: Scope;
  /** Absent: the device names itself. */
  name?: string | undefined;
  by: Pick<Grant, "id" | "key">;
}

interface IssuedCode {
  grant: CodeGrant;
  digest: Buffer;
  short: Buffer;
  /** Wrong guesses since it was issued. */
  wrong: number;
  endsAt: number;
}

/**
 * Each code works once, for five minutes, in its long form for links or in its short form to be
 * typed. Only digests are kept.
 */
export class PairingCodes {
  readonly #clock: Clock;
  #issued: readonly IssuedCode[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(grant: CodeGrant): { code: string; short: string; expiresAt: number } {
    const code = randomBytes(CODE_BYTES).toString("base64url");
    const letters = Array.from({ length: SHORT_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]);
    const typed = letters.join("");
    const endsAt = this.#clock.monotonic() + CODE_SECONDS;
    const issued = { grant, digest: sha256(code), short: sha256(typed), wrong: 0, endsAt };
    this.#issued = [...this.#valid(), issued].slice(-MAX_CODES);
    const short = `${typed.slice(0, SHORT_LETTERS / 2)}-${typed.slice(SHORT_LETTERS / 2)}`;
    return { code, short, expiresAt: this.#clock.now() + CODE_SECONDS };
  }

  /** Null for a wrong code; a right one is used up. Takes the same time for every guess. */
  redeem(code: string): CodeGrant | null {
    const presented = sha256(code);
    const typed = sha256(code.toUpperCase().replace(/[\s-]/g, ""));
    const valid = this.#valid();
    const redeemed = valid.filter((issued) => {
      const isCode = timingSafeEqual(issued.digest, presented);
      const isShort = timingSafeEqual(issued.short, typed) && issued.wrong < MAX_GUESSES;
      return isCode || isShort;
    });
    if (redeemed.length === 0) for (const issued of valid) issued.wrong += 1;
    this.#issued = valid.filter((issued) => !redeemed.includes(issued));
    return redeemed[0]?.grant ?? null;
  }

  /** Revokes the codes of grants that do not hold any more. */
  keepOnly(holds: (key: string) => boolean): void {
    this.#issued = this.#issued.filter(({ grant }) => holds(grant.by.key));
  }

  #valid(): readonly IssuedCode[] {
    const now = this.#clock.monotonic();
    return this.#issued.filter(({ endsAt }) => endsAt > now);
  }
}
