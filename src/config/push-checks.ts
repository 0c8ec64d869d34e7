import { isLoopback } from "../lib/loopback.ts";
import { originFault } from "./structured.ts";

/** Each tells what is wrong with a configured value, or null; empty values are no setting. */
export function contactFault(contact: string): string | null {
  if (contact === "") return null;
  const mailHost = /^mailto:[^@\s]+@([^@\s]+)$/.exec(contact)?.[1];
  if (mailHost !== undefined) return isLocalName(mailHost) ? LOCAL : null;
  const url = URL.parse(contact);
  if (url?.protocol !== "https:") return "must be a mailto: or https: address";
  return isLocalName(url.hostname) ? LOCAL : null;
}

// Apple refuses such a contact, and nobody could be reached there.
const LOCAL = "must be reachable from outside: not localhost, not .local";

export function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local)\.?$/i.test(host) || isLoopback(host);
}

/** An origin; cleartext only on this machine. */
export function serviceOriginFault(address: string): string | null {
  return address === "" ? null : (originFault(address) ?? cleartextFault(address));
}

export function hostPortFault(host: string): string | null {
  const parsed = URL.parse(`https://${host}`)?.host;
  // A port that https implies is left out of what was parsed.
  const isWhole = parsed !== undefined && [parsed, `${parsed}:443`].includes(host.toLowerCase());
  return isWhole ? null : "must be host[:port]";
}

export function topicFault(address: string): string | null {
  if (address === "") return null;
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return "must be an http or https address";
  if (url.username !== "" || url.password !== "")
    return "must not have a user; use push.ntfy_token";
  return url.pathname === "/" ? "must name the topic: https://host/topic" : null;
}

/** Cleartext only on this machine: a name of a pane is in it. */
export function webhookFault(address: string): string | null {
  if (address === "") return null;
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return "must be an http or https address";
  if (url.username !== "" || url.password !== "") return "must not have a user";
  return cleartextFault(address);
}

/** What a topic's address gives away, or "". Unlike a fault it is no error: networks of one's own do so. */
export function topicWarning(address: string): string {
  return address !== "" && cleartextFault(address) !== null
    ? "push.ntfy_url is http: whoever is on the way can read the topic and push.ntfy_token"
    : "";
}

function cleartextFault(address: string): string | null {
  const { protocol, hostname } = new URL(address);
  return protocol === "http:" && !isLoopback(hostname) ? "must be https" : null;
}
