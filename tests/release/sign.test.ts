import { expect, test } from "bun:test";
import fc from "fast-check";
import { isSigned } from "../../src/cli/install/signature.ts";
import { makeSigningKey, publicKeyOf, signatureOf } from "../../src/release/sign.ts";
import { forAll } from "../support/laws.ts";

const [key, other] = [makeSigningKey(), makeSigningKey()];

test("law: a signature of one of the keys is accepted for its own file only", () => {
  forAll([fc.uint8Array(), fc.nat()], 100, (file, at) => {
    const signature = signatureOf(file, key, "a test");
    expect(isSigned(file, signature, [publicKeyOf(other), publicKeyOf(key)])).toBe(true);
    expect(isSigned(file, signature, [publicKeyOf(other)])).toBe(false);
    expect(isSigned(file, signature, [])).toBe(false);
    const changed = Uint8Array.from([...file, 0]);
    changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ 1;
    expect(isSigned(changed, signature, [publicKeyOf(key)])).toBe(false);
  });
});

test.each(["", "<html>", "untrusted comment: x\n", "a\nRWQ=\nb\n"])(
  "%j is no signature",
  (signature) => {
    expect(isSigned(Buffer.from("sums"), signature, [publicKeyOf(key), "", "RWQ="])).toBe(false);
  },
);

/** Made by minisign 0.11 (`-G`, and `-S -l` over the text). */
const OF_MINISIGN = {
  key: "RWQnUasuQM4cA2kf8XjrtROyeQGYKqjH5zA6zxk5UwJJALb020hYYg5W",
  text: "sums\n",
  signature: `untrusted comment: signature from minisign secret key\nRWQnUasuQM4cA2N3CD9q1qkx60Ww1ZS66KbFt4sS7jiTSs44dNUGDv+7XpntO0VooaKZMtJOaigkHYJr4lgUtC9aWnaiMteaQgs=\ntrusted comment: panewatch\ngepNHvpfmNGKqjpegYmjUdsVCppZ3wnAGtBaVn8rEEOnRblvFWGtDlGQ/A6n69ek1bIahBhUcACdJAP6zd/EAQ==\n`,
};
test("a signature by minisign itself is accepted", () => {
  const { key: ofMinisign, text, signature } = OF_MINISIGN;
  expect(isSigned(Buffer.from(text), signature, [ofMinisign])).toBe(true);
  expect(isSigned(Buffer.from(`${text} `), signature, [ofMinisign])).toBe(false);
});
