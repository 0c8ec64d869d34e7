// Signs files of a release in the form of minisign, which install.sh can verify with openssl too.
//
//   bun src/release/sign.ts new PATH     writes a private key, and prints its public key
//   bun src/release/sign.ts show PATH    prints the public key of a private key
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { sha256 } from "../lib/digest.ts";

const ALGORITHM = Buffer.from("Ed");

/** A private key as PEM. */
export function makeSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  return privateKey.export({ format: "pem", type: "pkcs8" }).toString();
}

/** The form of install.sh and of the executable. */
export function publicKeyOf(privateKey: string): string {
  const key = rawKey(privateKey);
  return Buffer.concat([ALGORITHM, numberOf(key), key]).toString("base64");
}

/** The text of `<file>.minisig`. */
export function signatureOf(file: Uint8Array, privateKey: string, comment: string): string {
  const key = createPrivateKey(privateKey);
  const signature = sign(null, file, key);
  const line = Buffer.concat([ALGORITHM, numberOf(rawKey(privateKey)), signature]);
  const both = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key);
  return [
    "untrusted comment: signature of panewatch",
    line.toString("base64"),
    `trusted comment: ${comment}`,
    `${both.toString("base64")}\n`,
  ].join("\n");
}

/** The last 32 bytes of its DER form. */
function rawKey(privateKey: string): Buffer {
  const key = createPublicKey(createPrivateKey(privateKey));
  return key.export({ format: "der", type: "spki" }).subarray(-32);
}

const numberOf = (key: Buffer): Buffer => sha256(key).subarray(0, 8);

if (import.meta.main) {
  const [what, path = ""] = process.argv.slice(2);
  if ((what !== "new" && what !== "show") || path === "") {
    process.stderr.write("usage: bun src/release/sign.ts new|show PATH\n");
    process.exit(2);
  }
  if (what === "new") await writeFile(path, makeSigningKey(), { mode: 0o600, flag: "wx" });
  process.stdout.write(`${publicKeyOf(await readFile(path, "utf8"))}\n`);
}
