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

/** One whose parts do not belong together is none. */
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
      // The runtime's way of saying no.
      context.addIssue("not a key");
      return z.NEVER;
    }
  });

/** Services take a day at most. */
const LIFETIME_SECONDS = 12 * 3600;
const UNSAVED =
  "the key of Web Push cannot be saved: browsers have to subscribe again after a restart";

/**
 * The key by which push services tell this server from others (RFC 8292), kept apart from the
 * devices: it outlives them. It is made when it is first asked for, and used also where it cannot
 * be saved.
 */
export class Vapid {
  readonly #write: JsonFile["write"];
  readonly #clock: Pick<Clock, "now">;
  readonly #log: Log;
  #key: KeyObject | null;
  /** Null where nothing was saved, or could not be. */
  #saving: Promise<void> | null;
  #problem = "";

  private constructor(
    { clock, log }: JsonFile["deps"],
    write: JsonFile["write"],
    key: KeyObject | null,
  ) {
    this.#write = write;
    this.#clock = clock;
    this.#log = log;
    this.#key = key;
    this.#saving = key && Promise.resolve();
  }

  static async open(stateDir: string, deps: { clock: Clock; log: Log }): Promise<Vapid> {
    const file = new JsonFile(join(stateDir, VAPID_FILE), deps);
    const { saved, write } = await readOptional(file, StoredKey);
    return new Vapid(deps, write, saved);
  }

  /** The uncompressed point, base64url: what a page subscribes with. */
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

  /** `Authorization` for a push service (`origin`), with whom it may reach about us. */
  async authorization(origin: string, contact: string): Promise<string> {
    const key = this.#require();
    const token = await new SignJWT({})
      .setProtectedHeader({ typ: "JWT", alg: "ES256" })
      .setAudience(origin)
      .setExpirationTime(Math.floor(this.#clock.now()) + LIFETIME_SECONDS)
      .setSubject(contact)
      .sign(key);
    return `vapid t=${token}, k=${this.publicKey}`;
  }

  #require(): KeyObject {
    this.#key ??= generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    // Tried again whenever it is asked for: a full disk does not stay full.
    this.#saving ??= this.#save(this.#key);
    return this.#key;
  }

  async #save(key: KeyObject): Promise<void> {
    try {
      await this.#write({ version: 1, ...key.export({ format: "jwk" }) });
      this.#problem = "";
    } catch (error) {
      if (this.#problem === "") this.#log.warn(`${UNSAVED}: ${String(error)}`);
      this.#problem = UNSAVED;
      this.#saving = null;
    }
  }
}

/** The native service takes a token for an hour, and complains of one renewed within 20 minutes. */
const REUSE_SECONDS = 40 * 60;

/** What the native service is shown: used again for a while, however many ask for it at once. */
export class ProviderToken {
  readonly #signing: SigningKey;
  readonly #clock: Pick<Clock, "now">;
  #current: { token: Promise<string>; at: number } | null = null;

  constructor(signing: SigningKey, clock: Pick<Clock, "now">) {
    this.#signing = signing;
    this.#clock = clock;
  }

  current(): Promise<string> {
    // By the wall clock, which the receiver compares with too: one that was set back has signed a
    // token of the future.
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
    // A failure to sign is tried again by the next message.
    token.catch(() => this.expired(token));
    return token;
  }

  /** The receiver takes this one no more. Of many who hear so at once only the first has it renewed. */
  expired(token: Promise<string>): void {
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

export interface NativeSetup {
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
