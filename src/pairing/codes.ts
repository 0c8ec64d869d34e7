import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";

export const CODE_SECONDS = 5 * 60;
/** Codes that are valid at the same time; a further one replaces the oldest. */
export const MAX_CODES = 10;
const CODE_BYTES = 16;

interface IssuedCode {
  digest: Buffer;
  /** Monotonic seconds. */
  endsAt: number;
}

/** Codes that each work once, for five minutes. Only their digests are kept. */
export class PairingCodes {
  readonly #clock: Clock;
  #issued: readonly IssuedCode[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(): { code: string; expiresAt: number } {
    const code = randomBytes(CODE_BYTES).toString("base64url");
    const endsAt = this.#clock.monotonic() + CODE_SECONDS;
    this.#issued = [...this.#valid(), { digest: sha256(code), endsAt }].slice(-MAX_CODES);
    return { code, expiresAt: this.#clock.now() + CODE_SECONDS };
  }

  /** Whether the code was valid, which ends with this. Takes the same time for every guess. */
  redeem(code: string): boolean {
    const presented = sha256(code);
    const valid = this.#valid();
    const rest = valid.filter((issued) => !timingSafeEqual(issued.digest, presented));
    this.#issued = rest;
    return rest.length < valid.length;
  }

  #valid(): readonly IssuedCode[] {
    const now = this.#clock.monotonic();
    return this.#issued.filter(({ endsAt }) => endsAt > now);
  }
}
