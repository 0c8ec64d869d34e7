import { join } from "node:path";
import { z } from "zod";
import { sha256 } from "../lib/digest.ts";
import { readText } from "../lib/json-file.ts";
import { parseJson } from "../lib/json.ts";
import { GrantState } from "../protocol/access.ts";
import type { Config } from "./fields.ts";

const ACCESS_FILE = "panewatch-access.json";

/** A device that came in with a code. Of its own token only the digest is stored. */
const StoredGrant = GrantState.omit({ sockets: true, push: true }).extend({
  created_at: z.number(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Mark of the service's token at that time: with another token the device is signed out. */
  under: z.string(),
});
export type StoredGrant = z.infer<typeof StoredGrant>;

/** What `panewatch phone` and the page have set up. */
const PresentAccess = z.object({
  /** "" for none. */
  token: z.string(),
  /** Epoch seconds, and the id of the grant that made it; null where that was not recorded. */
  token_made: z.object({ at: z.number(), by: z.string() }).nullable(),
  addresses: z.array(z.string()),
  grants: z.array(StoredGrant),
});
export type StoredAccess = z.infer<typeof PresentAccess>;

/** As releases before grants wrote it. */
const OlderAccess = z.object({
  token: z.string(),
  addresses: z.array(z.string()),
  phones: z.array(
    StoredGrant.pick({ id: true, name: true, digest: true, under: true }).extend({
      paired_at: z.number(),
    }),
  ),
});

export const StoredAccess = z.union([PresentAccess, OlderAccess.transform(fromOlder)]);

export const NO_ACCESS: StoredAccess = { token: "", token_made: null, addresses: [], grants: [] };

export const accessPath = (stateDir: string): string => join(stateDir, ACCESS_FILE);

function fromOlder({ phones, ...access }: z.infer<typeof OlderAccess>): StoredAccess {
  const grants = phones.map(({ paired_at, ...phone }): StoredGrant => {
    const unknown = { by: null, last_used_at: null, last_address: null, expires_at: null };
    return { ...phone, ...unknown, scope: "type", created_at: paired_at };
  });
  return { ...access, token_made: null, grants };
}

/** `NO_ACCESS` where the file is not usable. @throws UnreadableError */
export async function readStoredAccess(stateDir: string): Promise<StoredAccess> {
  const text = await readText(accessPath(stateDir));
  return StoredAccess.safeParse(parseJson(text ?? "")).data ?? NO_ACCESS;
}

/** The configured token, else the one that was made here. */
export function tokenOf(config: Pick<Config, "server.token">, access: StoredAccess): string {
  return config["server.token"] || access.token;
}

/** Tells tokens apart without revealing them. */
export const markOf = (token: string): string => sha256(token).toString("hex").slice(0, 16);
