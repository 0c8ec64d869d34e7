import type { Dirent, Stats } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { LogFile } from "./tail.ts";

/** Logs of one home that are followed, newest first. */
const MAX_LOGS = 250;
const MAX_DEPTH = 8;
const BATCH = 256;
const MAX_FOLDERS = 5000;
/** Older logs are looked at again so often: one of them may have been resumed. */
const FULL_LOOK_SECONDS = 30;
/** Times of files tick coarsely: two changes of a folder within this may look like one. */
const SETTLED_MS = 3000;
/** Copies of other people's work, with files of their own that may end like logs. */
const NO_LOGS = new Set(["node_modules", ".git", "worktrees", "plugins"]);

/** A log with the time of its last change. */
export interface FoundLog extends LogFile {
  /** Epoch seconds. */
  changed: number;
}

export type HomeState = "ok" | "missing" | "foreign" | "unreadable";

interface Folder {
  changed: number;
  /** Listed so long after its last change that the next one has another time. */
  isSettled: boolean;
  folders: string[];
  logs: string[];
}

export interface HomeDeps {
  /** Already without `~`. */
  path: string;
  /** Who runs the service; null where the system does not say. */
  uid: number | null;
  now: () => number;
}

/**
 * The logs below one home of a runtime. Folders are listed again only when they changed, and only
 * the newest logs are looked at each time.
 */
export class AgentHome {
  readonly #deps: HomeDeps;
  readonly #folders = new Map<string, Folder>();
  readonly #known = new Map<string, FoundLog>();
  #fullLookAt = Number.NEGATIVE_INFINITY;
  #state: HomeState = "missing";

  constructor(deps: HomeDeps) {
    this.#deps = deps;
  }

  get path(): string {
    return this.#deps.path;
  }

  /** As of the last look. */
  get state(): HomeState {
    return this.#state;
  }

  /** The newest logs, newest first; none where the home is another user's. */
  async look(): Promise<FoundLog[]> {
    const root = await this.#open();
    if (root === null) {
      this.#forget();
      return [];
    }
    const now = this.#deps.now();
    const isFull = now - this.#fullLookAt >= FULL_LOOK_SECONDS;
    if (isFull) this.#fullLookAt = now;
    const fresh = await this.#walk(root);
    const looked = isFull ? [...this.#known.keys()] : this.#newest().map(({ path }) => path);
    await inBatches([...new Set([...looked, ...fresh])], (path) => this.#lookAt(path));
    return this.#newest();
  }

  async #open(): Promise<string | null> {
    try {
      const root = await realpath(this.#deps.path);
      const stats = await lstat(root);
      this.#state = this.#isOurs(stats) ? "ok" : "foreign";
      return this.#state === "ok" ? root : null;
    } catch (error) {
      this.#state = isMissing(error) ? "missing" : "unreadable";
      return null;
    }
  }

  /** Paths of logs that were not known. */
  async #walk(root: string): Promise<string[]> {
    const fresh: string[] = [];
    const reached = new Set<string>();
    let level = [root];
    for (let depth = 0; level.length > 0 && reached.size < MAX_FOLDERS; depth++) {
      const below: string[] = [];
      await inBatches(level, async (path) => {
        const folder = await this.#list(path);
        if (folder === null) return;
        reached.add(path);
        fresh.push(...folder.logs.filter((log) => !this.#known.has(log)));
        below.push(...folder.folders);
      });
      level = depth < MAX_DEPTH ? below : [];
    }
    for (const path of this.#folders.keys()) if (!reached.has(path)) this.#folders.delete(path);
    return fresh;
  }

  async #list(path: string): Promise<Folder | null> {
    try {
      const changed = (await lstat(path)).mtimeMs;
      const known = this.#folders.get(path);
      if (known?.changed === changed && known.isSettled) return known;
      const entries = await readdir(path, { withFileTypes: true });
      const isSettled = this.#deps.now() * 1000 - changed > SETTLED_MS;
      const folder = { changed, isSettled, ...sorted(path, entries) };
      this.#folders.set(path, folder);
      return folder;
    } catch {
      // Gone between two looks, or not for us: what is below it is not ours to know.
      this.#folders.delete(path);
      return null;
    }
  }

  async #lookAt(path: string): Promise<void> {
    try {
      const stats = await lstat(path);
      if (!stats.isFile() || !this.#isOurs(stats)) this.#known.delete(path);
      else this.#known.set(path, foundOf(path, stats));
    } catch {
      this.#known.delete(path);
    }
  }

  #newest(): FoundLog[] {
    const all = [...this.#known.values()].sort((a, b) => b.changed - a.changed);
    return all.slice(0, MAX_LOGS);
  }

  #isOurs(stats: Stats): boolean {
    return this.#deps.uid === null || stats.uid === this.#deps.uid;
  }

  #forget(): void {
    this.#folders.clear();
    this.#known.clear();
  }
}

/** Many looks at once cost a quarter of one after another; all at once would hold the disk. */
async function inBatches(
  paths: readonly string[],
  look: (path: string) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < paths.length; from += BATCH) {
    await Promise.all(paths.slice(from, from + BATCH).map(look));
  }
}

function sorted(path: string, entries: readonly Dirent[]): Pick<Folder, "folders" | "logs"> {
  const folders = entries.filter((entry) => entry.isDirectory() && !NO_LOGS.has(entry.name));
  const logs = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"));
  const full = ({ name }: Dirent) => join(path, name);
  return { folders: folders.map(full), logs: logs.map(full) };
}

function foundOf(path: string, stats: Stats): FoundLog {
  return {
    path,
    size: stats.size,
    // Some file systems keep no birth: then the oldest time that they do keep.
    born: (stats.birthtimeMs || Math.min(stats.ctimeMs, stats.mtimeMs)) / 1000,
    inode: `${stats.dev}:${stats.ino}`,
    changed: stats.mtimeMs / 1000,
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
