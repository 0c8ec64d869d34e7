import { createPublicKey, verify } from "node:crypto";
import { StartupError } from "../../errors.ts";

/**
 * Keys that may sign a release, in the form of minisign: `Ed`, the number of the key, the Ed25519
 * key. There will be two, so that the second can follow a first that is lost or leaked. None yet:
 * nothing was released (docs/release.md says how they are made).
 */
export const RELEASE_KEYS: readonly string[] = [];

/** Prefix of the 32 bytes of an Ed25519 key in DER (RFC 8410). */
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
const KEY_BYTES = 42;
const SIGNATURE_BYTES = 74;
/** `Ed` and the number. */
const HEAD_BYTES = 10;

/** @param signature the text of the file's `.minisig` */
export function isSigned(file: Uint8Array, signature: string, keys: readonly string[]): boolean {
  const [, line = ""] = signature.split("\n");
  const signed = Buffer.from(line, "base64");
  if (signed.length !== SIGNATURE_BYTES) return false;
  return keys.some((text) => {
    const key = Buffer.from(text, "base64");
    if (key.length !== KEY_BYTES || !hasSameHead(key, signed)) return false;
    const spki = Buffer.concat([SPKI, key.subarray(HEAD_BYTES)]);
    const publicKey = createPublicKey({ key: spki, format: "der", type: "spki" });
    return verify(null, file, publicKey, signed.subarray(HEAD_BYTES));
  });
}

const hasSameHead = (key: Buffer, signature: Buffer): boolean =>
  key.subarray(0, HEAD_BYTES).equals(signature.subarray(0, HEAD_BYTES));

/**
 * The SHA-256 of a file in a signed list.
 * @throws StartupError where no known key has signed the list, or it does not name the file
 */
export function signedSum(
  sums: Uint8Array,
  signature: string,
  { file, keys, from }: { file: string; keys: readonly string[]; from: string },
): string {
  if (keys.length === 0)
    throw new StartupError("this panewatch knows no key that signs releases: install it again");
  if (!isSigned(sums, signature, keys))
    throw new StartupError(`${from}/SHA256SUMS is signed by nobody of panewatch`);
  const rows = Buffer.from(sums).toString().split("\n");
  const sum = rows.find((row) => row.slice(64).trimStart() === file)?.slice(0, 64);
  if (sum !== undefined) return sum;
  throw new StartupError(`${from}/SHA256SUMS does not name ${file}`);
}
