import { basename, dirname } from "node:path";
import { AppError, unknownDelivery } from "../errors.ts";
import type { Semaphore } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import type {
  CreateReply,
  CreateRequest,
  CreationRoot,
  CreationState,
  DirectoryListing,
  FirstMessageFate,
  RuntimeId,
} from "../protocol/creation.ts";
import type { CreationPort, NewPane } from "../terminal/provider.ts";
import { noSuchPane } from "../terminal/reading.ts";
import {
  type AllowedDirectory,
  directoryNotFound,
  type Disk,
  findRoot,
  presentRoots,
  requireAllowed,
} from "./roots.ts";
import { placeFor } from "./plan.ts";
import { launchOf, listRuntimes, type RuntimeCommands } from "./runtimes.ts";

/** When a new pane is checked; a program that runs through all of them has started. */
const CHECK_AT_MS = [0, 20, 60, 120, 240, 400];

export interface CreationDeps {
  enabled: boolean;
  disk: Disk;
  roots: readonly CreationRoot[];
  runtimes: RuntimeCommands;
  mux: CreationPort;
  /** One for each machine, from listing to creation: no name is chosen twice. */
  lock: Pick<Semaphore, "run">;
  /** Why the multiplexer cannot be used, as a sentence. */
  muxUnavailable: () => string | null;
  /** @throws AppError conflict while another machine is away */
  requireLive?: () => void;
  paneDirectories: () => Iterable<string>;
  closes: "created" | "all";
  firstMessages: {
    /** @throws AppError for a text that no terminal takes */
    check(text: string): void;
    add(paneId: string, text: string): void;
    of(paneId: string): FirstMessageFate | null;
  };
  /** Resolves once a new pane is listed, or a closed one is not: then its id can be used. */
  created: () => Promise<void>;
  log: Pick<Log, "warn">;
}

export class Creation {
  readonly #deps: CreationDeps;
  #present: readonly CreationRoot[];
  #checking: Promise<void> | null = null;

  constructor(deps: CreationDeps) {
    this.#deps = deps;
    this.#present = deps.roots;
  }

  /**
   * `mux_create_v1`, by the last check of the roots. The next check is started and not awaited: the
   * disk of a root may hang.
   */
  capability() {
    void this.#checkRoots();
    const reason = this.#whyNot(this.#present);
    return { version: 1, supported: true, enabled: reason === null, reason };
  }

