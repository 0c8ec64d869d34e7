import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lazySchemas, markSchemas, RUNTIME_FLAGS } from "../build.ts";
import { isObject } from "../src/lib/json.ts";
import { OwnAuthority } from "./support/push-keys.ts";

const ROOT = join(import.meta.dir, "..");
const MARK = "/* @__PURE__ */ lazyObject(() => ";

test("with the flags of the executable the runtime trusts the authorities of the machine", async () => {
  const authority = await OwnAuthority.open();
  const script = `
    const { getCACertificates } = require("node:tls");
    const trusted = new Set(getCACertificates("default"));
    console.log(getCACertificates("system").every((each) => trusted.has(each)));`;
  const trustsAll = async (flags: readonly string[]) => {
    const command = [process.execPath, "--no-env-file", ...flags, "-e", script];
    // For the runtime it is one of the machine's.
    const env = { ...process.env, SSL_CERT_FILE: authority.authorityFile };
    return (await Bun.$`${command}`.env(env).text()).trim();
  };
  expect(await trustsAll(RUNTIME_FLAGS)).toBe("true");
  expect(await trustsAll([])).toBe("false");
  await authority.close();
});

test("markSchemas marks every schema constant, whatever its form, and no other constant", () => {
  const whole = [
    'import { z } from "zod";',
    "export const One = z.object({",
    "  /** Why; and when. */",
    "  a: z.string().refine((text) => {",
    "    return text !== ';';",
    "  }),",
    "",
    "  b: z.number(),",
    "});",
    "export type One = z.infer<typeof One>;",
    "const Two = One.extend({ c: z.string() });",
    "export const Three: z.ZodType<string> = z",
    "  .string()",
    "  .min(1);",
    "const LIMIT = 5;",
    "const KEYS = Object.keys(One);",
    "const WORDS = LIMITS.map(String);",
    "const ITEMS = One.shape.b.options;",
    "export const made = make(One);",
    "function f() {",
    "  const D = z.string();",
    "}",
    "",
  ].join("\n");
  const marked = markSchemas(whole);
  expect(marked.split(MARK)).toHaveLength(4);
  expect(marked).toContain(`export const One = ${MARK}z.object({\n`);
  expect(marked).toContain("  b: z.number(),\n}));\nexport type One");
  expect(marked).toContain(`const Two = ${MARK}One.extend({ c: z.string() }));\n`);
  expect(marked).toContain(`= ${MARK}z\n  .string()\n  .min(1));\nconst LIMIT = 5;\n`);
});

test("markSchemas marks the schemas in endpoint rows", () => {
  const rows = [
    'import { z } from "zod";',
    "export const ROWS = {",
    '  a: { scope: "look", query: z.object({ cards: z.string().optional() }) },',
    "  b: {",
    "    json: z.object({ renew: z.boolean().default(false) }),",
    "    absent: true,",
    "  },",
    "  c: { json: KeyRequest },",
    "};",
    "",
  ].join("\n");
  const marked = markSchemas(rows);
  expect(marked).toContain(
    "query: lazyObject(() => z.object({ cards: z.string().optional() })) },\n",
  );
  expect(marked).toContain(
    "json: lazyObject(() => z.object({ renew: z.boolean().default(false) })),\n",
  );
  expect(marked).toContain("  c: { json: KeyRequest },\n");
});

const MARKED = /const (\w+)[^\n]* = \/\* @__PURE__ \*\/ lazyObject\(\(\) => (\w+)/g;

test("marked files have the same exports, and only schemas are marked", async () => {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const names = new Set(["z", "textUpTo", "itemOf", "patchOf", "numberAs"]);
  const roots = new Set<string>();
  for (const file of new Bun.Glob("src/**/*.ts").scanSync(ROOT)) {
    const text = await Bun.file(join(ROOT, file)).text();
    const marked = markSchemas(text);
    if (marked === text) continue;
    for (const [, name = "", root = ""] of marked.matchAll(MARKED)) {
      names.add(name);
      roots.add(root);
    }
    // The marked file parses, and has the same exports.
    expect(transpiler.scan(marked).exports).toEqual(transpiler.scan(text).exports);
  }
  expect(names.size).toBeGreaterThan(200);
  expect([...roots.difference(names)]).toEqual([]);
});

/** These values as JSON, with the kind of a schema in its place. */
const kindsOf = (values: Readonly<Record<string, unknown>>) =>
  JSON.stringify(values, (_, value: unknown) =>
    isObject(value) && "_zod" in value ? (value._zod as { def: { type: string } }).def.type : value,
  );

test("schemas made at their first use read the same as plain schemas", async () => {
  const outdir = await mkdtemp(join(tmpdir(), "panewatch-schemas-"));
  try {
    const sources = [
      ...new Bun.Glob("src/{protocol,config,terminal,usage,push}/**/*.ts").scanSync(ROOT),
    ];
    const texts = await Promise.all(sources.map((file) => Bun.file(join(ROOT, file)).text()));
    const files = sources.filter((_, i) => markSchemas(texts[i] ?? "") !== texts[i]);
    const built = await Bun.build({
      ...{ entrypoints: files.map((file) => join(ROOT, file)), root: ROOT, outdir },
      ...{ target: "bun", splitting: true, plugins: [lazySchemas()] },
    });
    expect(built.success).toBeTrue();
    const lazy = (file: string) => import(join(outdir, file.replace(/ts$/, "js")));
    for (const file of files)
      expect(kindsOf(await lazy(file))).toEqual(kindsOf(await import(join(ROOT, file))));
    const { DeltaFrame } = await lazy("src/protocol/frames.ts");
    const frame = { type: "delta", order: ["%1"], hosts: [] };
    expect(DeltaFrame.parse(frame)).toEqual(frame);
    expect(DeltaFrame.safeParse({ ...frame, added: [{}] }).error.issues).not.toBeEmpty();
    const { WireSessions } = await lazy("src/terminal/wsp/wire.ts");
    const session = { name: "one", default: false, running: true, socket_path: "/run/one" };
    expect(WireSessions.parse({ sessions: [session] })).toEqual({ sessions: [session] });
  } finally {
    await rm(outdir, { recursive: true, force: true });
  }
});
