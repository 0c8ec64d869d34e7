import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWeb } from "../../build.ts";
import { built } from "../support/built.ts";

const WEB = join(import.meta.dir, "..", "..", "web");
/** Classes that the page builds from a prefix and a value. */
const COMPOSED = /^(icon|of|pace|scrim|sheet|status)-/;

/** Tokens that the page builds from a prefix and an agent's kind. */
const COMPOSED_TOKENS = /^--agent/;

/** The rules of the built page. */
let drawn: string;
let sources: string;
let sheets: string;
/** Rules that need no user yet. */
let utilities: string;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "panewatch-styles-"));
  let out = await built("web");
  if (out === null) await buildWeb((out = join(folder, "web")));
  const from = out;
  const names = (await readdir(from)).filter((file) => file.endsWith(".css"));
  drawn = (await Promise.all(names.map((name) => Bun.file(join(from, name)).text()))).join("\n");
  const read = async (pattern: string) => {
    const files = [...new Bun.Glob(pattern).scanSync(WEB)];
    return (await Promise.all(files.map((file) => Bun.file(join(WEB, file)).text()))).join("\n");
  };
  sources = await read("**/*.{ts,tsx}");
  utilities = await read("styles/utilities.css");
  sheets = (await read("styles/*.css")).replace(/\/\*[\s\S]*?\*\//g, "").replace(/@import.*/g, "");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("logical sides and light-dark() are left to the browser in the built styles", () => {
  expect(drawn).toContain("inset-inline-start:");
  expect(drawn).toContain("light-dark(");
  expect(drawn).not.toContain(":lang(");
});

test("every class of a rule is used by the page", () => {
  const used = classWords(sources);
  const classes = new Set([...sheets.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = ""]) => name));
  const unused = [...classes].filter(
    (name) => !used.has(name) && !COMPOSED.test(name) && !utilities.includes(`.${name} {`),
  );
  expect(classes.size).toBeGreaterThan(200);
  expect(unused).toEqual([]);
});

test("a class is styled in one sheet only", async () => {
  const sheetsOf = new Map<string, string[]>();
  for (const sheet of new Bun.Glob("styles/*.css").scanSync(WEB)) {
    const text = (await Bun.file(join(WEB, sheet)).text()).replace(/\/\*[\s\S]*?\*\//g, "");
    for (const name of new Set([...text.matchAll(/^(\.[\w-]+) \{/gm)].map(([, name = ""]) => name)))
      sheetsOf.set(name, [...(sheetsOf.get(name) ?? []), sheet]);
  }
  const shared = [...sheetsOf].filter(([, sheets]) => sheets.length > 1).map(([name]) => name);
  expect(sheetsOf.size).toBeGreaterThan(200);
  expect(shared).toEqual([]);
});

test("every token is used, and every used token exists", () => {
  const names = (pattern: RegExp) =>
    new Set([...sheets.matchAll(pattern)].map(([, name = ""]) => name));
  const made = names(/(?<![\w-])(--[\w-]+)\s*:/g);
  const asked = names(/var\((--[\w-]+)/g);
  const unused = [...made].filter(
    (name) => !asked.has(name) && !sources.includes(name) && !COMPOSED_TOKENS.test(name),
  );
  expect(unused).toEqual([]);
  expect([...asked].filter((name) => !made.has(name) && !sources.includes(name))).toEqual([]);
});

test("hover styles apply only to devices that can hover", () => {
  const forMice = /@media \(hover: hover\) \{[\s\S]*?\n\}/g;
  expect(sheets.match(forMice)?.join("")).toContain(":hover");
  expect(sheets.replace(forMice, "")).not.toContain(":hover");
});

test("colours are written in the token sheets alone", async () => {
  let others = sheets;
  for (const name of ["tokens.css", "tokens-later.css"]) {
    const tokens = await Bun.file(join(WEB, "styles", name)).text();
    others = others.replace(tokens.replace(/\/\*[\s\S]*?\*\//g, ""), "");
  }
  expect(others.length).toBeLessThan(sheets.length);
  expect(others.match(/#[0-9a-f]{3,8}\b(?=[;\s)])|\b(rgb|hsl|oklch|lab)a?\(/gi)).toBeNull();
});

test("every icon has its shape and its use, and every shape its icon", async () => {
  const named = await Bun.file(join(WEB, "ui", "button.tsx")).text();
  const drawn = await Bun.file(join(WEB, "icons.svg")).text();
  const names = [...named.matchAll(/Words<"([^"]+)">/g)].flatMap(([, row = ""]) => row.split(" "));
  expect([...drawn.matchAll(/<symbol id="(\w+)"/g)].map(([, id = ""]) => id).sort()).toEqual(
    names.sort(),
  );
  const asked = [...sources.matchAll(/\b(?:name|icon)[=:] ?"(\w+)"/g)].map(([, name = ""]) => name);
  expect(names.filter((name) => !asked.includes(name) && !sources.includes(`"${name}"`))).toEqual(
    [],
  );
});

/** A run of literals such as `"plain" | "primary"`: what a part of a class may be. */
const UNION = /"[\w-]+"(?:\s*\|\s*"[\w-]+")+/g;

/**
 * Words that can become a class: literals in what is given as `class`, in the constants that it is put
 * together from, and in unions, whose members name variants. Other strings are no classes, whatever
 * they say.
 */
function classWords(text: string): ReadonlySet<string> {
  const given = [...text.matchAll(/\bclass(?:Name)?\s*[=:]\s*("[^"]*"|\{)/g)].map((match) => {
    const value = match[1] ?? "";
    return value === "{" ? braced(text, match.index + match[0].length) : value;
  });
  const names = new Set(given.flatMap((value) => value.match(/\b[a-z]\w*\b/g) ?? []));
  const constants = [...text.matchAll(/\bconst (\w+) =([^;]*);/g)]
    .filter(([, name = ""]) => names.has(name))
    .map(([, , value = ""]) => value);
  const unions = text.match(UNION) ?? [];
  const literals = [...given, ...constants, ...unions].flatMap(
    (value) => value.match(/"[^"]*"|`[^`]*`/g) ?? [],
  );
  return new Set(literals.flatMap((literal) => literal.match(/[\w-]+/g) ?? []));
}

/** What stands between an opening brace, behind which `from` is, and the one that closes it. */
function braced(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < text.length; at++) {
    if (text[at] === "{") depth += 1;
    else if (text[at] === "}") depth -= 1;
  }
  return text.slice(from, at - 1);
}
