import { codeOf } from "../errors.ts";

/** Whether a host is this machine alone; an address in an unusual spelling counts as open. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/** What proxies add to the requests that they bring. */
const FORWARDING = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|.*-client-ip)$/;

export function isForwarded(headers: Headers): boolean {
  return [...headers.keys()].some((name) => FORWARDING.test(name));
}

/** Whether a request is one to this machine by its own name, which no proxy has said it has brought. */
export function isFromHere(headers: Headers): boolean {
  const name = URL.parse(`http://${headers.get("host") ?? ""}`)?.hostname ?? "";
  return isLoopback(name) && !isForwarded(headers);
}

/** A host name or address as a URL writes it: IPv6 in brackets. */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Why nothing can listen there now, as the system's code such as `EADDRINUSE`; null where it can. */
export function listenFailure(hostname: string, port: number): string | null {
  try {
    Bun.listen({ hostname, port, socket: { data() {} } }).stop(true);
    return null;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

const MOST_TRIED = 50;

/** `first`, or the next port that no other program has; `first` again where none of many is free. */
export function nextFreePort(host: string, first: number): number {
  for (let port = first; port < first + MOST_TRIED; port++)
    if (listenFailure(host, port) !== "EADDRINUSE") return port;
  return first;
}
