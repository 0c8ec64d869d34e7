import { createPrivateKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Config } from "../config/fields.ts";
import type { SigningKey } from "./provider-token.ts";

export type PushConfig = Pick<
  Config,
  "push.push_key_path" | "push.push_key_id" | "push.push_team_id" | "push.push_topic"
>;

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
  if (!isP256(pem)) return unusable("the file of push.push_key_path is no P-256 key in PKCS#8");
  const key = { pem, keyId: config["push.push_key_id"], teamId: config["push.push_team_id"] };
  return { isConfigured: true, key, problem: "" };
}

function unusable(problem: string): NativeSetup {
  return { isConfigured: true, key: null, problem };
}

function isP256(pem: string): boolean {
  if (!pem.includes("-----BEGIN PRIVATE KEY-----")) return false;
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    // Whatever it is, it is no key.
    return false;
  }
}
