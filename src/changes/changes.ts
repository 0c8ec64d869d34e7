import { relative } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { canonicalDirectory, expandPath, isInside } from "../lib/inside.ts";
import { Semaphore } from "../lib/lock.ts";
import type { Changes as ChangesReply, ChangesRange, FileChanges } from "../protocol/changes.ts";
import type { PaneState } from "../protocol/pane.ts";
import { readFileChanges, type WantedFile } from "./file.ts";
import { withGit } from "./git.ts";
import { list, type Listing, type Scope } from "./listing.ts";
import { noGit } from "./ask.ts";
import { findWorkTree } from "./work-tree.ts";

export interface ChangesDeps {
  panes(): readonly Pick<PaneState, "id" | "cwd" | "agent">[];
  /** Folders below which everything may be looked at, as they are configured. */
  roots: readonly string[];
  clock: Pick<Clock, "monotonic">;
}

/** What several clients ask for at once is looked up once. */
const SHARED_SECONDS = 1;
/** Git reads a whole work tree, on as many cores as there are. */
const AT_ONCE = 2;

interface Shared {
  listing: Promise<Listing>;
  /** Monotonic; Infinity while it is looked up. */
  until: number;
}

/** What changed in the folders of panes. Looked up when it is asked for, and never otherwise. */
export class Changes {
  readonly #deps: ChangesDeps;
  readonly #shared = new Map<string, Shared>();
  readonly #turns = new Semaphore(AT_ONCE);

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  /** @throws AppError conflict without git work tree, and as `list` does */
  async list(pane: { id: string; cwd: string }, range: ChangesRange): Promise<ChangesReply> {
    const scope = await this.#scopeOf(pane.cwd);
    const listing = await this.#share(scope, range);
    return { ...listing, other_panes: await this.#others(pane.id, scope) };
  }

  /** @throws AppError not_found for a file that did not change, and as `readFileChanges` does */
  async file(pane: { cwd: string }, wanted: WantedFile): Promise<FileChanges> {
    const scope = await this.#scopeOf(pane.cwd);
    return this.#inTurn(scope, (git) => readFileChanges(git, scope, wanted));
  }

  /**
   * The work tree of a pane's folder, all of it where a root or the folder of a pane holds it; else
   * that folder alone, so that a folder far above (a home under version control) is not laid open.
   */
  async #scopeOf(cwd: string): Promise<Scope> {
    const folder = await canonicalDirectory(cwd);
    const tree = folder === null ? null : await findWorkTree(folder);
    if (folder === null || tree === null) throw noGit();
    const open = [...this.#deps.roots, ...this.#deps.panes().map((pane) => pane.cwd)];
    const paths = [...new Set(open)]
      .map((path) => expandPath(path))
      .filter((path) => path !== null);
    const real = await Promise.all(paths.map(canonicalDirectory));
    const isOpen = real.some((path) => path !== null && isInside(path, tree.top));
    return { tree, within: isOpen ? null : relative(tree.top, folder) };
  }

  #share(scope: Scope, range: ChangesRange): Promise<Listing> {
    const now = this.#deps.clock.monotonic();
    for (const [key, { until }] of this.#shared) if (until <= now) this.#shared.delete(key);
    const key = JSON.stringify([scope.tree.top, scope.within, range]);
    const known = this.#shared.get(key);
    if (known) return known.listing;
    const listing = this.#inTurn(scope, (git) => list(git, scope, range));
    const shared: Shared = { listing, until: Number.POSITIVE_INFINITY };
    this.#shared.set(key, shared);
    const done = (seconds: number) => () => {
      shared.until = this.#deps.clock.monotonic() + seconds;
    };
    listing.then(done(SHARED_SECONDS), done(0));
    return listing;
  }

  #inTurn<T>({ tree }: Scope, work: Parameters<typeof withGit<T>>[1]): Promise<T> {
    return this.#turns.run(() => withGit(tree, work));
  }

  async #others(id: string, { tree }: Scope): Promise<string[]> {
    const agents = this.#deps.panes().filter((pane) => pane.agent !== null && pane.id !== id);
    const found = await Promise.all(
      agents.map(async (pane) => {
        const folder = await canonicalDirectory(pane.cwd);
        if (folder === null || !isInside(tree.top, folder)) return [];
        return (await findWorkTree(folder))?.top === tree.top ? [pane.id] : [];
      }),
    );
    return found.flat();
  }
}
