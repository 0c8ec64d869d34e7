import { expect, test } from "bun:test";
import fc from "fast-check";
import { forgetServer, StoredValue, parseMembers } from "../../web/model/stored.ts";
import { BrowserStorage } from "../../web/state/browser/storage.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { forAll } from "../support/laws.ts";

test("any stored text is read as an object, an invalid one as an empty object", () => {
  expect(parseMembers('{"id":"a","n":1}')).toEqual({ id: "a", n: 1 });
  for (const text of [null, "", "null", "7", '"text"', "{", "undefined"])
    expect([text, parseMembers(text)]).toEqual([text, {}]);
  const stored = fc.oneof(fc.string(), fc.json());
  forAll([stored], (text) => expect(typeof parseMembers(text)).toBe("object"));
});

test("a stored value whose last member is removed leaves no key", () => {
  const storage = new MemoryStorage();
  const kept = new StoredValue(storage, "first-messages", parseMembers);
  kept.set({ "%1": "begin" });
  expect(kept.get()).toEqual({ "%1": "begin" });
  kept.set({});
  expect(storage.length).toBe(0);
  expect(kept.get()).toEqual({});
});

test("forgetting a server removes every stored value except the person's own", () => {
  const storage = new MemoryStorage();
  const own = ["panewatch.preferences", "panewatch.answers", "panewatch.set-up", "other.program"];
  const names = ["draft.a", "remarks.s %1 /top", "token", "of-a-later-version"];
  for (const key of [...own, ...names.map((name) => `panewatch.${name}`)])
    storage.setItem(key, "1");
  forgetServer(new BrowserStorage(() => storage));
  const left = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? "");
  expect(left.toSorted()).toEqual(own.toSorted());
});

test("every storage key is declared and used, and only the storage modules access the storage", async () => {
  const files = [...new Bun.Glob("**/*.{ts,tsx}").scanSync({ cwd: "web" })];
  const reads = await Promise.all(
    files.map(async (file) => [file, await Bun.file(`web/${file}`).text()] as const),
  );
  const touching = reads.filter(([, text]) =>
    /\b(setItem|localStorage|sessionStorage|indexedDB)\b|["'`]panewatch\./.test(text),
  );
  // The declaration, the storage itself and who opens it; drafts write what is declared as theirs.
  expect(touching.map(([file]) => file).toSorted()).toEqual([
    ...["model/stored.ts", "state/browser/browser.ts", "state/browser/storage.ts"],
    "state/server/drafts.ts",
  ]);
  const declared =
    /const NAMES = \{([^}]*)\}/.exec(
      reads.find(([file]) => file === "model/stored.ts")?.[1] ?? "",
    )?.[1] ?? "";
  const names = [...declared.matchAll(/^  "?([\w.-]+)"?: "(?:server|person)",$/gm)].map(
    ([, name]) => name,
  );
  const unused = names.filter(
    (name) =>
      !reads.some(([, text]) =>
        new RegExp(`(new StoredValue\\([^)]*|keyOf\\()"${name}"`).test(text),
      ),
  );
  expect(names.length).toBeGreaterThan(5);
  expect(unused).toEqual([]);
});
