import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";

export const CODE_SECONDS = 5 * 60;
/** Codes that wait at the same time; a further one takes the place of the oldest. */
export const MAX_CODES = 10;
const CODE_BYTES = 16;

interface Waiting {
  digest: Buffer;
  /** Monotonic seconds. */
  endsAt: number;
}

/** Codes that each work once and not for long. Only their digests are kept. */
export class PairingCodes {
  readonly #clock: Clock;
  #waiting: readonly Waiting[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(): { code: string; expiresAt: number } {
    const code = randomBytes(CODE_BYTES).toString("base64url");
    const endsAt = this.#clock.monotonic() + CODE_SECONDS;
    this.#waiting = [...this.#alive(), { digest: sha256(code), endsAt }].slice(-MAX_CODES);
    return { code, expiresAt: this.#clock.now() + CODE_SECONDS };
  }

  /** Whether the code waited; it does no longer. Takes the same time for every guess. */
  redeem(code: string): boolean {
    const presented = sha256(code);
    const alive = this.#alive();
    const rest = alive.filter((waiting) => !timingSafeEqual(waiting.digest, presented));
    this.#waiting = rest;
    return rest.length < alive.length;
  }

  #alive(): readonly Waiting[] {
    const now = this.#clock.monotonic();
    return this.#waiting.filter((waiting) => waiting.endsAt > now);
  }
}
