import type { Dirent, Stats } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { LogFile } from "./log-tail.ts";

/** Logs of one home that are followed, newest first. */
const MAX_LOGS = 250;
const MAX_DEPTH = 8;
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
    for (const path of new Set([...looked, ...fresh])) await this.#lookAt(path);
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
    const queue = [{ path: root, depth: 0 }];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (reached.size >= MAX_FOLDERS) break;
      const folder = await this.#list(next.path);
      if (folder === null) continue;
      reached.add(next.path);
      fresh.push(...folder.logs.filter((path) => !this.#known.has(path)));
      const { depth } = next;
      if (depth < MAX_DEPTH) {
        queue.push(...folder.folders.map((path) => ({ path, depth: depth + 1 })));
      }
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
