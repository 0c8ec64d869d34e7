import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const SOURCES = ["web", "src", "build.ts", "package-lock.json"].map((name) => join(ROOT, name));

const found = new Map<string, Promise<string | null>>();

/** What `bun build.ts` leaves; null when a source has changed since, for then it tells of nothing. */
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

/** Milliseconds of its last change; before everything where there is none. */
async function changedAt(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

/** What was removed makes its folder younger. */
async function youngestIn(path: string): Promise<number> {
  const isFolder = (await stat(path)).isDirectory();
  const inner = isFolder ? await readdir(path, { recursive: true }) : [];
  const paths = [path, ...inner.map((name) => join(path, name))];
  return Math.max(...(await Promise.all(paths.map(changedAt))));
}
