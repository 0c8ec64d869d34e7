import { expect, test } from "bun:test";
import { join } from "node:path";
import { EQUIVALENT } from "./equivalent.ts";
import { keyOf, mutantsOf, mutated, sampleOf } from "./mutants.ts";
import { TARGETS } from "./targets.ts";

const ROOT = join(import.meta.dir, "../..");

const changes = (text: string) =>
  mutantsOf("src/a.ts", text).map(({ from, to }) => `${from} ${to}`);

test("comparisons, connections, negations, truths and awaits are turned round", () => {
  expect(changes("export const f = (a: number, b: number) => a < b && a !== 7;\n")).toEqual([
    "< <=",
    "&& ||",
    "!== ===",
  ]);
  expect(changes("export const g = async (a: boolean) => (!a ? true : await h());\n")).toEqual([
    "! ",
    "true false",
    "await ",
  ]);
  expect(changes("export const m = (a: number[]) => Math.min(a.length - 1, a[0] ?? 5);\n")).toEqual(
    ["min max", "- +", "1 2", "0 1"],
  );
});

test("nothing inside words, comments, patterns and types is changed", () => {
  const text = `// true && false
/* a < b */
type Flag = true | false;
export interface Box { readonly isOpen: true }
export const a: Map<string, true> = new Map();
export const b = ["a && b", 'x < 1', \`true \${"1"}\`];
export const c = /true && (0|1)/g;
export const MAX_ROWS = 1;
`;
  expect(changes(text)).toEqual([]);
});

test("a change is made where it stands", () => {
  const text = "export const f = (a: boolean, b: boolean) => a || b;\n";
  const [only] = mutantsOf("src/a.ts", text);
  expect(only && mutated(text, only)).toBe(
    "export const f = (a: boolean, b: boolean) => a && b;\n",
  );
});

test("a change keeps its key when its line moves, and shares it with no other", () => {
  const text = "export const f = (a: number) => a < 3;\nexport const g = (a: number) => a < 3;\n";
  const keys = (of: string) => mutantsOf("src/a.ts", of).map(keyOf);
  expect(new Set(keys(text)).size).toBe(keys(text).length);
  expect(keys(`const more = 5;\n${text}`)).toEqual(keys(text));
});

test("a sample is the same for the same seed, and another for another", () => {
  const lines = Array.from(
    { length: 40 },
    (_, index) => `export const f${index} = (a: number) => a < ${index + 5};`,
  );
  const all = mutantsOf("src/a.ts", `${lines.join("\n")}\n`);
  const sample = (seed: string) => sampleOf(all, 10, seed).map(keyOf);
  expect(sample("1")).toHaveLength(10);
  expect(sample("1")).toEqual(sample("1"));
  expect(sample("1")).not.toEqual(sample("2"));
});

test("every file of a target is there, and every change that no test can notice can be made", async () => {
  const missing = TARGETS.flatMap(({ files, tests }) => [
    ...files.flatMap(alternativesOf),
    ...tests.map((folder) => `${folder}/*.test.ts`),
  ]).filter((glob) => [...new Bun.Glob(glob).scanSync({ cwd: ROOT })].length === 0);
  expect(missing).toEqual([]);
  const stale: string[] = [];
  for (const { file, line, to } of EQUIVALENT) {
    const mutants = mutantsOf(file, await Bun.file(join(ROOT, file)).text());
    if (!mutants.some((each) => each.line === line && each.to === to)) stale.push(line);
  }
  expect(stale).toEqual([]);
});

/** `a/{b,c}.ts` is `a/b.ts` and `a/c.ts`: of those one alone may be missing. */
function alternativesOf(glob: string): string[] {
  const [, before = "", names, behind = ""] = /^(.*)\{(.*)\}(.*)$/.exec(glob) ?? [];
  return names?.split(",").map((name) => before + name + behind) ?? [glob];
}
