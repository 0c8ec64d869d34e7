import { SignJWT } from "jose";
import type { Clock } from "../lib/clock.ts";
import type { SigningKey } from "./signing-key.ts";

export interface SignedTokenOptions {
  /** Of a token that begins to hold at this time (epoch seconds). */
  sign: (at: number) => Promise<string>;
  reuseSeconds: number;
  clock: Pick<Clock, "now">;
}

/** A signed token that is used again for a while, however many ask for it at once. */
export class SignedToken {
  readonly #options: SignedTokenOptions;
  #current: { token: Promise<string>; at: number } | null = null;

  constructor(options: SignedTokenOptions) {
    this.#options = options;
  }

  current(): Promise<string> {
    const { sign, reuseSeconds, clock } = this.#options;
    // By the wall clock, which the receiver compares with too: one that was set back has signed a
    // token of the future.
    const now = clock.now();
    const age = this.#current ? now - this.#current.at : Infinity;
    if (this.#current && age >= 0 && age < reuseSeconds) return this.#current.token;
    const token = sign(now);
    this.#current = { token, at: now };
    // A failure to sign is tried again by the next message.
    token.catch(() => this.expired(token));
    return token;
  }

  /** The receiver takes this one no more. Of many who hear so at once only the first has it renewed. */
  expired(token: Promise<string>): void {
    if (this.#current?.token === token) this.#current = null;
  }
}

/** The native service takes a token for an hour, and complains of one renewed within 20 minutes. */
const PROVIDER_REUSE_SECONDS = 40 * 60;

/** What every request to the native service carries. */
export function providerToken(
  { key, keyId, teamId }: SigningKey,
  clock: Pick<Clock, "now">,
): SignedToken {
  const sign = (at: number) =>
    new SignJWT({})
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(at))
      .sign(key);
  return new SignedToken({ sign, reuseSeconds: PROVIDER_REUSE_SECONDS, clock });
}
