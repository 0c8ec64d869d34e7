import { SignJWT } from "jose";
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Config } from "../config/fields.ts";
import type { Clock } from "../lib/clock.ts";
import { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { readOptional } from "../lib/stored-json.ts";

const VAPID_FILE = "panewatch-vapid.json";

/** A key whose parts do not match is refused. */
const StoredKey = z
  .looseObject({
    version: z.literal(1),
    kty: z.literal("EC"),
    crv: z.literal("P-256"),
    x: z.string(),
    y: z.string(),
    d: z.string(),
  })
  .transform((key, context) => {
    try {
      return createPrivateKey({ key, format: "jwk" });
    } catch {
      // The runtime throws for parts that do not match.
      context.addIssue("not a key");
      return z.NEVER;
    }
  });

/** Push services accept at most a day. */
const LIFETIME_SECONDS = 12 * 3600;
const UNSAVED =
  "the key of Web Push cannot be saved: browsers have to subscribe again after a restart";

type VapidDeps = JsonFile["deps"] & Pick<JsonFile, "write">;

/**
 * The key that identifies this server at push services (RFC 8292). It outlives the devices, so it
 * has a file of its own. It is made at its first use, and used even if it cannot be saved.
 */
export class Vapid {
  readonly #deps: VapidDeps;
  #key: KeyObject | null;
  /** Null where nothing was saved, or could not be. */
  #saving: Promise<void> | null;
  #problem = "";

  private constructor(deps: VapidDeps, key: KeyObject | null) {
    this.#deps = deps;
    this.#key = key;
    this.#saving = key && Promise.resolve();
  }

  static async open(stateDir: string, deps: { clock: Clock; log: Log }): Promise<Vapid> {
    const file = new JsonFile(join(stateDir, VAPID_FILE), deps);
    const { saved, write } = await readOptional(file, StoredKey);
    return new Vapid({ ...deps, write }, saved);
  }

  /** The uncompressed point, base64url; a page subscribes with it. */
  get publicKey(): string {
    const { x = "", y = "" } = this.#require().export({ format: "jwk" });
    const parts = [x, y].map((part) => Buffer.from(part, "base64url"));
    return Buffer.concat([Buffer.from([4]), ...parts]).toString("base64url");
  }

  get problem(): string {
    return this.#problem;
  }

  async saved(): Promise<void> {
    await this.#saving;
  }

  /** The `Authorization` header for a push service (`origin`); it may write to `contact`. */
  async authorization(origin: string, contact: string): Promise<string> {
    const key = this.#require();
    const token = await new SignJWT({})
      .setProtectedHeader({ typ: "JWT", alg: "ES256" })
      .setAudience(origin)
      .setExpirationTime(Math.floor(this.#deps.clock.now()) + LIFETIME_SECONDS)
      .setSubject(contact)
      .sign(key);
    return `vapid t=${token}, k=${this.publicKey}`;
  }

  #require(): KeyObject {
    this.#key ??= generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    // Each use tries to save it again: a full disk does not stay full.
    this.#saving ??= this.#save(this.#key);
    return this.#key;
  }

  async #save(key: KeyObject): Promise<void> {
    try {
      await this.#deps.write({ version: 1, ...key.export({ format: "jwk" }) });
      this.#problem = "";
    } catch (error) {
      if (this.#problem === "") this.#deps.log.warn(`${UNSAVED}: ${String(error)}`);
      this.#problem = UNSAVED;
      this.#saving = null;
    }
  }
}

/** The native service accepts a token for an hour, and refuses one renewed within 20 minutes. */
const REUSE_SECONDS = 40 * 60;

/** The signed token of the native service, shared by all requests for a while. */
export class ProviderToken {
  readonly #signing: SigningKey;
  readonly #clock: Pick<Clock, "now">;
  #current: { token: Promise<string>; at: number } | null = null;

  constructor(signing: SigningKey, clock: Pick<Clock, "now">) {
    this.#signing = signing;
    this.#clock = clock;
  }

  current(): Promise<string> {
    // By the wall clock, as the receiver compares: before a clock was set back, the token was
    // signed for a time that now lies in the future.
    const at = this.#clock.now();
    const age = this.#current ? at - this.#current.at : Infinity;
    if (this.#current && age >= 0 && age < REUSE_SECONDS) return this.#current.token;
    const { key, keyId, teamId } = this.#signing;
    const token = new SignJWT({})
      .setProtectedHeader({ alg: "ES256", kid: keyId })
      .setIssuer(teamId)
      .setIssuedAt(Math.floor(at))
      .sign(key);
    this.#current = { token, at };
    // The next message signs again after a failure.
    token.catch(() => this.invalidate(token));
    return token;
  }

  /** Drops a token that the receiver refused, unless another request has renewed it already. */
  invalidate(token: Promise<string>): void {
    if (this.#current?.token === token) this.#current = null;
  }
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

interface NativeSetup {
  isConfigured: boolean;
  /** Null: native alerts cannot be sent, for this reason. */
  key: SigningKey | null;
  /** Empty where nothing is configured. */
  problem: string;
}

const NEEDED = ["push_key_path", "push_key_id", "push_team_id", "push_topic"] as const;

/** A problem with the key never stops the start of the service. */
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

/** Proves the key by signing with it. */
async function parseKey(pem: string): Promise<KeyObject | null> {
  if (!pem.includes("-----BEGIN PRIVATE KEY-----")) return null;
  try {
    const key = createPrivateKey(pem);
    await new SignJWT({}).setProtectedHeader({ alg: "ES256" }).sign(key);
    return key;
  } catch {
    // It is no key for ES256.
    return null;
  }
}
