import { networkInterfaces } from "node:os";
import { isLoopback, urlHost } from "../lib/address.ts";
import { PAIR_FRAGMENT } from "../protocol/access.ts";

export interface Addresses {
  /** `server.public_urls` */
  publicUrls: readonly string[];
  /** Origin of the page that asks, already checked; null for none. */
  pageOrigin: string | null;
  bindHost: string;
  port: number;
  /** Addresses of this machine's network interfaces. */
  interfaces: readonly string[];
}

/** Addresses for another device, the likeliest first; a loopback one only without others. */
export function baseUrls(addresses: Addresses): { urls: string[]; isLocal: boolean } {
  const { publicUrls, pageOrigin, bindHost, port } = addresses;
  const isWildcard = bindHost === "0.0.0.0" || bindHost === "::";
  const bound = isWildcard ? reachableHosts(addresses) : [bindHost];
  const candidates = [
    ...publicUrls,
    ...(pageOrigin === null ? [] : [pageOrigin]),
    ...bound.map((host) => `http://${urlHost(host)}:${port}`),
  ].map((url) => url.replace(/\/+$/, ""));
  const urls = [...new Set(candidates)].filter((url) => URL.canParse(url));
  const elsewhere = urls.filter((url) => !isLoopback(new URL(url).hostname));
  return elsewhere.length > 0
    ? { urls: elsewhere, isLocal: false }
    : { urls: urls.slice(0, 1), isLocal: true };
}

/** The code is in the fragment, which no browser sends and no proxy logs. */
export function pairingLink(baseUrl: string, code: string): string {
  return `${baseUrl}/#${PAIR_FRAGMENT}=${code}`;
}

function reachableHosts({ bindHost, interfaces }: Addresses): string[] {
  const usable = interfaces.filter((address) => bindHost === "::" || !address.includes(":"));
  return usable.length > 0 ? usable : ["127.0.0.1"];
}

/** Addresses of this machine in its networks, IPv4 first. */
export function interfaceAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all
    .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address);
}
