import { AppError } from "../errors.ts";
import { isForwarded, isLoopback, urlHost } from "../lib/address.ts";

export interface OriginRules {
  bindHost: string;
  /** Origins under which the service is reached through a proxy. */
  publicUrls: readonly string[];
  tokenRequired: boolean;
}

/**
 * Refuses requests of foreign web pages: another `Origin`, and without a token a `Host` that a page
 * could have pointed at this server (DNS rebinding).
 * @throws AppError forbidden
 */
export function requireOwnOrigin(headers: Headers, rules: OriginRules): void {
  const host = headers.get("host");
  const origin = headers.get("origin");
  // A browser sends no Origin with a foreign page's plain GET: that page cannot read the reply, but
  // the time that a search takes.
  const isHidden =
    /^(cross|same)-site$/.test(headers.get("sec-fetch-site") ?? "") &&
    headers.get("sec-fetch-mode") !== "navigate";
  if (origin === null ? isHidden : !isOwnOrigin(origin, host, rules.publicUrls))
    throw new AppError(
      "forbidden",
      "requests of another origin are refused; server.public_urls may allow it",
    );
  if (rules.tokenRequired) return;
  // A proxy may forward requests of anybody.
  if (isForwarded(headers))
    throw new NotOpenError(
      "what a proxy forwards is refused: panewatch phone --address makes one and takes the proxy's address",
    );
  // Browsers always send a Host: without one it is no page.
  if (host !== null && !isKnownHost(host, rules))
    throw new NotOpenError("this host name is refused; server.public_urls may allow it");
}

/** Another name than this machine's own, while no token keeps foreign pages out. */
export class NotOpenError extends AppError {
  constructor(why: string) {
    super("forbidden", `without a token, ${why}`);
  }
}

function isOwnOrigin(origin: string, host: string | null, publicUrls: readonly string[]): boolean {
  const url = URL.parse(origin);
  if (url === null || url.host === "") return false;
  if (publicUrls.some((publicUrl) => URL.parse(publicUrl)?.origin === url.origin)) return true;
  // The scheme is not compared: a proxy may terminate TLS. Parsed under the origin's scheme, so that
  // the default port may be written or not.
  return host !== null && urlOfHost(host, url.protocol)?.host === url.host;
}

function isKnownHost(host: string, { bindHost, publicUrls }: OriginRules): boolean {
  const name = nameOf(urlOfHost(host, "http:"));
  if (name === null) return false;
  return (
    isLoopback(name) ||
    name === nameOf(urlOfHost(urlHost(bindHost), "http:")) ||
    publicUrls.some((url) => name === nameOf(URL.parse(url)))
  );
}

function nameOf(url: URL | null): string | null {
  return url ? url.hostname.replace(/\.$/, "") : null;
}

// A Host with a user, path or query is meant to confuse a parser.
function urlOfHost(host: string, protocol: string): URL | null {
  return /^[^\s/?#@\\]+$/.test(host) ? URL.parse(`${protocol}//${host}`) : null;
}
