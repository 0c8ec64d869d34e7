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
/** Many looks at once cost a quarter of one after another; all at once would hold the disk. */
const LOOKS = 256;
const MAX_FOLDERS = 5000;
/** Everything is looked at again so often: an old log may have been resumed. */
const FULL_LOOK_SECONDS = 30;
/** All folders again so often, while the log of a running process is missing. */
const SEARCH_SECONDS = 3;
/** Of the followed logs, those that are looked at each time; the others take turns. */
const EACH_TIME = 32;
const TURNS = 8;
/** Times of files tick coarsely: two changes of a folder within this may look like one. */
const SETTLED_MS = 3000;
/** Copies of other people's work, and folders of the runtimes that hold many files and no session. */
const NO_LOGS = new Set([
  ...["node_modules", ".git", "worktrees", "plugins"],
  ...["session-env", "file-history", "subagents"],
]);
/** What people keep elsewhere and link to: followed where it is our own. */
const LINKED = /^(?:projects|sessions)(?:\/[^/]+)?$/;
const ID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

export type HomeState = "ok" | "missing" | "foreign" | "unreadable";

interface Folder {
  changed: number;
  /** Listed so long after its last change that the next one has another time. */
  isSettled: boolean;
  folders: string[];
  logs: string[];
}

interface HomeDeps {
  /** Already without `~`. */
  path: string;
  /** Who runs the service; null where the system does not say. Absent: as it says. */
  uid?: number | null;
  clock: Clock;
}

/**
 * The logs below one home of a runtime. Folders are listed again only when they changed, and only
 * the newest logs are looked at each time.
 */
export class AgentHome {
  readonly #deps: HomeDeps;
  readonly #folders = new Map<string, Folder>();
  readonly #known = new Map<string, LogFile>();
  readonly #named = new Map<string, Set<string>>();
  /** Logs of no session, by path, with their inodes: they take nobody's place. */
  readonly #excluded = new Map<string, string>();
  #hot = new Set<string>();
  #turn = 0;
  #fullLookAt = Number.NEGATIVE_INFINITY;
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
   * The newest logs, newest first, and those that `live` names: sessions of processes that run now.
   * None where the home is another user's.
   */
  async scan(live: Iterable<string> = []): Promise<LogFile[]> {
    const root = await this.#open();
    if (root === null) {
      this.#forget();
      return [];
    }
    const now = this.#deps.clock.monotonic();
    const isFull = now - this.#fullLookAt >= FULL_LOOK_SECONDS;
    if (isFull) this.#fullLookAt = now;
    const wanted = [...live];
    // A log that a running process names may be made in a folder that nobody has looked at for long.
    const isSearched =
      wanted.some((id) => !this.#named.has(id)) && now - this.#searchedAt >= SEARCH_SECONDS;
    if (isFull || isSearched) this.#searchedAt = now;
    const fresh = await this.#walk(root, isFull || isSearched);
    const named = wanted.flatMap((id) => [...(this.#named.get(id) ?? [])]);
    const looked = isFull ? this.#known.keys() : this.#due();
    await mapLimit([...new Set([...looked, ...fresh, ...named])], LOOKS, (path) =>
      this.#stat(path),
    );
    const found = this.#newest();
    this.#hot = foldersAbove(root, found);
    const others = new Set(named).difference(new Set(found.map(({ path }) => path)));
    return [...found, ...[...others].flatMap((path) => this.#known.get(path) ?? [])];
  }

  exclude({ path, inode }: LogFile): void {
    this.#excluded.set(path, inode);
  }

  #due(): string[] {
    this.#turn = (this.#turn + 1) % TURNS;
    return this.#newest().flatMap(({ path }, index) =>
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

  /** Paths of logs that were not known. Between full looks only what lies above followed logs. */
  async #walk(root: string, isFull: boolean): Promise<string[]> {
    const fresh: string[] = [];
    const reached = new Set<string>();
    let level = [root];
    for (let depth = 0; level.length > 0 && reached.size < MAX_FOLDERS; depth++) {
      const below: string[] = [];
      const take = (path: string, { logs, folders }: Folder) => {
        reached.add(path);
        fresh.push(...logs.filter((log) => !this.#known.has(log)));
        below.push(...folders);
      };
      const looked: string[] = [];
      for (const path of level) {
        const known = this.#folders.get(path);
        if (known && !isFull && path !== root && !this.#hot.has(path)) take(path, known);
        else looked.push(path);
      }
      await mapLimit(looked, LOOKS, async (path) => {
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
      // Gone between two looks, or not for us: what is below it is not ours to know.
      this.#folders.delete(path);
      return null;
    }
  }

  /** Real paths of our own folders that links here lead to. */
  async #linked(path: string, root: string, entries: readonly Dirent[]): Promise<string[]> {
    const links = entries
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => join(path, name))
      .filter((link) => LINKED.test(relative(root, link)));
    const found = await Promise.all(links.map((link) => this.#ownFolder(link)));
    return found.filter((folder) => folder !== null);
  }

  async #ownFolder(link: string): Promise<string | null> {
    try {
      const path = await realpath(link);
      const stats = await lstat(path);
      return stats.isDirectory() && this.#isOurs(stats) ? path : null;
    } catch {
      // It leads nowhere, or to what is not for us.
      return null;
    }
  }

  async #stat(path: string): Promise<void> {
    try {
      const stats = await lstat(path);
      if (!stats.isFile() || !this.#isOurs(stats)) this.#drop(path);
      else this.#remember(logFileOf(path, stats));
    } catch {
      this.#drop(path);
    }
  }

  #remember(found: LogFile): void {
    const { path, inode } = found;
    if (!this.#known.has(path))
      for (const [id] of basename(path).matchAll(ID))
        this.#named.set(id, (this.#named.get(id) ?? new Set()).add(path));
    if (this.#excluded.get(path) !== inode) this.#excluded.delete(path);
    this.#known.set(path, found);
  }

  #drop(path: string): void {
    this.#known.delete(path);
    this.#excluded.delete(path);
    for (const [id] of basename(path).matchAll(ID)) {
      const paths = this.#named.get(id);
      paths?.delete(path);
      // Without it a log that has moved is not known any more, and is sought.
      if (paths?.size === 0) this.#named.delete(id);
    }
  }

  #newest(): LogFile[] {
    const all = [...this.#known.values()].filter(({ path }) => !this.#excluded.has(path));
    return all.sort((a, b) => b.changed - a.changed).slice(0, MAX_LOGS);
  }

  #isOurs(stats: Stats): boolean {
    const { uid = process.getuid?.() ?? null } = this.#deps;
    return uid === null || stats.uid === uid;
  }

  #forget(): void {
    this.#folders.clear();
    this.#known.clear();
    this.#named.clear();
    this.#excluded.clear();
    this.#hot.clear();
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

function logFileOf(path: string, stats: Stats): LogFile {
  return {
    path,
    size: stats.size,
    // Some file systems keep no birth: then the oldest time that they do keep.
    born: (stats.birthtimeMs || Math.min(stats.ctimeMs, stats.mtimeMs)) / 1000,
    inode: `${stats.dev}:${stats.ino}`,
    changed: stats.mtimeMs / 1000,
  };
}
