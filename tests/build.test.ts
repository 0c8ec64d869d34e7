import { expect, test } from "bun:test";
import { join } from "node:path";
import { markSchemas } from "../build.ts";

const ROOT = join(import.meta.dir, "..");
const MARK = "/* @__PURE__ */ (() => ";

test("a schema is marked as something that may be left out, whatever its form", () => {
  const whole = [
    "export const A = z.object({",
    "  /** Why; and when. */",
    "  a: z.string().refine((text) => {",
    "    return text !== ';';",
    "  }),",
    "",
    "  b: z.number(),",
    "});",
    "export type A = z.infer<typeof A>;",
    "const B = A.extend({ c: z.string() });",
    "export const C: z.ZodType<string> = z",
    "  .string()",
    "  .min(1);",
    "const LIMIT = 5;",
    "export const made = make(A);",
    "function f() {",
    "  const D = z.string();",
    "}",
    "",
  ].join("\n");
  const marked = markSchemas(whole);
  expect(marked.split(MARK)).toHaveLength(4);
  expect(marked).toContain(`export const A = ${MARK}z.object({\n`);
  expect(marked).toContain("  b: z.number(),\n}))();\nexport type A");
  expect(marked).toContain(`const B = ${MARK}A.extend({ c: z.string() }))();\n`);
  expect(marked).toContain(`= ${MARK}z\n  .string()\n  .min(1))();\nconst LIMIT = 5;\n`);
});

test("every file with schemas is the same program when they are marked", async () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  let count = 0;
  for (const file of new Bun.Glob("src/**/*.ts").scanSync(ROOT)) {
    const text = await Bun.file(join(ROOT, file)).text();
    if (!text.includes('from "zod"')) continue;
    const marked = markSchemas(text);
    count += marked.split(MARK).length - 1;
    // It parses, and has the same exports.
    expect(transpiler.scan(marked).exports).toEqual(transpiler.scan(text).exports);
  }
  expect(count).toBeGreaterThan(200);
});
