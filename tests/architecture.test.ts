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
  src: 910,
  "src/agents": 8171,
  "src/answered": 239,
  "src/cards": 342,
  "src/cases": 172,
  "src/changes": 993,
  "src/cli": 2850,
  "src/config": 2165,
  "src/connections": 101,
  "src/creation": 929,
  "src/demo": 1306,
  "src/detect": 7307,
  "src/doctor": 610,
  "src/grants": 121,
  "src/hosts": 1470,
  "src/http": 1374,
  "src/images": 301,
  "src/input": 2683,
  "src/ledger": 975,
  "src/lib": 1380,
  "src/naming": 739,
  "src/pairing": 633,
  "src/protocol": 3353,
  "src/push": 2887,
  "src/release": 557,
  "src/service": 383,
  "src/store": 531,
  "src/terminal": 6649,
  "src/usage": 666,
  web: 320,
  "web/model": 2558,
  "web/net": 399,
  "web/state": 5831,
  "web/styles": 4066,
  "web/ui": 773,
  "web/views": 17268,
  "web/words": 219,
};

const WEB_ROWS = ["words", "model", "net", "state", "views"];

interface Import {
  from: string;
  to: string;
}

const SOURCES = [...new Bun.Glob("{src,web}/**/*.{ts,tsx}").scanSync({ cwd: ROOT })].sort();

/** What the transpiler adds to a file with markup; neither is installed. */
const ADDED = /^react(\/jsx-dev-runtime)?$/;

