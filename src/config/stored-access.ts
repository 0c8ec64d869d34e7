import { join } from "node:path";
import { z } from "zod";
import { sha256 } from "../lib/digest.ts";
import { readText } from "../lib/json-file.ts";
import { parseJson } from "../lib/json.ts";
import { GrantState } from "../protocol/access.ts";
import type { Config } from "./fields.ts";

const ACCESS_FILE = "panewatch-access.json";

/** A device that a code has let in. It has a token of its own, of which only the digest is stored. */
const StoredGrant = GrantState.omit({ sockets: true, push: true }).extend({
  created_at: z.number(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Mark of the token that it came in under: another token signs it out. */
  under: z.string(),
});
export type StoredGrant = z.infer<typeof StoredGrant>;

/** What `panewatch phone` and the page have set up, in the state directory. */
const AccessNow = z.object({
  /** "" for none. */
  token: z.string(),
  /** When it was made, and by which grant; null where that was not noted. */
  token_made: z.object({ at: z.number(), by: z.string() }).nullable(),
  addresses: z.array(z.string()),
  grants: z.array(StoredGrant),
});
export type StoredAccess = z.infer<typeof AccessNow>;

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

const FromOlder = OlderAccess.transform(fromOlder);

export const StoredAccess = z.union([AccessNow, FromOlder]);

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

/** The token that holds: that of the configuration, else the one that was made here. */
export function tokenOf(config: Pick<Config, "server.token">, access: StoredAccess): string {
  return config["server.token"] || access.token;
}

/** Tells tokens apart, and nothing of them. */
export const markOf = (token: string): string => sha256(token).toString("hex").slice(0, 16);
