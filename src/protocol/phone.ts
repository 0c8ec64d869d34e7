import { z } from "zod";

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
