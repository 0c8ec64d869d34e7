// Builds the web client into dist/web, then an executable that holds it.
//
//   bun build.ts          the host's executable: dist/panewatch
//   bun build.ts --web    the web client alone
//   bun build.ts --all    every target into dist/release, with everything that installs them
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { minify } from "@swc/core";
import { signAdHoc, wrongPages } from "./src/release/macho.ts";
import { targetFacts, TARGETS } from "./src/release/targets.ts";
import { run } from "./src/lib/run.ts";
import { VERSION } from "./src/protocol/version.ts";

const ROOT = import.meta.dir;
const WEB_OUT = join(ROOT, "dist", "web");
/** Copied as they are; other files carry a hash in their name. */
const STATIC_FILES = ["manifest.webmanifest", "icons"];
/** Stands in the first script for the address of the later one. */
const LATER_SCRIPT = "address of the later part";
const COMPRESSED = /\.(html|js|css|svg|webmanifest)$/;

/** Relays and topics may have certificates of a company's own authority, which the machine trusts. */
export const RUNTIME_FLAGS = ["--use-system-ca"];

if (import.meta.main) await main(process.argv.slice(2));

async function main(args: string[]): Promise<void> {
  const unknown = args.find((arg) => arg !== "--web" && arg !== "--all");
  if (unknown !== undefined) {
    process.stderr.write(`build: unknown argument ${unknown}; known: --web, --all\n`);
    process.exit(2);
  }
  const executable = join(ROOT, "dist", "panewatch");
  if (args.length === 0 && (await isCurrent(executable))) return;
  await buildWeb(WEB_OUT);
  if (args.includes("--web")) return;
  if (args.includes("--all")) return buildRelease();
  await compile(executable, {});
}

/** Whether the executable and the page are newer than all of their sources. */
async function isCurrent(executable: string): Promise<boolean> {
  const built = await Promise.all([executable, join(WEB_OUT, "index.html")].map(changedAt));
  const below = await Promise.all(
    ["src", "web"].map(async (folder) => {
      const names = await readdir(join(ROOT, folder), { recursive: true });
      return [folder, ...names.map((name) => join(folder, name))];
    }),
  );
  const others = ["build.ts", "package-lock.json", join("node_modules", ".panewatch-lock")];
  const paths = [...others, ...below.flat()].map((path) => join(ROOT, path));
  return Math.max(...(await Promise.all(paths.map(changedAt)))) < Math.min(...built);
}

