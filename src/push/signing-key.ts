import { createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SignJWT } from "jose";
import type { Config } from "../config/fields.ts";

export type PushConfig = Pick<
  Config,
  "push.push_key_path" | "push.push_key_id" | "push.push_team_id" | "push.push_topic"
>;

export interface SigningKey {
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
