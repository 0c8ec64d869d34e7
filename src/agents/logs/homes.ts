import type { Dirent, Stats } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { codeOf } from "../../errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { mapLimit } from "../../lib/lock.ts";
import type { LogFile } from "./tail.ts";

/** Logs of one home that are followed, newest first. */
const MAX_LOGS = 250;
const MAX_DEPTH = 8;
/** Concurrent reads cost a quarter of sequential ones; all at once would block the disk. */
const CONCURRENT_READS = 256;
const MAX_FOLDERS = 5000;
/** Between full scans: an old log may have been resumed. */
const FULL_SCAN_SECONDS = 30;
/** Between scans of all folders while the log of a running process is missing. */
const SEARCH_SECONDS = 3;
/** Of the followed logs, those that every scan reads; the others take turns. */
const EACH_TIME = 32;
const TURNS = 8;
/** File times are coarse: two changes of a folder within this may have one time. */
const SETTLED_MS = 3000;
/** Copied repositories, and folders of the runtimes that hold many files and no session. */
const NO_LOGS = new Set([
  ...["node_modules", ".git", "worktrees", "plugins"],
  ...["session-env", "file-history", "subagents"],
]);
/** Links to folders kept elsewhere, which are followed where they are our own. */
const LINKED = /^(?:projects|sessions)(?:\/[^/]+)?$/;
const ID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

interface KnownLog extends LogFile {
  /** In its name. */
  ids: readonly string[];
  /** It is of no session, and does not count among the newest. */
  isExcluded: boolean;
}

export type HomeState = "ok" | "missing" | "foreign" | "unreadable";

interface Folder {
  changed: number;
  /** Listed so long after its last change that the next change gets another time. */
  isSettled: boolean;
  folders: string[];
  logs: string[];
}

interface HomeDeps {
  /** With `~` expanded. */
  path: string;
  /** User that runs the service; null where the system has none. Absent: that of the process. */
  uid?: number | null;
  clock: Clock;
}

/**
 * Finds the logs below one home of a runtime. Folders are listed again only after a change, and
 * each scan reads only the newest logs.
 */
export class AgentHome {
  readonly #deps: HomeDeps;
  readonly #folders = new Map<string, Folder>();
  readonly #logs = new Map<string, KnownLog>();
  /** Of the last scan. */
  #newest: readonly KnownLog[] = [];
  #turn = 0;
  #fullScanAt = Number.NEGATIVE_INFINITY;
  #searchedAt = Number.NEGATIVE_INFINITY;
  #state: HomeState = "missing";

  constructor(deps: HomeDeps) {
    this.#deps = deps;
  }

  get path(): string {
    return this.#deps.path;
  }

  get state(): HomeState {
    return this.#state;
  }

