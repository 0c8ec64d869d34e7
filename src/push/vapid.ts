import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";
import { readStored } from "../lib/stored-json.ts";
import { SignedToken } from "./signed-token.ts";

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
const REUSE_SECONDS = 6 * 3600;
const UNSAVED =
  "the key of Web Push cannot be saved: browsers have to subscribe again after a restart";

/**
 * The key by which push services tell this server from others (RFC 8292), kept apart from the
 * devices: it outlives them. It is made when it is first asked for, and used also where it cannot
 * be saved.
 */
export class Vapid {
  readonly #file: JsonFile;
  readonly #clock: Pick<Clock, "now">;
  readonly #log: Log;
  readonly #tokens = new Map<string, SignedToken>();
  #key: KeyObject | null;
  #isSaved: boolean;
  #saving: Promise<void> | null = null;
  #problem = "";

  private constructor(file: JsonFile, key: KeyObject | null) {
    this.#file = file;
    this.#clock = file.deps.clock;
    this.#log = file.deps.log;
    this.#key = key;
    this.#isSaved = key !== null;
  }

  static async open(stateDir: string, deps: { clock: Clock; log: Log }): Promise<Vapid> {
    const file = new JsonFile(join(stateDir, VAPID_FILE), deps);
    return new Vapid(file, await readStored(file, StoredKey));
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

  /** Resolves when nothing is being written. */
  async saved(): Promise<void> {
    await this.#saving;
  }

  /** `Authorization` for a push service (`origin`), with whom it may reach about us. */
  async authorization(origin: string, contact: string): Promise<string> {
    const key = this.#require();
    const name = `${origin} ${contact}`;
    const sign = (at: number) =>
      new SignJWT({})
        .setProtectedHeader({ typ: "JWT", alg: "ES256" })
        .setAudience(origin)
        .setExpirationTime(Math.floor(at) + LIFETIME_SECONDS)
        .setSubject(contact)
        .sign(key);
    const known = this.#tokens.get(name);
    const token =
      known ?? new SignedToken({ sign, reuseSeconds: REUSE_SECONDS, clock: this.#clock });
    this.#tokens.set(name, token);
    return `vapid t=${await token.current()}, k=${this.publicKey}`;
  }

  #require(): KeyObject {
    this.#key ??= generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    // Tried again whenever it is asked for: a full disk does not stay full.
    if (!this.#isSaved) this.#saving ??= this.#save(this.#key);
    return this.#key;
  }

  async #save(key: KeyObject): Promise<void> {
    try {
      await this.#file.write({ version: 1, ...key.export({ format: "jwk" }) });
      this.#isSaved = true;
      this.#problem = "";
    } catch (error) {
      if (this.#problem === "") this.#log.warn(`${UNSAVED}: ${String(error)}`);
      this.#problem = UNSAVED;
    } finally {
      this.#saving = null;
    }
  }
}
