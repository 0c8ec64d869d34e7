import { codeOf } from "../errors.ts";

/** An address in an unusual spelling counts as open to others. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

/** Headers that proxies add. */
const FORWARDING = /^(forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|.*-client-ip)$/;

export function isForwarded(headers: Headers): boolean {
  return [...headers.keys()].some((name) => FORWARDING.test(name));
}

/** Whether a request names this machine as loopback and no proxy has forwarded it. */
export function isFromHere(headers: Headers): boolean {
  const name = URL.parse(`http://${headers.get("host") ?? ""}`)?.hostname ?? "";
  return isLoopback(name) && !isForwarded(headers);
}

/** For a URL: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Why nothing can listen there now, as the system's code (`EADDRINUSE`); null: it can. */
export function listenFailure(hostname: string, port: number): string | null {
  try {
    Bun.listen({ hostname, port, socket: { data() {} } }).stop(true);
    return null;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}

const MAX_PORTS_TRIED = 50;

/** `first`, or the next free port; `first` again where none of those tried is free. */
export function nextFreePort(host: string, first: number): number {
  for (let port = first; port < first + MAX_PORTS_TRIED; port++)
    if (listenFailure(host, port) !== "EADDRINUSE") return port;
  return first;
}
