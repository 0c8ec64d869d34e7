import { expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { ConfigReply } from "../../src/protocol/config.ts";
import { type Endpoint, ENDPOINTS } from "../../src/protocol/endpoints.ts";
import { InputRequest, RefusalCode } from "../../src/protocol/input.ts";
import { MenuOption, PaneState } from "../../src/protocol/pane.ts";

const page = await Bun.file(join(import.meta.dir, "../../docs/api.md")).text();

/** What stands behind the first place of these words. */
function behind(words: string): string {
  const at = page.indexOf(words);
  if (at < 0) throw new Error(`docs/api.md has no ${words}`);
  return page.slice(at + words.length);
}

/** Told of in a table of their own, or beside another one. */
const TOLD_APART = ["POST /api/input", "POST /api/hosts/check"];

/** Of every endpoint that takes an object. */
const BODIES = Object.entries<Endpoint>(ENDPOINTS).flatMap(([name, { json, absent }]) =>
  json instanceof z.ZodObject && !TOLD_APART.includes(name)
    ? [[name, json, absent === true] as const]
    : [],
);

/** `{id, key, expected?}` as its members; what stands inside a member is left out. */
function membersOf(written: string): string[] {
  let depth = 0;
  const outer = [...written.slice(1)].filter((char) => {
    if ("{[".includes(char)) depth++;
    if ("}]".includes(char)) depth--;
    return depth === 0;
  });
  return outer
    .join("")
    .split(",")
    .map((member) => member.replace(/:.*/, "").replaceAll('"', "").trim());
}

test.each(BODIES)(
  "docs/api.md writes the body of %s as it is read",
  (name, schema, mayBeAbsent) => {
    const place = [`### \`${name}\``, `| \`${name}\` |`].find((words) => page.includes(words));
    const [, written = ""] = /`(\{[^`]*\})`/.exec(behind(place ?? name)) ?? [];
    const read = Object.entries(schema.shape).map(([member, type]) =>
      z.safeParse(type as z.ZodType, undefined).success ? `${member}?` : member,
    );
    // Of one that may be left out whole, its members may be too.
    const told = (member: string) => (mayBeAbsent ? member.replace("?", "") : member);
    expect(membersOf(written).map(told).sort()).toEqual(read.map(told).sort());
  },
);

/** The rows of the first table behind a heading: the first two cells, without marks. */
function rows(heading: string): [string, string][] {
  const [, table = ""] = /((?:^\|.*\n)+)/m.exec(behind(`\n${heading}\n`)) ?? [];
  return table
    .trim()
    .split("\n")
    .slice(2)
    .map((row) => {
      const [, name = "", type = ""] = row.split("|").map((cell) => cell.trim());
      return [name.replaceAll("`", ""), wordOf(type)];
    });
}

const wordOf = (type: string) =>
  type
    .replaceAll("`", "")
    .replace(/\{.*\}/, "object")
    .replace("integer", "number")
    .replace(/^(?!string)\w+\[\]/, "array");

/** A type in the words of the page. */
function typeOf(schema: z.core.JSONSchema.JSONSchema): string {
  const { anyOf, type, items, enum: values } = schema;
  if (anyOf) return anyOf.map((one) => typeOf(one as z.core.JSONSchema.JSONSchema)).join(" or ");
  if (values) return "enum";
  if (type !== "array") return [type].flat().join(" or ");
  const isOfText = typeof items === "object" && !Array.isArray(items) && items.type === "string";
  return isOfText ? "string[]" : "array";
}

test.each([
  ["### PaneState", PaneState],
  ["MenuOption:", MenuOption],
  ["### `GET /api/config`", ConfigReply],
] as [string, z.ZodObject][])(
  "docs/api.md has the members of %s with their types",
  (heading, schema) => {
    const { properties = {} } = z.toJSONSchema(schema, { unrepresentable: "any" });
    const real = Object.entries(properties).map(([name, type]) => [
      name,
      typeOf(type as z.core.JSONSchema.JSONSchema),
    ]);
    expect(Object.fromEntries(rows(heading))).toEqual(Object.fromEntries(real));
  },
);

test("docs/api.md has the members of guarded input", () => {
  const names = rows("### Guarded input: `POST /api/input`").flatMap(([name]) => name.split(", "));
  expect(names.sort()).toEqual(Object.keys(InputRequest.shape).sort());
});

test("docs/api.md lists every code of a refused action, and no other", async () => {
  const text = await Bun.file(join(import.meta.dir, "../../docs/api.md")).text();
  const [, section = ""] = text.split("### Error codes of actions");
  const [table = ""] = section.split("\n## ");
  const listed = [...table.matchAll(/^\| `(\w+)` \| \d{3} \|/gm)].map(([, code]) => code);
  expect(listed.toSorted()).toEqual([...RefusalCode.options].toSorted());
});
