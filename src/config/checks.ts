import { isLoopback } from "../lib/address.ts";

/** What is wrong with a value, or null. */
export type Fault = (value: string) => string | null;

// A token travels in a header: a line break at its end, which a YAML block leaves, or a letter that
// browsers do not send in a header would lock every client out.
export const tokenFault = (value: string) =>
  /[^\x20-\x7e]|^ | $/.test(value) ? "must be printable ASCII without blanks around it" : null;

const MAX_DESTINATION_CHARS = 255;

/** What is wrong with the name of a host, as the end of a sentence, or null. */
export function nameFault(name: string): string | null {
  if (!/^[a-z0-9-]{1,32}$/.test(name)) return "must be 1 to 32 of a-z, 0-9 and -";
  return name === "local" ? "must not be local, which is this machine" : null;
}

/**
 * What is wrong with a destination, or null. ssh takes one that begins with `-` for options, and
 * puts its parts into commands of a person's configuration, which a shell reads.
 */
export function destinationFault(ssh: string): string | null {
  if (ssh === "") return "must not be empty";
  if (/(^|[@/])-/.test(ssh)) return "must not begin with -, nor its user or host";
  if (/[\s\p{Cc}]/u.test(ssh)) return "must not hold blanks or control characters";
  if (/["'`$\\;&<>|(){}*?!#]/.test(ssh)) return "must not hold characters of a shell";
  return ssh.length > MAX_DESTINATION_CHARS
    ? `must have at most ${MAX_DESTINATION_CHARS} characters`
    : null;
}

// Apple refuses such a contact, and nobody could be reached there.
const LOCAL = "must be reachable from outside: not localhost, not .local";

export function contactFault(contact: string): string | null {
  const mailHost = /^mailto:[^@\s]+@([^@\s]+)$/.exec(contact)?.[1];
  if (mailHost !== undefined) return isLocalName(mailHost) ? LOCAL : null;
  const url = URL.parse(contact);
  if (url?.protocol !== "https:") return "must be a mailto: or https: address";
  return isLocalName(url.hostname) ? LOCAL : null;
}

export function isLocalName(host: string): boolean {
  return /(^|\.)(localhost|local)\.?$/i.test(host) || isLoopback(host);
}

export function hostPortFault(host: string): string | null {
  const parsed = URL.parse(`https://${host}`)?.host;
  // A port that https implies is left out of what was parsed.
  const isWhole = parsed !== undefined && [parsed, `${parsed}:443`].includes(host.toLowerCase());
  return isWhole ? null : "must be host[:port]";
}

type UrlFault = (url: URL) => string | null;

export const httpFault =
  (...faults: readonly UrlFault[]): Fault =>
  (address) => {
    const url = URL.parse(address);
    if (!url || !/^https?:$/.test(url.protocol)) return "must be an http or https address";
    return faults.map((fault) => fault(url)).find((found) => found !== null) ?? null;
  };

export const userFault =
  (refusal: string): UrlFault =>
  ({ username, password }) =>
    username !== "" || password !== "" ? refusal : null;

/** Cleartext only on this machine. */
const cleartextFault: UrlFault = ({ protocol, hostname }) =>
  protocol === "http:" && !isLoopback(hostname) ? "must be https" : null;

const pathFault: UrlFault = ({ pathname, search, hash, username, password }) =>
  pathname === "/" && !search && !hash && !username && !password
    ? null
    : "must have no path, user or query";

export const originFault = httpFault(pathFault);
export const serviceOriginFault = httpFault(pathFault, cleartextFault);
export const topicFault = httpFault(
  userFault("must not have a user; use push.ntfy_token"),
  ({ pathname }) => (pathname === "/" ? "must name the topic: https://host/topic" : null),
);
/** A name of a pane is in what it is told. */
export const webhookFault = httpFault(userFault("must not have a user"), cleartextFault);

/** What a topic's address gives away, or "". Unlike a fault it is no error: networks of one's own do so. */
export function topicWarning(address: string): string {
  return address !== "" && cleartextFault(new URL(address)) !== null
    ? "push.ntfy_url is http: whoever is on the way can read the topic and push.ntfy_token"
    : "";
}
