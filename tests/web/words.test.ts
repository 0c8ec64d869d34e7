import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const WEB = join(import.meta.dir, "..", "..", "web");

test("every word is said somewhere", async () => {
  const said = new Set<string>();
  for (const file of new Bun.Glob("**/*.{ts,tsx}").scanSync(WEB)) {
    if (file.startsWith("words/")) continue;
    const source = await Bun.file(join(WEB, file)).text();
    for (const name of source.match(/\w+/g) ?? []) said.add(name);
  }
  const unsaid: string[] = [];
  for (const file of readdirSync(join(WEB, "words"))) {
    const areas: Record<string, unknown> = await import(join(WEB, "words", file));
    for (const [area, words] of Object.entries(areas))
      if (typeof words === "object" && words !== null)
        for (const word of Object.keys(words))
          if (!said.has(word)) unsaid.push(`${file}: ${area}.${word}`);
  }
  expect(unsaid).toEqual([]);
});
