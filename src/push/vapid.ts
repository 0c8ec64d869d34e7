import { exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";
import { join } from "node:path";
import { z } from "zod";
import type { Clock } from "../lib/clock.ts";
import { JsonFile } from "../lib/json-file.ts";
import type { Log } from "../lib/log.ts";

export const VAPID_FILE = "panewatch-vapid.json";

const StoredKey = z.looseObject({
  version: z.literal(1),
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
type StoredKey = z.infer<typeof StoredKey>;

/** Services take a day at most. */
const LIFETIME_SECONDS = 12 * 3600;
const REUSE_SECONDS = 6 * 3600;

/** The key by which push services tell this server from others (RFC 8292). */
export class Vapid {
  readonly #key: StoredKey;
  readonly #clock: Pick<Clock, "now">;
  readonly #tokens = new Map<string, { token: Promise<string>; at: number }>();

  private constructor(key: StoredKey, clock: Pick<Clock, "now">) {
    this.#key = key;
    this.#clock = clock;
  }

  /** Reads the key, or makes one at first use. Kept apart from the devices: it outlives them. */
  static async open(stateDir: string, deps: { clock: Clock; log: Log }): Promise<Vapid> {
    const file = new JsonFile(join(stateDir, VAPID_FILE), deps);
    const saved = await file.read();
    const known = StoredKey.safeParse(saved);
    if (known.success) return new Vapid(known.data, deps.clock);
    if (saved !== null) await file.moveAside("not a key");
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const key = StoredKey.parse({ version: 1, ...(await exportJWK(privateKey)) });
    await file.write(key);
    return new Vapid(key, deps.clock);
  }

  /** The uncompressed point, base64url: what a page subscribes with. */
  get publicKey(): string {
    const parts = [this.#key.x, this.#key.y].map((part) => Buffer.from(part, "base64url"));
    return Buffer.concat([Buffer.from([4]), ...parts]).toString("base64url");
  }

  /** `Authorization` for a push service (`origin`), with whom it may reach about us. */
  async authorization(origin: string, contact: string): Promise<string> {
    return `vapid t=${await this.#token(origin, contact)}, k=${this.publicKey}`;
  }

  #token(origin: string, contact: string): Promise<string> {
    const name = `${origin} ${contact}`;
    const now = this.#clock.now();
    const known = this.#tokens.get(name);
    if (known && now >= known.at && now - known.at < REUSE_SECONDS) return known.token;
    const token = this.#sign(origin, contact, now);
    this.#tokens.set(name, { token, at: now });
    return token;
  }

  async #sign(origin: string, contact: string, now: number): Promise<string> {
    return await new SignJWT({})
      .setProtectedHeader({ typ: "JWT", alg: "ES256" })
      .setAudience(origin)
      .setExpirationTime(Math.floor(now) + LIFETIME_SECONDS)
      .setSubject(contact)
      .sign(await importJWK(this.#key, "ES256"));
  }
}
