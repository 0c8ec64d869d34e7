import { z } from "zod";
import { SCOPES } from "./scope.ts";

export const GrantScope = z.enum(SCOPES);
export const GrantName = z.string().trim().min(1).max(60);

/** Whoever signs in holds one. Announced as `grants_v1`. */
export const GrantState = z.object({
  /** Of a device its own; else `token`, `read_token`, `local` (commands of this machine) or `anybody`. */
  id: z.string(),
  name: z.string(),
  scope: GrantScope,
  /** Id of the grant that let it in; null where nobody had to, or where that is not known. */
  by: z.string().nullable(),
  /** Epoch seconds, as all below; null where it is not known. */
  created_at: z.number().nullable(),
  last_used_at: z.number().nullable(),
  last_address: z.string().nullable(),
  /** How many sockets it has open, and on how many devices it has alerts. */
  sockets: z.number().int(),
  push: z.number().int(),
  /** When it ends if it is not used until then; null: never. */
  expires_at: z.number().nullable(),
});
export type GrantState = z.infer<typeof GrantState>;

export const GrantsReply = z.object({ grants: z.array(GrantState) });
export type GrantsReply = z.infer<typeof GrantsReply>;

const Named = z.object({ id: z.string(), name: z.string() });

export const GrantRemoved = z.object({
  ok: z.literal(true),
  removed: z.array(Named),
  let_in: z.array(Named),
  /** It could have read the token: `POST /api/phone/token {renew: true}` makes another. */
  may_know_token: z.boolean(),
});
export type GrantRemoved = z.infer<typeof GrantRemoved>;

/** Body of `POST /api/pair/codes`, which may be absent: what the device that comes in gets. */
export const CodeRequest = z.object({
  scope: GrantScope.exclude(["own"]).default("type"),
  /** Absent: as it calls itself. */
  name: GrantName.optional(),
});
export type CodeRequest = z.infer<typeof CodeRequest>;
