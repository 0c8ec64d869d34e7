import { networkInterfaces } from "node:os";

/** Addresses under which other machines may see this one, IPv4 first. */
export function interfaceAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all
    .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
    .toSorted((a, b) => a.family.localeCompare(b.family))
    .map(({ address }) => address);
}