/** Epoch milliseconds, 0 for a missing file. A deleted file changes the time of its folder. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

/** Replaces `out` in one rename. */
export async function buildWeb(out: string): Promise<void> {
  const web = join(ROOT, "web");
  const fresh = `${out}.new-${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  const sheet = await bundleStyles(join(web, "styles", "main.css"), fresh);
  const later = await bundleStyles(join(web, "styles", "later.css"), fresh);
  const icons = await hashed(join(web, "icons.svg"), fresh);
  const script = await bundlePage(web, fresh, { later, icons });
  const page = (await Bun.file(join(web, "index.html")).text())
    .replace("/main.css", `/${sheet}`)
    .replace("/main.js", `/${script}`);
  await Bun.write(join(fresh, "index.html"), page);
  for (const name of STATIC_FILES)
    await cp(join(web, name), join(fresh, name), { recursive: true });
  await sealShell(fresh);
  await compress(fresh);
  await rm(out, { recursive: true, force: true });
  await rename(fresh, out);
}

/** Adds the service worker, which lists the shell's files: new content is a new cache. */
export async function sealShell(out: string): Promise<void> {
  const files = (await readdir(out, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(out.length))
    .sort();
  const hash = new Bun.CryptoHasher("sha256");
  for (const file of files) hash.update(file).update(await Bun.file(join(out, file)).bytes());
  await bundle(join(ROOT, "web", "sw.ts"), out, "[name].[ext]", {
    SHELL_FILES: JSON.stringify(["/", ...files.filter((file) => file !== "/index.html")]),
    SHELL_VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)),
  });
}

/** Compressed here once at the best level, so that serving is a lookup. */
async function compress(folder: string): Promise<void> {
  for (const name of await readdir(folder, { recursive: true })) {
    if (!COMPRESSED.test(name)) continue;
    const bytes = await Bun.file(join(folder, name)).bytes();
    await Bun.write(join(folder, `${name}.br`), brotliCompressSync(bytes));
    // libdeflate compresses better than zlib; browsers take Brotli over HTTPS only.
    const packed = Bun.gzipSync(bytes, { library: "libdeflate", level: 12 });
    await Bun.write(join(folder, `${name}.gz`), packed);
  }
}

/** Bundles the first script and the later part; returns the name of the first. */
async function bundlePage(
  web: string,
  outdir: string,
  files: { readonly later: string; readonly icons: string },
): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(web, "main.tsx")],
    outdir,
    target: "browser",
    minify: true,
    splitting: true,
    naming: { entry: "main-[hash].[ext]", chunk: "part-[hash].[ext]" },
    define: {
      "process.env.NODE_ENV": '"production"',
      LATER_SCRIPT: JSON.stringify(LATER_SCRIPT),
      LATER_STYLES: JSON.stringify(`/${files.later}`),
      ICONS: JSON.stringify(`/${files.icons}`),
    },
    plugins: [shortElements()],
    // Everything that the later part imports is loaded before it.
    modulePreload: false,
  });
  // Bun shortens no name that both files share, and folds less: 3.5 % more bytes with Brotli.
  for (const { path } of outputs) {
    const compress = { passes: 3 };
    const options = { module: true, compress, mangle: true, ecma: 2022 } as const;
    const { code } = await minify(await Bun.file(path).text(), options);
    // The name of the part is known only now.
    const [, part = ""] = /import\("(\.\/part-[^"]+)"\)/.exec(code) ?? [];
    await Bun.write(path, code.replace(LATER_SCRIPT, part));
  }
  return basename(outputs.find(({ kind }) => kind === "entry-point")?.path ?? "");
}

/**
 * `h("p", props, text)` is shorter than `jsx("p", { ...props, children: text })`: 0.6 % fewer bytes
 * with Brotli.
 */
function shortElements(): Bun.BunPlugin {
  const pragmas = "/** @jsxRuntime classic @jsx h_ @jsxFrag Fragment_ */";
  const imported = 'import { h as h_, Fragment as Fragment_ } from "preact";';
  return {
    name: "short-elements",
    setup(build) {
      build.onLoad({ filter: /\/web\/.*\.tsx$/, namespace: "file" }, async ({ path }) => {
        const text = await Bun.file(path).text();
        return { contents: `${pragmas} ${imported} ${text}`, loader: "tsx" };
      });
    },
  };
}

/** Returns the name of the output file. */
async function bundle(
  entrypoint: string,
  outdir: string,
  entryNaming: string,
  define: Record<string, string> = {},
): Promise<string> {
  const built = await Bun.build({
    entrypoints: [entrypoint],
    outdir,
    target: "browser",
    minify: true,
    naming: { entry: entryNaming },
    define: { "process.env.NODE_ENV": '"production"', ...define },
  });
  return basename(onlyOutput(built).path);
}

/**
 * Not for the target "browser": that rewrites logical properties to `:lang()` rules of another
 * specificity, which ignore `dir`, for browsers of 2020.
 */
async function bundleStyles(entrypoint: string, outdir: string): Promise<string> {
  const built = await Bun.build({
    entrypoints: [entrypoint],
    outdir,
    target: "bun",
    minify: true,
    naming: { entry: "[name]-[hash].[ext]" },
  });
  return basename(onlyOutput(built).path);
}

/** Copies an icon sheet under a name with its hash. */
async function hashed(path: string, outdir: string): Promise<string> {
  const file = Bun.file(path);
  const hash = Bun.hash(await file.bytes())
    .toString(36)
    .padStart(8, "0")
    .slice(0, 8);
  const name = `${basename(path, ".svg")}-${hash}.svg`;
  await Bun.write(join(outdir, name), file);
  return name;
}

function onlyOutput({ outputs }: Bun.BuildOutput): Bun.BuildArtifact {
  const [first, ...others] = outputs;
  if (first === undefined || others.length > 0) throw new Error("expected one file of the bundle");
  return first;
}

/**
 * With the web client inside. It must not read a `.env` or `bunfig.toml` of the folder that it is
 * started in, which may belong to somebody else.
 */
async function compile(
  outfile: string,
  platform: { target?: Bun.Build.CompileTarget; executablePath?: string },
): Promise<void> {
  await mkdir(join(outfile, ".."), { recursive: true });
  await Bun.build({
    entrypoints: [join(ROOT, "src", "main.ts")],
    target: "bun",
    minify: { whitespace: true, syntax: true, identifiers: false },
    bytecode: true,
    format: "esm",
    // A command reads only the chunks that it needs.
    splitting: true,
    define: { "process.env.NODE_ENV": '"production"' },
    plugins: [lazySchemas()],
    compile: {
      outfile,
      assets: [WEB_OUT],
      execArgv: RUNTIME_FLAGS,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...platform,
    },
  });
}

/**
 * Making a schema has no side effect, which the bundler cannot know. Marked as pure, unused schemas
 * are dropped; the others are made lazily.
 */
export function lazySchemas(): Bun.BunPlugin {
  const from = JSON.stringify(join(ROOT, "src", "lib", "lazy.ts"));
  return {
    name: "lazy-schemas",
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.ts$/, namespace: "file" }, async ({ path }) => {
        const text = await Bun.file(path).text();
        const marked = markSchemas(text);
        const contents = marked === text ? text : `import { lazyObject } from ${from};\n${marked}`;
        return { contents, loader: "ts" };
      });
    },
  };
}

/**
 * Matches initialisers that begin with `z.`, with a schema (a capital, then a small letter) or with
 * one of four functions of ours, and the schemas in rows of endpoints. Relies on the layout of
 * `bun fmt`: continuation lines are indented or begin with a closing bracket, and the schema of a
 * row ends its line.
 */
export function markSchemas(script: string): string {
  if (!script.includes('from "zod"')) return script;
  return script
    .replace(
      /^((?:export )?const \w+(?:: [^=\n]+)? = )((?:(?:textUpTo|itemOf|patchOf|numberAs)\(|(?:z|(?!Object\b)[A-Z][a-z]\w*)(?:\n +)?\.).*(?:\n(?:[ })\]].*)?)*?\));$(?!\n[ })\]])/gm,
      "$1/* @__PURE__ */ lazyObject(() => $2);",
    )
    .replace(/\b(json|query): (z\..*\))(?=(?: \})?,$)/gm, "$1: lazyObject(() => $2)");
}

/** `RELEASE_URL` is the address of these files, `RELEASE_LATEST_URL` that of the newest release. */
async function buildRelease(): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), "panewatch-release-"));
  const executables: Record<string, string> = {};
  try {
    for (const name of TARGETS) {
      const { bunPackage, os } = targetFacts(name);
      const outfile = join(work, name, "panewatch");
      const executablePath = await fetchRuntime(bunPackage, join(work, `bun-${name}`));
      await compile(outfile, { target: `bun-${name}`, executablePath });
      if (os === "darwin") await requireSignature(outfile);
      executables[name] = outfile;
      process.stderr.write(`built ${name}\n`);
    }
    // Imported late: it loads the whole program, which only a release needs.
    const { writeRelease } = await import("./src/release/release.ts");
    const from = process.env.RELEASE_URL ?? "";
    const latest = process.env.RELEASE_LATEST_URL ?? from;
    const out = join(ROOT, "dist", "release");
    const { RELEASE_KEYS: keys } = await import("./src/cli/install/signature.ts");
    const signingKey = process.env.RELEASE_SIGNING_KEY || null;
    if (signingKey === null) process.stderr.write("no RELEASE_SIGNING_KEY: nothing is signed\n");
    const where = { from, latest, homepage: process.env.RELEASE_HOMEPAGE ?? from };
    await writeRelease({ version: VERSION, ...where, keys, signingKey, executables, out });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Bun adds the program to an x64 executable without renewing its signature; for arm64 it renews it.
 */
async function requireSignature(path: string): Promise<void> {
  const file = Buffer.from(await Bun.file(path).bytes());
  if (wrongPages(file).length === 0) return;
  await Bun.write(path, signAdHoc(file));
  const wrong = wrongPages(Buffer.from(await Bun.file(path).bytes()));
  if (wrong.length > 0) throw new Error(`${path}: the signature is wrong of ${wrong.length} pages`);
}

/** From npm, at our own version. */
async function fetchRuntime(pkg: string, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const limits = { timeoutMs: 5 * 60_000, maxBytes: 1024 * 1024, cwd: folder };
  const pack = await run(["npm", "pack", "--silent", `${pkg}@${Bun.version}`], limits);
  const archive = new TextDecoder().decode(pack.stdout).trim();
  if (pack.code !== 0) throw new Error(`cannot fetch ${pkg}@${Bun.version}: ${pack.stderr}`);
  const unpack = await run(["tar", "-xzf", archive], limits);
  if (unpack.code !== 0) throw new Error(`cannot unpack ${archive}: ${unpack.stderr}`);
  return join(folder, "package", "bin", "bun");
}
