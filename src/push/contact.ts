import { isLocalName } from "../config/push-checks.ts";

/**
 * Whom push services may reach about this server (RFC 8292): the configured contact, else an https
 * address of this server, else that of the page that registered. Null: there is none.
 */
export function contactOf(
  { contact, publicUrls }: { contact: string; publicUrls: readonly string[] },
  pageOrigin: string,
): string | null {
  if (contact !== "") return contact;
  const url = publicUrls.find(isHttps);
  if (url !== undefined) return new URL(url).origin;
  return isHttps(pageOrigin) && !isLocalName(new URL(pageOrigin).hostname) ? pageOrigin : null;
}

function isHttps(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === "https:";
}
