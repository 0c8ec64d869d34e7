import { expect, test } from "bun:test";
import { sha256 } from "../../src/lib/digest.ts";

// FIPS 180-2, appendix B.1.
const OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

test("a text and its UTF-8 bytes have the standard's digest", () => {
  expect(sha256("abc").toString("hex")).toBe(OF_ABC);
  expect(sha256(new TextEncoder().encode("abc")).toString("hex")).toBe(OF_ABC);
  expect(sha256("é")).toEqual(sha256(new Uint8Array([0xc3, 0xa9])));
});