async function importsOf(file: string): Promise<Import[]> {
  const loader = file.endsWith(".tsx") ? "tsx" : "ts";
  const text = await Bun.file(join(ROOT, file)).text();
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

const IMPORTS = (await Promise.all(SOURCES.map(importsOf))).flat();

const rowOf = (path: string) => {
  const head = path.split("/")[1] ?? "";
  return ROWS.findIndex((row) => row.includes(head));
};

const isTop = (path: string) => ROWS[rowOf(path)]?.includes("app.ts") === true;

test("the import scan sees the tree", () => {
  expect(SOURCES.length).toBeGreaterThan(50);
  expect(IMPORTS.filter(({ to }) => to.startsWith("src/")).length).toBeGreaterThan(100);
});

test("every folder of src has its row", () => {
  const strangers = SOURCES.filter((file) => file.startsWith("src/") && rowOf(file) < 0);
  expect(strangers).toEqual([]);
});

test("a folder imports itself and the rows above it", () => {
  const wrong = IMPORTS.filter(({ from, to }) => {
    if (!from.startsWith("src/") || !to.startsWith("src/")) return false;
    const same = from.split("/")[1] === to.split("/")[1];
    return !same && !isTop(from) && rowOf(to) >= rowOf(from);
  });
  expect(wrong).toEqual([]);
});

test("no file of src needs itself by way of others", () => {
  const needs = Map.groupBy(
    IMPORTS.filter(({ to }) => to.startsWith("src/")),
    ({ from }) => from,
  );
  const left = new Set(SOURCES.filter((file) => file.startsWith("src/")));
  // A file that needs none of those left is in no circle; those that stay are in one, or need one.
  for (let before = 0; before !== left.size;) {
    before = left.size;
    for (const file of left)
      if (!needs.get(file)?.some(({ to }) => left.has(to))) left.delete(file);
  }
  expect([...left]).toEqual([]);
});

/** A page of an agent's messages, and a list of waiting ones: the page has both under this name. */
const NAMED_TWICE = ["MessageList"];

test("an exported name of src stands for one thing", async () => {
  const files = new Map<string, Set<string>>();
  for (const file of SOURCES.filter((name) => name.startsWith("src/"))) {
    const text = await Bun.file(join(ROOT, file)).text();
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
  // A budget that is much too wide limits nothing.
  const wide = sums.filter(([folder, lines]) => (BUDGETS[folder] ?? 0) > lines + 50);
  expect(wide).toEqual([]);
});

test("only app.ts knows which multiplexer it is", () => {
  const inside = /^src\/terminal\/(mux|wsp)\//;
  const wrong = IMPORTS.filter(({ from, to }) => {
    const outside = from.startsWith("src/") && !inside.test(from);
    return outside && !isTop(from) && inside.test(to);
  });
  expect(wrong).toEqual([]);
});

test("providers never see the poller or the hub", () => {
  const wrong = IMPORTS.filter(
    ({ from, to }) =>
      /^src\/terminal\/(mux|wsp)\//.test(from) && /^src\/terminal\/(poller|hub)\.ts$/.test(to),
  );
  expect(wrong).toEqual([]);
});

test("routes are taken by app.ts, or by the slice of their own folder", () => {
  const wrong = IMPORTS.filter(
    ({ from, to }) =>
      /\/routes\.ts$/.test(to) && !["src/app.ts", join(dirname(to), "slice.ts")].includes(from),
  );
  expect(wrong).toEqual([]);
});

test("packages stay where they belong", () => {
  const wrong = IMPORTS.filter(({ from, to }) => {
    if (to.startsWith("src/") || to.startsWith("web/")) return false;
    if (/^(bun|node):|^bun$/.test(to)) return false;
    const name = to
      .split("/")
      .slice(0, to.startsWith("@") ? 2 : 1)
      .join("/");
    return !PACKAGES[name]?.test(from);
  });
  expect(wrong).toEqual([]);
});

test("the web client takes src/protocol and nothing else of src", () => {
  const wrong = IMPORTS.filter(
    ({ from, to }) =>
      from.startsWith("web/") && to.startsWith("src/") && !to.startsWith("src/protocol/"),
  );
  expect(wrong).toEqual([]);
});

test("inside web, views -> state -> net -> model, and ui knows none of them", () => {
  const row = (path: string) => WEB_ROWS.indexOf((path.split("/")[1] ?? "").replace(/\.ts$/, ""));
  const wrong = IMPORTS.filter(({ from, to }) => {
    if (!from.startsWith("web/") || !to.startsWith("web/")) return false;
    if (from.startsWith("web/ui/")) return row(to) > 0;
    return row(from) >= 0 && row(to) > row(from);
  });
  expect(wrong).toEqual([]);
});

test("processes, servers, SQL and the time have one door each", async () => {
  const doors: readonly [RegExp, RegExp][] = [
    [/\bBun\.spawn(Sync)?\b/, /^src\/lib\/(run|line-process)\.ts$/],
    [/\bBun\.serve\b/, /^src\/http\/server\.ts$/],
    [/\b(bun:sqlite|SELECT |INSERT INTO )\b/, /^src\/(.*\/)?store(\/|\.ts$)/],
    [/\bsystemClock\b/, /^src\/(lib\/clock\.ts|cli\/|doctor\/)/],
  ];
  const wrong: string[] = [];
  for (const file of SOURCES.filter((name) => name.startsWith("src/"))) {
    const text = await Bun.file(join(ROOT, file)).text();
    for (const [what, where] of doors) {
      if (what.test(text) && !where.test(file)) wrong.push(`${file}: ${what.source}`);
    }
  }
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

test("the installed service has every variable that is read, or does without it for a reason", async () => {
  const read = new Set<string>();
  for (const file of SOURCES.filter((name) => name.startsWith("src/"))) {
    const text = await Bun.file(join(ROOT, file)).text();
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

test("the page sets the focus in one place, and by itself never where somebody is elsewhere", async () => {
  const wrong: string[] = [];
  for (const file of SOURCES.filter((one) => /^web\/(?!sw\.ts|ui\/focus\.ts)/.test(one))) {
    const text = await Bun.file(join(ROOT, file)).text();
    if (/(?<!#window)\.focus\b|\bautofocus\b/i.test(text)) wrong.push(`${file}: sets it itself`);
    // A key or a press leads it; what runs later, or by itself, has only `giveFocus`.
    const later = /\b(use(Layout)?Effect|setTimeout|setInterval|requestAnimationFrame|then)\(/g;
    for (const { index, 0: call } of text.matchAll(later))
      if (bracketed(text, index + call.length - 1).includes("leadFocus("))
        wrong.push(`${file}: leads it by itself`);
    if (/\bawait\b[^}]*\bleadFocus\(/.test(text)) wrong.push(`${file}: leads it after a wait`);
  }
  expect(wrong).toEqual([]);
});

test("what was awaited leads nobody to another page, and closes no sheet, who has gone on meanwhile", async () => {
  const wrong: string[] = [];
  for (const file of SOURCES.filter((one) => one.startsWith("web/views/"))) {
    const text = await Bun.file(join(ROOT, file)).text();
    // From a wait to the end of its function; what leads on stands in `here(…)`, taken before it.
    for (const [rest] of text.matchAll(/\bawait\b[^]*?(?=\n {0,2}\}|\n {4}\}[,;)]|$)/g))
      for (const line of rest.split("\n"))
        if (/\brouter\.(back|close|go|replace|show)/.test(line) && !line.includes("here(() =>"))
          wrong.push(`${file}: ${line.trim()}`);
  }
  expect(wrong).toEqual([]);
});
