import { promisify } from "node:util";
import { sha256 } from "./digest.ts";

/** A shorter reply fits into one packet as it is. */
const MIN_PACKED_LENGTH = 1000;

/**
 * JSON with an ETag: 304 where the client has it already, compressed where it accepts that.
 * @param same the part of the reply that the ETag covers
 */
export async function jsonWithEtag(
  { headers }: Pick<Request, "headers">,
  body: object,
  same: object = body,
): Promise<Response> {
  const etag = `W/"${sha256(JSON.stringify(same)).toString("base64url")}"`;
  if (!isKnown(headers, etag)) return packedJson(headers, JSON.stringify(body), { etag });
  return new Response(null, { status: 304, headers: { etag, vary: "accept-encoding" } });
}

/** JSON, compressed where that is worth it and the client accepts it. */
export async function packedJson(
  headers: Headers,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const facts = { ...more, vary: "accept-encoding", "content-type": "application/json" };
  const takesGzip = acceptedCodings(headers.get("accept-encoding")).has("gzip");
  if (!takesGzip || text.length < MIN_PACKED_LENGTH) return new Response(text, { headers: facts });
  // Loaded at the first use: no start needs it. The fastest level leaves a tenth of such texts.
  const zlib = await import("node:zlib");
  const bytes = await promisify(zlib.gzip)(text, { level: 1 });
  return new Response(bytes, { headers: { ...facts, "content-encoding": "gzip" } });
}

/** Whether the client has the reply of this ETag; weak and strong ones compare equal. */
export function isKnown(headers: Headers, etag: string): boolean {
  const plain = (tag: string) => tag.trim().replace(/^W\//, "");
  const known = (headers.get("if-none-match") ?? "").split(",").map(plain);
  return known.includes(plain(etag)) || known.includes("*");
}

/** In lower case; `*` is ignored. */
export function acceptedCodings(header: string | undefined | null): ReadonlySet<string> {
  const offers = (header ?? "").toLowerCase().split(",");
  const allowed = offers.filter((offer) => !/;\s*q=0(\.0*)?\s*$/.test(offer));
  return new Set(allowed.map((offer) => offer.replace(/;.*/, "").trim()));
}
