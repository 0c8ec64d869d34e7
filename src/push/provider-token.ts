import { importPKCS8, SignJWT } from "jose";
import type { Clock } from "../lib/clock.ts";

/** The service takes a token for an hour, and complains of one that is renewed within 20 minutes. */
const REUSE_SECONDS = 40 * 60;

export interface SigningKey {
  /** PEM of a P-256 PKCS#8 key. */
  pem: string;
  keyId: string;
  teamId: string;
}

/** The signed token that every request to the native service carries. */
export class ProviderToken {
  readonly #key: SigningKey;
  readonly #clock: Pick<Clock, "now">;
  #current: { token: Promise<string>; at: number } | null = null;

  constructor(key: SigningKey, clock: Pick<Clock, "now">) {
    this.#key = key;
    this.#clock = clock;
  }

  /** The same for 40 minutes, however many ask at once. */
  current(): Promise<string> {
    const now = this.#clock.now();
    const age = this.#current ? now - this.#current.at : Infinity;
    // A clock that was set back makes a token of the future.
    if (this.#current && age >= 0 && age < REUSE_SECONDS) return this.#current.token;
    const token = this.#sign(now);
    this.#current = { token, at: now };
    return token;
  }

  /** The service says that it has expired. */
  forget(): void {
    this.#current = null;
  }

  async #sign(now: number): Promise<string> {
    const { pem, keyId, teamId } = this.#key;
    return await new SignJWT({})
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(now))
      .sign(await importPKCS8(pem, "ES256"));
  }
}
