import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const SOURCES = ["web", "src", "build.ts", "package-lock.json"].map((name) => join(ROOT, name));

const found = new Map<string, Promise<string | null>>();

/** Path of what `bun build.ts` has made; null where a source has changed since. */
export function built(what: "panewatch" | "web"): Promise<string | null> {
  const known = found.get(what) ?? lookFor(what);
  found.set(what, known);
  return known;
}

async function lookFor(what: "panewatch" | "web"): Promise<string | null> {
  const path = join(ROOT, "dist", what);
  const builtAt = await changedAt(what === "web" ? join(path, "index.html") : path);
  for (const source of SOURCES) if ((await youngestIn(source)) >= builtAt) return null;
  return path;
}

/** Milliseconds of its last change; 0 where it is missing. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

/** Folders count too: their time changes when a file is removed. */
async function youngestIn(path: string): Promise<number> {
  const isFolder = (await stat(path)).isDirectory();
  const inner = isFolder ? await readdir(path, { recursive: true }) : [];
  const paths = [path, ...inner.map((name) => join(path, name))];
  return Math.max(...(await Promise.all(paths.map(changedAt))));
}
