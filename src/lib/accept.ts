/** The codings that an `Accept-Encoding` header allows, in lower case; `*` is ignored. */
export function acceptedCodings(header: string | undefined | null): ReadonlySet<string> {
  const offers = (header ?? "").toLowerCase().split(",");
  const allowed = offers.filter((offer) => !/;\s*q=0(\.0*)?\s*$/.test(offer));
  return new Set(allowed.map((offer) => offer.replace(/;.*/, "").trim()));
}
