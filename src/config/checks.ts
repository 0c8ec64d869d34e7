import { isLoopback } from "../lib/address.ts";

/** The fault of a value, as the end of a sentence; null where there is none. */
export type Fault = (value: string) => string | null;

// A token is sent in a header: a line break at its end, as a YAML block leaves it, or a letter that
// browsers do not send there would lock every client out.
const tokenFault = (value: string) =>
  /[^\x20-\x7e]|^ | $/.test(value) ? "must be printable ASCII without blanks around it" : null;

export const SECRET_TOKEN = { secret: true, allowed: "printable ASCII", check: tokenFault };

export const EXECUTABLE = {
  allowed: "an executable's name or path",
  check: (value: string) => (value.trim() === "" ? "must not be empty" : null),
};

const MAX_DESTINATION_CHARS = 255;

export function nameFault(name: string): string | null {
  if (!/^[a-z0-9-]{1,32}$/.test(name)) return "must be 1 to 32 of a-z, 0-9 and -";
  return name === "local" ? "must not be local, which is this machine" : null;
}

/**
 * ssh takes a destination that begins with `-` for options, and puts its parts into commands of a
 * person's configuration, which a shell reads.
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

// Apple refuses such a contact.
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
  // The parser leaves out the port that https implies.
  const isWhole = parsed !== undefined && [parsed, `${parsed}:443`].includes(host.toLowerCase());
  return isWhole ? null : "must be host[:port]";
}

type UrlFault = (url: URL) => string | null;

export const httpFault =
  (...faults: readonly UrlFault[]): Fault =>
  (address) => {
    const url = URL.parse(address);
    if (!url || !/^https?:$/.test(url.protocol)) return "must be an http or https address";
    return faults.map((fault) => fault(url)).find((text) => text !== null) ?? null;
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
/** The webhook is sent names of panes: hence no cleartext. */
export const webhookFault = httpFault(userFault("must not have a user"), cleartextFault);

/** "" for none. A warning and no fault, since http is usual in a network of one's own. */
export function topicWarning(address: string): string {
  return address !== "" && cleartextFault(new URL(address)) !== null
    ? "push.ntfy_url is http: whoever is on the way can read the topic and push.ntfy_token"
    : "";
}
