import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const PAGES = ["README.md", ...new Bun.Glob("docs/*.md").scanSync({ cwd: ROOT })];

/** Paths of the tree as a text names them: `src/config/fields.ts`, `src/agents/<id>.ts`, `web/*.svg`. */
function pathsIn(text: string): string[] {
  const written = text.matchAll(/(?<![\w/.-])(?:src|web|tests|docs)\/[\w./<>*-]*/g);
  return [...written].map(([path]) => path.replace(/\.$/, ""));
}

/** Files that a text links to, beside its own folder. */
function linksIn(page: string, text: string): string[] {
  return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
    .map(([, to = ""]) => to)
    .filter((to) => !/^[a-z]+:/.test(to))
    .map((to) => normalize(join(dirname(page), to)));
}

function isThere(path: string): boolean {
  const pattern = path.replace(/<\w+>/g, "*");
  if (!pattern.includes("*")) return existsSync(join(ROOT, path));
  const found = new Bun.Glob(pattern.replace(/\/$/, "")).scanSync({ cwd: ROOT, onlyFiles: false });
  return [...found].length > 0;
}

test("no path that a page names is dead", () => {
  const named = PAGES.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    return [...pathsIn(text), ...linksIn(page, text)].map((path) => ({ page, path }));
  });
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ path }) => !isThere(path))).toEqual([]);
});

test("every file that the state directory may have is told of", async () => {
  const page = readFileSync(join(ROOT, "docs/configuration.md"), "utf8");
  const sources = await Promise.all(
    [...new Bun.Glob("src/**/*.ts").scanSync({ cwd: ROOT })].map((file) =>
      Bun.file(join(ROOT, file)).text(),
    ),
  );
  const names = new Set(
    sources.flatMap(
      (text) => text.match(/(?<=")(?:panewatch-\w+\.json|[\w-]+\.sqlite3?)(?=")/g) ?? [],
    ),
  );
  expect(names.size).toBeGreaterThan(9);
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

/** Names of the headings of a page, as a link writes them. */
function anchorsOf(page: string): string[] {
  const headings = readFileSync(join(ROOT, page), "utf8").match(/(?<=^#+ ).+$/gm) ?? [];
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

test("no heading that a page links to is gone", () => {
  const named = PAGES.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    return [...text.matchAll(/\]\(([\w./-]*)#([^)]+)\)/g)].map(([, to = "", anchor = ""]) => ({
      ...{ page, anchor },
      to: to === "" ? page : normalize(join(dirname(page), to)),
    }));
  });
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ to, anchor }) => !anchorsOf(to).includes(anchor))).toEqual([]);
});

/** How the house and the page are told: paths in them may begin anywhere below a folder. */
test.each(["docs/architecture.md", "docs/web.md"])("no file that %s names is gone", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  const named = text.match(/(?<=[`\s])[\w/-]+\.(?:tsx?|css|txt)(?=[`,\s])/g) ?? [];
  const files = [...new Bun.Glob("{src,web,tests}/**/*.*").scanSync({ cwd: ROOT })];
  expect(named.length).toBeGreaterThan(40);
  const isKnown = (path: string) =>
    isThere(path) || files.some((file) => file.endsWith(`/${path}`));
  expect(named.filter((path) => !isKnown(path))).toEqual([]);
});

test("every hook of the page that is told of is there", async () => {
  const page = readFileSync(join(ROOT, "docs/web.md"), "utf8");
  const views = await Promise.all(
    [...new Bun.Glob("web/views/**/*.{ts,tsx}").scanSync({ cwd: ROOT })].map((file) =>
      Bun.file(join(ROOT, file)).text(),
    ),
  );
  const hooks = new Set(page.match(/(?<=`)data-[a-z-]+(?=`)/g));
  expect(hooks.size).toBeGreaterThan(15);
  expect([...hooks].filter((hook) => !views.some((text) => text.includes(hook)))).toEqual([]);
});
