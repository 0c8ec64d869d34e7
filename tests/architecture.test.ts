import { expect, test } from "bun:test";
import { dirname, join, relative } from "node:path";
import { SECRETS } from "../src/naming/environment.ts";
import { KEPT_VARIABLES } from "../src/service/managers.ts";

const ROOT = join(import.meta.dir, "..");

const HOUSE = await Bun.file(join(ROOT, "docs/architecture.md")).text();
/** A folder imports itself and the rows above it, nothing beside it. */
const ROWS: readonly (readonly string[])[] = [...HOUSE.matchAll(/^\| \d+ \| ([^|]+) \|/gm)].map(
  ([, cell = ""]) => [...cell.matchAll(/`([\w.-]+)\/?`/g)].map(([, name = ""]) => name),
);

/** Which package may be imported where; `*` stands for every file of that kind. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  // Outside protocol and config: folders that read what other programs or people have written.
  zod: /^src\/(program\.ts$|(protocol|lib|config|naming|store|usage|push|pairing|input|answered|agents|hosts|terminal\/wsp)\/)/,
  hono: /^src\/(http\/|lib\/valid\.ts|slice\.ts)/,
  yaml: /^src\/config\//,
  jose: /^src\/push\//,
  "@hono/zod-validator": /^src\/lib\/valid\.ts$/,
  citty: /^src\/cli\/command\.ts$/,
  uqr: /^src\/pairing\/qr\.ts$/,
  preact: /^web\//,
  "@preact/signals": /^web\//,
};

/**
 * The most lines of each folder; of `src` and `web` those of the files beside the folders. It is
 * lowered when lines go. Whoever has to raise one says in the commit what the house gets for it.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  src: 876,
  "src/agents": 8000,
  "src/answered": 239,
  "src/cards": 340,
  "src/cases": 178,
  "src/changes": 964,
  "src/cli": 2587,
  "src/config": 2166,
  "src/connections": 101,
  "src/creation": 943,
  "src/demo": 1301,
  "src/detect": 7741,
  "src/doctor": 581,
  "src/grants": 121,
  "src/hosts": 1488,
  "src/http": 1399,
  "src/images": 301,
  "src/input": 3013,
  "src/ledger": 972,
  "src/lib": 1552,
  "src/naming": 711,
  "src/pairing": 620,
  "src/protocol": 3332,
  "src/push": 2659,
  "src/release": 556,
  "src/service": 350,
  "src/store": 576,
  "src/terminal": 6895,
  "src/usage": 666,
  web: 377,
  "web/model": 2510,
  "web/net": 403,
  "web/state": 5718,
  "web/styles": 4038,
  "web/ui": 785,
  "web/views": 16848,
  "web/words": 220,
};

const WEB_ROWS = ["words", "model", "net", "state", "views"];

interface Import {
  from: string;
  to: string;
}

const SOURCES = [...new Bun.Glob("{src,web}/**/*.{ts,tsx}").scanSync({ cwd: ROOT })].sort();

/** What the transpiler adds to a file with markup; neither is installed. */
const ADDED = /^react(\/jsx-dev-runtime)?$/;

const TEXTS = new Map(
  await Promise.all(
    SOURCES.map(async (file) => [file, await Bun.file(join(ROOT, file)).text()] as const),
  ),
);
const SRC = [...TEXTS].filter(([file]) => file.startsWith("src/"));

