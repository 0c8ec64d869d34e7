import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

/** The receiving side of a subscription, base64url as the browser gives it. */
export interface ReceiverKeys {
  p256dh: string;
  auth: string;
}

/** Made anew for each message; given only to compare with a published example. */
export interface SenderSecrets {
  privateKey: Buffer;
  salt: Buffer;
}

const CURVE = "prime256v1";
const POINT_BYTES = 65;
const AUTH_BYTES = 16;
const RECORD_BYTES = 4096;
/** Ends the only record. */
const LAST_RECORD = Buffer.from([2]);

/** Whether these can be the keys of a subscription: a point of the curve, a secret of 16 bytes. */
export function areReceiverKeys({ p256dh, auth }: ReceiverKeys): boolean {
  try {
    const point = Buffer.from(p256dh, "base64url");
    if (point.length !== POINT_BYTES || Buffer.from(auth, "base64url").length !== AUTH_BYTES)
      return false;
    const probe = createECDH(CURVE);
    probe.generateKeys();
    probe.computeSecret(point);
    return true;
  } catch {
    // Not on the curve.
    return false;
  }
}

/** Encrypts for one subscription: RFC 8291 (keys) over RFC 8188 (`aes128gcm`), in one record. */
export function encryptFor(
  { p256dh, auth }: ReceiverKeys,
  plaintext: string,
  secrets?: SenderSecrets,
): Buffer<ArrayBuffer> {
  const receiver = Buffer.from(p256dh, "base64url");
  const ecdh = createECDH(CURVE);
  if (secrets) ecdh.setPrivateKey(secrets.privateKey);
  else ecdh.generateKeys();
  const sender = ecdh.getPublicKey();
  const salt = secrets?.salt ?? randomBytes(16);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, sender]);
  const input = derive(ecdh.computeSecret(receiver), Buffer.from(auth, "base64url"), info, 32);
  const key = derive(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(RECORD_BYTES, 0);
  header.writeUInt8(sender.length, 4);
  const sealed = [cipher.update(plaintext, "utf8"), cipher.update(LAST_RECORD), cipher.final()];
  return Buffer.concat([salt, header, sender, ...sealed, cipher.getAuthTag()]);
}

function derive(key: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, bytes));
}
