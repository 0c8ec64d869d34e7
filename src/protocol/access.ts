import { z } from "zod";
import { SCOPES } from "./scope.ts";

export const GrantScope = z.enum(SCOPES);
export const GrantName = z.string().trim().min(1).max(60);

/** `grants_v1`: the right by which somebody signs in. */
export const GrantState = z.object({
  /**
   * Of a device its id, else `token`, `read_token`, `anybody` or `local` (commands of this
   * machine).
   */
  id: z.string(),
  name: z.string(),
  scope: GrantScope,
  /** Id of the grant that let it in; null where none was needed, or none is known. */
  by: z.string().nullable(),
  /** Epoch seconds, as all below; null where it is not known. */
  created_at: z.number().nullable(),
  last_used_at: z.number().nullable(),
  last_address: z.string().nullable(),
  /** Number of its open sockets, and of its devices with alerts. */
  sockets: z.number().int(),
  push: z.number().int(),
  /** When it ends unless it is used before; null: never. */
  expires_at: z.number().nullable(),
});
export type GrantState = z.infer<typeof GrantState>;

export const GrantsReply = z.object({ grants: z.array(GrantState) });
export type GrantsReply = z.infer<typeof GrantsReply>;

const Named = z.object({ id: z.string(), name: z.string() });

export const GrantRemoval = z.object({
  ok: z.literal(true),
  removed: z.array(Named),
  let_in: z.array(Named),
  /** It could have read the token, which `POST /api/phone/token {renew: true}` replaces. */
  may_know_token: z.boolean(),
});
export type GrantRemoval = z.infer<typeof GrantRemoval>;

/** Optional body of `POST /api/pair/codes`: the grant that the new device gets. */
export const CodeRequest = z.object({
  scope: GrantScope.exclude(["own"]).default("type"),
  /** Absent: the device names itself. */
  name: GrantName.optional(),
});
export type CodeRequest = z.infer<typeof CodeRequest>;

/** `pairing_v1`: the code travels in the fragment of a link, `#pair=<code>`. */
export const PAIR_FRAGMENT = "pair";

/** Reply of `POST /api/pair/codes`: a link that works once, for five minutes. */
export const PairingLink = z.object({
  url: z.string(),
  /** The same code in a form for typing, where the page asks for the token. */
  short_code: z.string(),
  /** Other addresses of this service, each with the same code. */
  other_urls: z.array(z.string()),
  /** Only programs on the service's machine can open it. */
  is_local: z.boolean(),
  /** Epoch seconds. */
  expires_at: z.number(),
  /** `url` as a QR code: an SVG path to fill, over a square with sides of `size`. */
  qr: z.object({ size: z.number().int(), path: z.string() }),
});
export type PairingLink = z.infer<typeof PairingLink>;

export const PairRequest = z.object({
  code: z.string().max(200),
  name: z.string().trim().min(1).max(60).optional(),
});
export type PairRequest = z.infer<typeof PairRequest>;

export const PairReply = z.object({ token: z.string() });
export type PairReply = z.infer<typeof PairReply>;

/** A condition for pairing a phone; they are checked in this order. */
export const PhoneCheck = z.object({
  id: z.enum(["password", "reachable", "encrypted"]),
  /** The first unmet condition is `failed`; those after it are `waiting`. */
  state: z.enum(["ok", "failed", "waiting"]),
  title: z.string(),
  sentence: z.string(),
  /** What a person runs in a terminal of the service's machine; null where nothing helps. */
  command: z.string().nullable(),
});
export type PhoneCheck = z.infer<typeof PhoneCheck>;

export const PhoneState = z.object({
  host: z.string(),
  address: z.string(),
  checks: z.array(PhoneCheck),
  token: z.enum(["none", "kept", "configured"]),
  /** When the stored token was made (epoch seconds), and by which grant; null where not known. */
  token_made: z.object({ at: z.number(), by: z.string() }).nullable().optional(),
  tailscale: z.enum(["none", "off", "on"]),
  /** Addresses that were added on this page, without those of the configuration. */
  addresses: z.array(z.string()),
  /** `paired_at`: epoch seconds. */
  phones: z.array(z.object({ id: z.string(), name: z.string(), paired_at: z.number() })),
});
export type PhoneState = z.infer<typeof PhoneState>;

export const ConnectedSession = z.object({
  id: z.string(),
  ip: z.string(),
  ua: z.string(),
  /** Seconds since registration, rounded to 0.1. */
  age: z.number(),
});
export type ConnectedSession = z.infer<typeof ConnectedSession>;

export const SessionsReply = z.object({ sessions: z.array(ConnectedSession) });
export type SessionsReply = z.infer<typeof SessionsReply>;
