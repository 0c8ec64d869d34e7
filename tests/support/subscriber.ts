import { createECDH, randomBytes } from "node:crypto";
import { decrypt } from "http_ece";

/** A browser's side of Web Push; it decrypts with an implementation that is not ours. */
export class Subscriber {
  readonly #ecdh = createECDH("prime256v1");
  readonly #auth = randomBytes(16).toString("base64url");

  constructor() {
    this.#ecdh.generateKeys();
  }

  subscription(endpoint: string) {
    const p256dh = this.#ecdh.getPublicKey("base64url");
    return { endpoint, keys: { p256dh, auth: this.#auth } };
  }

  read(body: Buffer): unknown {
    const text = decrypt(body, {
      version: "aes128gcm",
      privateKey: this.#ecdh,
      authSecret: this.#auth,
    });
    return JSON.parse(text.toString());
  }
}
