import { expect, test } from "bun:test";
import { getCACertificates } from "node:tls";
import { trustedAuthorities } from "../../src/push/outgoing.ts";

test("the authorities of the runtime and of the machine are read once, beside everything else", async () => {
  const reading = trustedAuthorities();
  expect(trustedAuthorities()).toBe(reading);
  const both = [...getCACertificates("default"), ...getCACertificates("system")];
  expect(new Set(await reading)).toEqual(new Set(both));
});
