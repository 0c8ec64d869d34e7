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

export const GrantRemoval = z.object({
  ok: z.literal(true),
  removed: z.array(Named),
  let_in: z.array(Named),
  /** It could have read the token: `POST /api/phone/token {renew: true}` makes another. */
  may_know_token: z.boolean(),
});
export type GrantRemoval = z.infer<typeof GrantRemoval>;

/** Body of `POST /api/pair/codes`, which may be absent: what the device that comes in gets. */
export const CodeRequest = z.object({
  scope: GrantScope.exclude(["own"]).default("type"),
  /** Absent: as it calls itself. */
  name: GrantName.optional(),
});
export type CodeRequest = z.infer<typeof CodeRequest>;

/** Announced as `pairing_v1`. The code travels in the fragment of a link: `#pair=<code>`. */
export const PAIR_FRAGMENT = "pair";

/** Reply of `POST /api/pair/codes`: a link that works once, for five minutes. */
export const PairingLink = z.object({
  url: z.string(),
  /** The same code in a form to be typed where the page asks for the token. */
  short_code: z.string(),
  /** Other addresses of this service, each with the same code. */
  other_urls: z.array(z.string()),
  /** Only programs on the service's own host can open it. */
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

/** What has to be true before a phone can be paired, in this order. */
export const PhoneCheck = z.object({
  id: z.enum(["password", "reachable", "encrypted"]),
  /** Only the first that is not true has failed; those behind it wait. */
  state: z.enum(["ok", "failed", "waiting"]),
  title: z.string(),
  sentence: z.string(),
  /** To be run in a terminal of the service's machine; null where there is none. */
  command: z.string().nullable(),
});
export type PhoneCheck = z.infer<typeof PhoneCheck>;

export const PhoneState = z.object({
  host: z.string(),
  address: z.string(),
  checks: z.array(PhoneCheck),
  token: z.enum(["none", "kept", "configured"]),
  /** When the kept one was made (epoch seconds), and by which grant; null where that is not known. */
  token_made: z.object({ at: z.number(), by: z.string() }).nullable().optional(),
  tailscale: z.enum(["none", "off", "on"]),
  /** That were set up here; those of the configuration are none of them. */
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
