/**
 * Takes `?token=` out of an address. Other query parameters and the fragment stay as they are
 * written, byte for byte.
 */
export function takeToken(url: string): { readonly token: string; readonly rest: string } | null {
  const [, before, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(url) ?? [];
  if (query === undefined) return null;
  const parts = query.split("&");
  const isToken = (part: string) => part === "token" || part.startsWith("token=");
  const found = parts.findLast(isToken);
  if (found === undefined) return null;
  const kept = parts.filter((part) => !isToken(part) && part !== "");
  const rest = `${before}${kept.length > 0 ? `?${kept.join("&")}` : ""}${fragment ?? ""}`;
  const token = new URLSearchParams(found).get("token") ?? "";
  return { token, rest };
}

/** Takes `#pair=<code>` out of an address: a code that is exchanged for the token, once. */
export function takePairingCode(
  url: string,
): { readonly code: string; readonly rest: string } | null {
  const [, rest, code] = /^([^#]*)#pair=([^&]+)$/.exec(url) ?? [];
  return rest === undefined || code === undefined ? null : { code, rest };
}