function importsOf([file, text]: [string, string]): Import[] {
  const loader = file.endsWith(".tsx") ? "tsx" : "ts";
  // The transpiler drops type imports; they bind folders as much as values do.
  const withoutTypes = text
    .replace(/\bimport type\b/g, "import")
    .replace(/\bexport type \{/g, "export {");
  const found = new Bun.Transpiler({ loader, trimUnusedImports: false }).scanImports(withoutTypes);
  const written = found.filter(({ path }) => loader === "ts" || !ADDED.test(path));
  return written.map(({ path }) => ({
    from: file,
    to: path.startsWith(".") ? relative(ROOT, join(ROOT, dirname(file), path)) : path,
  }));
}

const IMPORTS = [...TEXTS].flatMap(importsOf);

const rowOf = (path: string) => {
  const head = path.split("/")[1] ?? "";
  return ROWS.findIndex((row) => row.includes(head));
};

const isTop = (path: string) => ROWS[rowOf(path)]?.includes("app.ts") === true;

test("the import scan sees the tree", () => {
  expect(SOURCES.length).toBeGreaterThan(50);
  expect(IMPORTS.filter(({ to }) => to.startsWith("src/")).length).toBeGreaterThan(100);
});

test("every folder of src is in a row of docs/architecture.md", () => {
  const strangers = SRC.filter(([file]) => rowOf(file) < 0).map(([file]) => file);
  expect(strangers).toEqual([]);
});

const inProvider = (path: string) => /^src\/terminal\/(mux|wsp)\//.test(path);
const webRow = (path: string) => WEB_ROWS.indexOf((path.split("/")[1] ?? "").replace(/\.ts$/, ""));

/** Which imports each rule forbids. */
const FORBIDDEN: Readonly<Record<string, (one: Import) => boolean>> = {
  "a folder of src imports itself and the rows above it only": ({ from, to }) =>
    from.startsWith("src/") &&
    to.startsWith("src/") &&
    from.split("/")[1] !== to.split("/")[1] &&
    !isTop(from) &&
    rowOf(to) >= rowOf(from),
  "only app.ts imports the folders of multiplexers": ({ from, to }) =>
    from.startsWith("src/") && !inProvider(from) && !isTop(from) && inProvider(to),
  "providers import neither the poller nor the hub": ({ from, to }) =>
    inProvider(from) && /^src\/terminal\/(poller|hub)\.ts$/.test(to),
  "routes are imported by app.ts or the slice of their folder only": ({ from, to }) =>
    to.endsWith("/routes.ts") && !["src/app.ts", join(dirname(to), "slice.ts")].includes(from),
  "packages are imported in their own places only": ({ from, to }) => {
    if (/^(src|web)\/|^(bun|node):|^bun$/.test(to)) return false;
    const parts = to.split("/").slice(0, to.startsWith("@") ? 2 : 1);
    return !PACKAGES[parts.join("/")]?.test(from);
  },
  "the web client imports only src/protocol of src": ({ from, to }) =>
    from.startsWith("web/") && /^src\/(?!protocol\/)/.test(to),
  "in web a layer imports only lower layers, and ui imports none of them": ({ from, to }) => {
    if (!from.startsWith("web/") || !to.startsWith("web/")) return false;
    if (from.startsWith("web/ui/")) return webRow(to) > 0;
    return webRow(from) >= 0 && webRow(to) > webRow(from);
  },
};

test.each(Object.entries(FORBIDDEN))("%s", (_, isForbidden) => {
  expect(IMPORTS.filter(isForbidden)).toEqual([]);
});

test("no file of src imports itself through others", () => {
  const needs = Map.groupBy(
    IMPORTS.filter(({ to }) => to.startsWith("src/")),
    ({ from }) => from,
  );
  const left = new Set(SRC.map(([file]) => file));
  // A file that imports none of those left is in no cycle; the rest are in one, or import one.
  for (let before = 0; before !== left.size;) {
    before = left.size;
    for (const file of left)
      if (!needs.get(file)?.some(({ to }) => left.has(to))) left.delete(file);
  }
  expect([...left]).toEqual([]);
});

test("app.ts makes each part of what it has made before", async () => {
  const text = await Bun.file(join(ROOT, "src/app.ts")).text();
  const early: string[] = [];
  for (const body of text.replaceAll(/\/\*[^]*?\*\/|\/\/.*|"[^"]*"/g, "").split(/^}$/m))
    for (const { index, 1: parts = "", 2: name = "" } of body.matchAll(
      /\b(?:const|let) (?:{([^}]*)}|(\w+))/g,
    ))
      // Of `{ slice: pushSlice }` the second is made here.
      for (const made of parts === "" ? [name] : (parts.match(/\w+(?=\s*(?:,|$))/g) ?? []))
        if (body.search(new RegExp(`(?<![.\\w])${made}\\b(?!:)`)) < index) early.push(made);
  expect(early).toEqual([]);
});

/** A page of an agent's messages, and a list of queued messages. */
const NAMED_TWICE = ["MessageList"];

test("an exported name of src is declared in one file", () => {
  const files = new Map<string, Set<string>>();
  for (const [file, text] of SRC) {
    const named = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;
    for (const [, name = ""] of text.matchAll(named))
      files.set(name, (files.get(name) ?? new Set()).add(file));
  }
  const twice = [...files].filter(([, where]) => where.size > 1).map(([name]) => name);
  expect(twice.sort()).toEqual(NAMED_TWICE);
});

test("no folder has more lines than its budget", async () => {
  const files = [...new Bun.Glob("{src,web}/**/*.{ts,tsx,css}").scanSync({ cwd: ROOT })];
  const counted = await Promise.all(
    files.map(async (file) => ({
      folder: file.split("/").slice(0, -1).slice(0, 2).join("/"),
      lines: (await Bun.file(join(ROOT, file)).text()).split("\n").length - 1,
    })),
  );
  const sums = Object.entries(Object.groupBy(counted, ({ folder }) => folder)).map(
    ([folder, all = []]) => [folder, all.reduce((sum, { lines }) => sum + lines, 0)] as const,
  );
  const over = sums.filter(([folder, lines]) => lines > (BUDGETS[folder] ?? 0));
  expect(over).toEqual([]);
  // A budget that is much too high limits nothing.
  const wide = sums.filter(([folder, lines]) => (BUDGETS[folder] ?? 0) > lines + 50);
  expect(wide).toEqual([]);
});

test("processes, servers, SQL and the clock are used in their own files only", () => {
  const doors: readonly [RegExp, RegExp][] = [
    [/\bBun\.spawn(Sync)?\b/, /^src\/lib\/(run|line-process)\.ts$/],
    [/\bBun\.serve\b/, /^src\/http\/server\.ts$/],
    [/\b(bun:sqlite|SELECT |INSERT INTO )\b/, /^src\/(.*\/)?store(\/|\.ts$)/],
    [/\bsystemClock\b/, /^src\/(lib\/clock\.ts|cli\/|doctor\/)/],
  ];
  const wrong: string[] = [];
  for (const [file, text] of SRC)
    for (const [what, where] of doors)
      if (what.test(text) && !where.test(file)) wrong.push(`${file}: ${what.source}`);
  expect(wrong).toEqual([]);
});

/** Variables that the installed service does without, and why. */
const NOT_KEPT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["HOME", "USER", "LOGNAME", "TMPDIR", "XDG_RUNTIME_DIR"].map((name) => [
      name,
      "of the manager",
    ]),
  ),
  ...Object.fromEntries(
    Object.values(SECRETS).flatMap((names) => names.map((name) => [name, "a secret"])),
  ),
  TMUX: "kept as the socket that it names: cli/service.ts",
  NO_COLOR: "only for what is printed to a terminal",
};

