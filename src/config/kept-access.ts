import { join } from "node:path";
import { z } from "zod";
import { sha256 } from "../lib/digest.ts";
import { readText } from "../lib/json-file.ts";
import { parseJson } from "../lib/json.ts";
import type { Config } from "./fields.ts";

const ACCESS_FILE = "panewatch-access.json";

/** A phone has a token of its own, so that it can be signed out alone. Only its digest is kept. */
const Phone = z.object({
  id: z.string(),
  name: z.string(),
  /** Epoch seconds. */
  paired_at: z.number(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Mark of the token that it was paired under: another token signs it out. */
  under: z.string(),
});
export type Phone = z.infer<typeof Phone>;

/** What `panewatch phone` and the page have set up, in the state directory. */
export const KeptAccess = z.object({
  /** "" for none. */
  token: z.string(),
  addresses: z.array(z.string()),
  phones: z.array(Phone),
});
export type KeptAccess = z.infer<typeof KeptAccess>;

export const NOTHING_KEPT: KeptAccess = { token: "", addresses: [], phones: [] };

export const accessPath = (stateDir: string): string => join(stateDir, ACCESS_FILE);

/** As it was kept; nothing where the file is not usable. @throws UnreadableError */
export async function readKeptAccess(stateDir: string): Promise<KeptAccess> {
  const text = await readText(accessPath(stateDir));
  return KeptAccess.safeParse(parseJson(text ?? "")).data ?? NOTHING_KEPT;
}

/** The token that holds: that of the configuration, else the kept one. */
export function tokenOf(config: Pick<Config, "server.token">, kept: KeptAccess): string {
  return config["server.token"] || kept.token;
}

/** Tells tokens apart, and nothing of them. */
export const markOf = (token: string): string => sha256(token).toString("hex").slice(0, 16);

/** Whether a phone was paired while this was the token. */
export function isUnder(token: string): (phone: Phone) => boolean {
  const mark = markOf(token);
  return ({ under }) => under === mark;
}
