import { expect, test } from "bun:test";
import { jsonWithEtag } from "../../src/lib/json-with-etag.ts";

const textOf = (said: string) => `${"6198".padEnd(39, "-")}${said}Wwx$$|.?${"!".repeat(80)}`;

test("a pane cannot write two texts that have one ETag", async () => {
  // For the default hash of Bun such texts are found in a millisecond: it has no secret.
  const [seen, now] = ["echo hi!", "rm -rf /"].map((said) => ({ text: textOf(said) }));
  expect(Bun.hash(JSON.stringify(seen))).toBe(Bun.hash(JSON.stringify(now)));
  const { headers } = await jsonWithEtag({ headers: new Headers() }, seen ?? {});
  const known = new Headers({ "if-none-match": headers.get("etag") ?? "" });
  expect((await jsonWithEtag({ headers: known }, seen ?? {})).status).toBe(304);
  const reply = await jsonWithEtag({ headers: known }, now ?? {});
  expect(reply.status).toBe(200);
  expect(await reply.json()).toEqual(now);
});