test("the installed service keeps every variable that src reads, or lists a reason", () => {
  const read = new Set<string>();
  for (const [file, text] of SRC) {
    // In a list of variables every quoted name; elsewhere members of `env`.
    const names = file.endsWith("naming/environment.ts")
      ? /"([A-Z][A-Z_]+|[a-z]+_proxy)"/g
      : /\benv(?:\.|\[")([A-Z][A-Z_]*|[a-z]+_proxy)\b/g;
    for (const [, name = ""] of text.matchAll(names)) read.add(name);
  }
  expect(read).toContain("TMUX_TMPDIR");
  expect(read).toContain("ANTHROPIC_API_KEY");
  const lost = [...read].filter((name) => !KEPT_VARIABLES.includes(name) && !NOT_KEPT[name]);
  expect(lost).toEqual([]);
});

/** The text between a bracket that opens at `at` and the one that closes it. */
function bracketed(text: string, at: number): string {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    if (text[i] === "(") depth += 1;
    if (text[i] === ")") depth -= 1;
    if (depth === 0) return text.slice(at, i);
  }
  return text.slice(at);
}

test("the page sets the focus in web/ui/focus.ts only, and after a wait only by giveFocus", () => {
  const wrong: string[] = [];
  for (const [file, text] of TEXTS) {
    if (!/^web\/(?!sw\.ts|ui\/focus\.ts)/.test(file)) continue;
    if (/(?<!#window)\.focus\b|\bautofocus\b/i.test(text)) wrong.push(`${file}: sets it itself`);
    // A key or a press moves the focus by `leadFocus`; later code may only use `giveFocus`.
    const later = /\b(use(Layout)?Effect|setTimeout|setInterval|requestAnimationFrame|then)\(/g;
    for (const { index, 0: call } of text.matchAll(later))
      if (bracketed(text, index + call.length - 1).includes("leadFocus("))
        wrong.push(`${file}: leads it by itself`);
    if (/\bawait\b[^}]*\bleadFocus\(/.test(text)) wrong.push(`${file}: leads it after a wait`);
  }
  expect(wrong).toEqual([]);
});

test("in web/views, navigation after an await is inside here(…)", () => {
  const wrong: string[] = [];
  for (const [file, text] of TEXTS) {
    if (!file.startsWith("web/views/")) continue;
    // From an await to the end of its function; a `here(…)` made before the await may go on.
    for (const [rest] of text.matchAll(/\bawait\b[^]*?(?=\n {0,2}\}|\n {4}\}[,;)]|$)/g))
      for (const line of rest.split("\n"))
        if (/\brouter\.(back|close|go|replace|show)/.test(line) && !line.includes("here(() =>"))
          wrong.push(`${file}: ${line.trim()}`);
  }
  expect(wrong).toEqual([]);
});
