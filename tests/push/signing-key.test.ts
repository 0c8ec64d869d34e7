import { beforeEach, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { jwtVerify } from "jose";
import { ProviderToken, readSetup } from "../../src/push/signing.ts";
import { FakeClock } from "../support/clock.ts";
import { signingKey } from "../support/push-keys.ts";
import { temporary } from "../support/temporary.ts";

let folder: string;
beforeEach(async () => {
  folder = await temporary("key");
});

async function setup(pem: string) {
  const path = join(folder, "key.p8");
  await writeFile(path, pem);
  return await readSetup({
    "push.push_key_path": path,
    "push.push_key_id": "KEY",
    "push.push_team_id": "TEAM",
    "push.push_topic": "app",
  });
}

test.each([
  ["without anything before the key", ""],
  ["behind a blank line", "\n"],
  ["behind a comment", "# the key of the app\n"],
  [
    "exported by openssl from a store",
    "Bag Attributes\n    localKeyID: 01 02\nKey Attributes: <No Attributes>\n",
  ],
])("a key file %s signs a token that the public key verifies", async (_, before) => {
  const { pem, publicKey } = signingKey();
  const { key, problem } = await setup(before + pem);
  expect(problem).toBe("");
  if (!key) throw new Error("the key was not taken");
  const token = await new ProviderToken(key, new FakeClock()).current();
  const { payload, protectedHeader } = await jwtVerify(token, publicKey);
  expect([payload.iss, protectedHeader.kid]).toEqual(["TEAM", "KEY"]);
});

const { privateKey: rsa } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const { privateKey: otherCurve } = generateKeyPairSync("ec", { namedCurve: "secp384r1" });
const { pem: cut } = signingKey();
test.each([
  ["of another kind", rsa.export({ type: "pkcs8", format: "pem" }).toString()],
  ["of another curve", otherCurve.export({ type: "pkcs8", format: "pem" }).toString()],
  ["that is cut off", cut.slice(0, 60)],
  ["without a key", "no key"],
])("a file %s is refused as a key", async (_, pem) => {
  const { key, problem } = await setup(pem);
  expect(key).toBeNull();
  expect(problem).toBe("the file of push.push_key_path is no P-256 key in PKCS#8");
});