  /**
   * The newest logs, newest first, then those of `live` sessions, whose processes run now. None
   * where the home is another user's.
   */
  async scan(live: Iterable<string> = []): Promise<LogFile[]> {
    const root = await this.#open();
    if (root === null) {
      this.#forget();
      return [];
    }
    const now = this.#deps.clock.monotonic();
    const isFull = now - this.#fullScanAt >= FULL_SCAN_SECONDS;
    if (isFull) this.#fullScanAt = now;
    const liveIds = new Set(live);
    const running = [...this.#logs.values()].filter(({ ids }) => ids.some((id) => liveIds.has(id)));
    const missing = liveIds.difference(new Set(running.flatMap(({ ids }) => ids)));
    // The log of a running process may be in a folder that only a full scan lists.
    const isSearched = missing.size > 0 && now - this.#searchedAt >= SEARCH_SECONDS;
    if (isFull || isSearched) this.#searchedAt = now;
    const fresh = await this.#walk(root, isFull || isSearched);
    const due = isFull ? this.#logs.keys() : this.#due();
    const paths = new Set([...due, ...fresh, ...running.map(({ path }) => path)]);
    await mapLimit([...paths], CONCURRENT_READS, (path) => this.#stat(path));
    const counted = [...this.#logs.values()].filter(({ isExcluded }) => !isExcluded);
    this.#newest = counted.sort((a, b) => b.changed - a.changed).slice(0, MAX_LOGS);
    const others = running.flatMap(({ path }) => this.#logs.get(path) ?? []);
    return [...new Set([...this.#newest, ...others])];
  }

  exclude({ path, inode }: LogFile): void {
    const log = this.#logs.get(path);
    if (log?.inode === inode) this.#logs.set(path, { ...log, isExcluded: true });
  }

  #due(): string[] {
    this.#turn = (this.#turn + 1) % TURNS;
    return this.#newest.flatMap(({ path }, index) =>
      index < EACH_TIME || index % TURNS === this.#turn ? path : [],
    );
  }

  async #open(): Promise<string | null> {
    try {
      const root = await realpath(this.#deps.path);
      const stats = await lstat(root);
      this.#state = this.#isOurs(stats) ? "ok" : "foreign";
      return this.#state === "ok" ? root : null;
    } catch (error) {
      this.#state = codeOf(error) === "ENOENT" ? "missing" : "unreadable";
      return null;
    }
  }

  /** Paths of new logs. Between full scans only folders above followed logs are listed. */
  async #walk(root: string, isFull: boolean): Promise<string[]> {
    const hot = foldersAbove(root, this.#newest);
    const fresh: string[] = [];
    const reached = new Set<string>();
    let level = [root];
    for (let depth = 0; level.length > 0 && reached.size < MAX_FOLDERS; depth++) {
      const below: string[] = [];
      const take = (path: string, { logs, folders }: Folder) => {
        reached.add(path);
        fresh.push(...logs.filter((log) => !this.#logs.has(log)));
        below.push(...folders);
      };
      const unlisted: string[] = [];
      for (const path of level) {
        const known = this.#folders.get(path);
        if (known && !isFull && path !== root && !hot.has(path)) take(path, known);
        else unlisted.push(path);
      }
      await mapLimit(unlisted, CONCURRENT_READS, async (path) => {
        const folder = await this.#list(path, root);
        if (folder) take(path, folder);
      });
      level = depth < MAX_DEPTH ? below.filter((path) => !reached.has(path)) : [];
    }
    for (const path of this.#folders.keys()) if (!reached.has(path)) this.#folders.delete(path);
    return fresh;
  }

  async #list(path: string, root: string): Promise<Folder | null> {
    try {
      const changed = (await lstat(path)).mtimeMs;
      const known = this.#folders.get(path);
      if (known?.changed === changed && known.isSettled) return known;
      const entries = await readdir(path, { withFileTypes: true });
      const isSettled = this.#deps.clock.now() * 1000 - changed > SETTLED_MS;
      const { folders, logs } = splitEntries(path, entries);
      const linked = await this.#linked(path, root, entries);
      const folder = { changed, isSettled, folders: [...folders, ...linked], logs };
      this.#folders.set(path, folder);
      return folder;
    } catch {
      // It is gone, or cannot be read.
      this.#folders.delete(path);
      return null;
    }
  }

  /** Real paths of our own folders that links in this folder lead to. */
  async #linked(path: string, root: string, entries: readonly Dirent[]): Promise<string[]> {
    const links = entries
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => join(path, name))
      .filter((link) => LINKED.test(relative(root, link)));
    const folders = await Promise.all(links.map((link) => this.#ownFolder(link)));
    return folders.filter((folder) => folder !== null);
  }

  async #ownFolder(link: string): Promise<string | null> {
    try {
      const path = await realpath(link);
      const stats = await lstat(path);
      return stats.isDirectory() && this.#isOurs(stats) ? path : null;
    } catch {
      // It leads nowhere, or to a folder that cannot be read.
      return null;
    }
  }

  async #stat(path: string): Promise<void> {
    try {
      const stats = await lstat(path);
      if (!stats.isFile() || !this.#isOurs(stats)) this.#logs.delete(path);
      else this.#logs.set(path, logOf(path, stats, this.#logs.get(path)));
    } catch {
      this.#logs.delete(path);
    }
  }

  #isOurs(stats: Stats): boolean {
    const { uid = process.getuid?.() ?? null } = this.#deps;
    return uid === null || stats.uid === uid;
  }

  #forget(): void {
    this.#folders.clear();
    this.#logs.clear();
    this.#newest = [];
  }
}

function foldersAbove(root: string, logs: readonly LogFile[]): Set<string> {
  const above = new Set<string>();
  for (const { path } of logs)
    for (let folder = dirname(path); !above.has(folder); folder = dirname(folder)) {
      above.add(folder);
      if (folder === root) break;
    }
  return above;
}

function splitEntries(path: string, entries: readonly Dirent[]): Pick<Folder, "folders" | "logs"> {
  const folders = entries.filter((entry) => entry.isDirectory() && !NO_LOGS.has(entry.name));
  const logs = entries.filter((entry) => entry.isFile() && entry.name.endsWith(".jsonl"));
  const full = ({ name }: Dirent) => join(path, name);
  return { folders: folders.map(full), logs: logs.map(full) };
}

function logOf(path: string, stats: Stats, known: KnownLog | undefined): KnownLog {
  const inode = `${stats.dev}:${stats.ino}`;
  return {
    path,
    size: stats.size,
    // Some file systems keep no birth: then the oldest time that they do keep.
    born: (stats.birthtimeMs || Math.min(stats.ctimeMs, stats.mtimeMs)) / 1000,
    inode,
    changed: stats.mtimeMs / 1000,
    ids: known?.ids ?? basename(path).match(ID) ?? [],
    isExcluded: known?.inode === inode && known.isExcluded,
  };
}
