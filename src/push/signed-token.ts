import { SignJWT } from "jose";
import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Config } from "../config/fields.ts";
import type { Clock } from "../lib/clock.ts";

interface SignedTokenOptions {
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

type PushConfig = Pick<
  Config,
  "push.push_key_path" | "push.push_key_id" | "push.push_team_id" | "push.push_topic"
>;

interface SigningKey {
  key: KeyObject;
  keyId: string;
  teamId: string;
}

export interface NativeSetup {
  /** All four settings are there. */
  isConfigured: boolean;
  /** Null: native alerts cannot be sent, for this reason. */
  key: SigningKey | null;
  /** Empty where nothing is set: then it is not wanted. */
  problem: string;
}

const NEEDED = ["push_key_path", "push_key_id", "push_team_id", "push_topic"] as const;

/** Whether native alerts can be signed; a problem never stops the start. */
export async function readSetup(config: PushConfig): Promise<NativeSetup> {
  const missing = NEEDED.filter((name) => config[`push.${name}`] === "");
  if (missing.length === NEEDED.length) return { isConfigured: false, key: null, problem: "" };
  if (missing.length > 0) {
    const names = missing.map((name) => `push.${name}`).join(", ");
    return { isConfigured: false, key: null, problem: `native alerts lack ${names}` };
  }
  const pem = await readFile(config["push.push_key_path"], "utf8").catch(() => null);
  if (pem === null) return unusable("the file of push.push_key_path cannot be read");
  const key = await parseKey(pem);
  if (key === null) return unusable("the file of push.push_key_path is no P-256 key in PKCS#8");
  const [keyId, teamId] = [config["push.push_key_id"], config["push.push_team_id"]];
  return { isConfigured: true, key: { key, keyId, teamId }, problem: "" };
}

function unusable(problem: string): NativeSetup {
  return { isConfigured: true, key: null, problem };
}

/** Proved by signing with it, as each alert will be. */
async function parseKey(pem: string): Promise<KeyObject | null> {
  if (!pem.includes("-----BEGIN PRIVATE KEY-----")) return null;
  try {
    const key = createPrivateKey(pem);
    await new SignJWT({}).setProtectedHeader({ alg: "ES256" }).sign(key);
    return key;
  } catch {
    // Whatever it is, it is no key.
    return null;
  }
}