  async state(): Promise<CreationState> {
    // The directories of a machine that is away cannot be asked for.
    if (this.#deps.muxUnavailable() === null) await this.#checkRoots();
    const reason = this.#whyNot(this.#present);
    const { disk, paneDirectories, runtimes, muxUnavailable } = this.#deps;
    const usable = reason === null ? [...this.#present] : [];
    return {
      enabled: reason === null,
      reason,
      roots: usable,
      recent_directories: await recentDirectories(disk, usable, paneDirectories()),
      runtimes: await listRuntimes(runtimes, disk, muxUnavailable()),
    };
  }

  async browse(path: string): Promise<DirectoryListing> {
    this.requireEnabled();
    const { disk, roots } = this.#deps;
    return browse(disk, roots, await requireAllowed(disk, roots, path));
  }

  /** @param args follow the configured ones */
  async create(request: CreateRequest, args: readonly string[] = []): Promise<CreateReply> {
    this.requireEnabled();
    const { first_message } = request;
    if (first_message !== undefined && request.runtime === "shell")
      throw new AppError("invalid", "a shell is told no first message");
    if (first_message !== undefined) this.#deps.firstMessages.check(first_message);
    const { disk, roots, runtimes } = this.#deps;
    const { path } = await requireAllowed(disk, roots, request.cwd);
    const launch = await launchOf(request.runtime, runtimes, disk);
    if ("unavailable" in launch) throw new AppError("unavailable", "the runtime is unavailable");
    const pane = await this.#deps.lock.run(async () => {
      const place = placeFor(request, path, await this.#deps.mux.list());
      return this.#deps.mux.create(place, path, [...launch.argv, ...args]);
    });
    await this.#verify(pane, path);
    await this.#deps.created();
    if (first_message !== undefined) this.#deps.firstMessages.add(pane.id, first_message);
    return { pane_id: pane.id, target: pane.target };
  }

  /** Why a runtime cannot be started in a folder now, as the end of a sentence. */
  async whyNotIn(cwd: string, runtime: RuntimeId): Promise<string | null> {
    if (this.#whyNot(this.#deps.roots) !== null) return "nothing can be created here";
    const { disk, roots, runtimes } = this.#deps;
    const allowed = await requireAllowed(disk, roots, cwd).catch(() => null);
    if (allowed === null)
      return "its folder is gone, or outside the folders in which panes are created";
    const launch = await launchOf(runtime, runtimes, disk);
    return "unavailable" in launch ? "its program is not installed" : null;
  }

  /** @throws AppError not_found for a pane without one */
  firstMessage(id: string): FirstMessageFate {
    const fate = this.#deps.firstMessages.of(id);
    if (fate === null) throw new AppError("not_found", "this pane was given no first message");
    return fate;
  }

  /** Closes a pane that was created here, or any where `creation.close` allows it. */
  async close(id: string): Promise<void> {
    this.requireEnabled();
    const { closes, created, mux } = this.#deps;
    const look = await mux.look(id);
    if (look === null) throw noSuchPane(id);
    if (!(await mux.close({ id, pid: look.pid }, closes === "all")))
      throw new AppError(
        "forbidden",
        "only panes that were created here are closed; creation.close may allow all",
      );
    await created();
  }

  /** By the configured roots: a path in a vanished root is answered as not found. */
  requireEnabled(): void {
    if (this.#deps.enabled) this.#deps.requireLive?.();
    const reason = this.#whyNot(this.#deps.roots);
    if (reason !== null) throw new AppError("unavailable", reason);
  }

  #whyNot(roots: readonly CreationRoot[]): string | null {
    const { enabled, muxUnavailable } = this.#deps;
    if (!enabled) return "Creation is disabled in server configuration.";
    if (roots.length === 0) return "No valid creation roots are configured.";
    return muxUnavailable();
  }

  #checkRoots(): Promise<void> {
    this.#checking ??= presentRoots(this.#deps.disk, this.#deps.roots).then((present) => {
      this.#present = present;
      this.#checking = null;
    });
    return this.#checking;
  }

  /** Waits until the new pane has passed its checks; removes a pane that fails them. */
  async #verify(pane: NewPane, path: string): Promise<void> {
    try {
      await this.#watch(pane, path);
      if (!(await this.#deps.mux.markCreated(pane))) throw exitedEarly("it is gone");
    } catch (error) {
      await this.#deps.mux.remove(pane).catch((cause: unknown) => {
        this.#deps.log.warn(`cannot remove pane ${pane.id}: ${String(cause)}`);
        throw unknownDelivery(
          "the pane was created, and could neither be checked nor removed",
          error,
        );
      });
      throw error;
    }
  }

  async #watch(pane: NewPane, path: string): Promise<void> {
    const started = performance.now();
    const seen: string[] = [];
    for (const at of CHECK_AT_MS) {
      await Bun.sleep(Math.max(0, at - (performance.now() - started)));
      const look = await this.#deps.mux.look(pane.id);
      // `remain-on-exit` keeps a dead pane listed, and a hook may start another program in it.
      if (!look) throw exitedEarly("it is gone");
      if (look.isDead || look.pid !== pane.pid) throw exitedEarly("its process has ended");
      // "" where the system does not tell.
      if (look.directory !== "") seen.push(look.directory);
    }
    // Since it was allowed, the path may have become a link or vanished.
    const now = await this.#deps.disk.real(path);
    if (now === null) throw directoryNotFound();
    if (now !== path || !(await this.#isInPlace(seen, path)))
      throw new AppError("forbidden", "the directory is outside the configured creation roots");
  }

  /**
   * By the working directories that the checks saw. The requested one is enough, since a program
   * may change it later. Another one inside a root must be the last: at first a process is still in
   * the directory of the multiplexer's server.
   */
  async #isInPlace(seen: readonly string[], path: string): Promise<boolean> {
    const last = seen.at(-1);
    if (last === undefined || seen.includes(path)) return true;
    const real = await this.#deps.disk.real(last);
    return real !== null && findRoot(this.#deps.roots, real) !== null;
  }
}

/** @param why for the log */
function exitedEarly(why: string): AppError {
  const cause = new Error(why);
  return new AppError("unavailable", "the pane exited before it became available", undefined, {
    cause,
  });
}

export const MAX_CHILDREN = 500;
const MAX_RECENT_DIRECTORIES = 20;

/** Lists hidden directories too; a link inside a root is listed as its real directory, once. */
export async function browse(
  disk: Disk,
  roots: readonly CreationRoot[],
  { path, root }: AllowedDirectory,
): Promise<DirectoryListing> {
  const directories: DirectoryListing["directories"] = [];
  let truncated = false;
  for await (const child of children(disk, roots, path)) {
    truncated = directories.length === MAX_CHILDREN;
    if (truncated) break;
    directories.push(child);
  }
  const parent = path === root.path ? null : dirname(path);
  return { path, root, parent, directories, truncated };
}

async function* children(
  disk: Disk,
  roots: readonly CreationRoot[],
  path: string,
): AsyncGenerator<{ name: string; path: string }> {
  const entries = (await disk.entries(path)).toSorted(
    (a, b) => compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name),
  );
  const seen = new Set<string>();
  // A real directory is listed under its own name, also where a link to it comes first.
  const own = new Set(entries.filter((entry) => !entry.isLink).map((entry) => entry.name));
  for (const { name, isLink, readable } of entries) {
    const real = await readable();
    if (real === null || findRoot(roots, real) === null || seen.has(real)) continue;
    if (isLink && dirname(real) === path && own.has(basename(real))) continue;
    seen.add(real);
    yield { name, path: real };
  }
}

/** The directories of live panes inside a root, each once, sorted by path. */
export async function recentDirectories(
  disk: Disk,
  roots: readonly CreationRoot[],
  paths: Iterable<string>,
): Promise<CreationState["recent_directories"]> {
  if (roots.length === 0) return [];
  const all = [...new Set(paths)];
  const real = await Promise.all(all.map((path) => disk.real(path).catch(() => null)));
  const unique = [...new Set(real.filter((path) => path !== null))].sort(compare);
  return unique
    .flatMap((path) => {
      const root = findRoot(roots, path);
      const name = basename(path) || path;
      return root ? [{ name, path, root_label: root.label }] : [];
    })
    .slice(0, MAX_RECENT_DIRECTORIES);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
