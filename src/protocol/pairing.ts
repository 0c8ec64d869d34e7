import { z } from "zod";

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
