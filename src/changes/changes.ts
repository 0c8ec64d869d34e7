import { relative } from "node:path";
import { AppError } from "../errors.ts";
import { atDisk, canonicalDirectory, expandPath, isInside } from "../lib/inside.ts";
import { jsonWithEtag } from "../lib/json-with-etag.ts";
import { RequestLimit, Semaphore } from "../lib/lock.ts";
import type {
  Changes as ChangesReply,
  ChangesRange,
  DiffHunk,
  FileChanges,
  FileQuery,
} from "../protocol/changes.ts";
import type { PaneState } from "../protocol/pane.ts";
import { actByOf, type Handlers, type RequestFacts, type Slice } from "../slice.ts";
import { isLocalPane } from "../terminal/namespace.ts";
import { noSuchPane } from "../terminal/reading.ts";
import { findGit, type Git, noSuchChange, gitRefusal, sweepGitDirs, withGit } from "./git.ts";
import {
  DIFF,
  findBase,
  findSince,
  linesOf,
  list,
  readStatus,
  readUntracked,
  type DiffScope,
} from "./listing.ts";
import { parseDiff } from "./parse.ts";
import { cutLine, parsePatch } from "./patch.ts";
import { findWorkTree } from "./work-tree.ts";

interface ChangesDeps {
  panes(): readonly Pick<PaneState, "id" | "cwd" | "agent">[];
  roots: readonly string[];
}

/** Each git reads a whole work tree, on all cores. */
const AT_ONCE = 2;
/** Requests of one client and of all. A page has four for lists, and one for each file it opens. */
export const MAX_IN_PROGRESS = { ofOne: 20, ofAll: 60, retryAfterSeconds: 5 };

/** The changes in the folders of panes, read only on request. */
export class ChangeReader {
  readonly #deps: ChangesDeps;
  readonly #turns = new Semaphore(AT_ONCE);
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(deps: ChangesDeps) {
    this.#deps = deps;
  }

  /** @throws AppError conflict without git work tree, and as `list` does */
  async list(pane: { id: string; cwd: string }, range: ChangesRange): Promise<ChangesReply> {
    const scope = await this.#scopeOf(pane.cwd);
    const listing = await this.#inTurn(scope, (git) => list(git, scope, range));
    return { ...listing, other_panes: await this.#others(pane.id, scope) };
  }

  /** @throws AppError not_found for a file that did not change, and as `readFileChanges` does */
  async file(pane: { cwd: string }, selector: FileSelector): Promise<FileChanges> {
    const scope = await this.#scopeOf(pane.cwd);
    return this.#inTurn(scope, (git) => readFileChanges(git, scope, selector));
  }

  /**
   * The whole work tree of a pane's folder where it lies in a root or in the folder of a pane; else that
   * folder alone, so that a folder far above (a home under version control) is not disclosed.
   */
  async #scopeOf(cwd: string): Promise<DiffScope> {
    const folder = await canonicalDirectory(cwd);
    const tree = folder === null ? null : await atDisk(folder, () => findWorkTree(folder));
    if (folder === null || tree === null)
      throw gitRefusal("no_git", "the folder of this pane is in no git work tree");
    const roots = this.#deps.roots.flatMap((path) => expandPath(path) ?? []);
    const real = await Promise.all(roots.map((path) => canonicalDirectory(path).catch(() => null)));
    // As the kernel tells it, a folder has its real path: the disk of another one is not asked.
    const open = [folder, ...real, ...this.#deps.panes().map((pane) => pane.cwd)];
    const isOpen = open.some((path) => path !== null && isInside(path, tree.top));
    return { tree, within: isOpen ? null : relative(tree.top, folder) };
  }

  #inTurn<T>({ tree }: DiffScope, work: Parameters<typeof withGit<T>>[1]): Promise<T> {
    const turn = this.#turns.run(() => withGit(tree, work, this.#stopping.signal));
    this.#running.add(turn);
    const done = () => this.#running.delete(turn);
    turn.then(done, done);
    return turn;
  }

  /** Ends all gits, and waits until their folders are removed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#running);
  }

  async #others(id: string, { tree }: DiffScope): Promise<string[]> {
    const agents = this.#deps.panes().filter((pane) => pane.agent !== null && pane.id !== id);
    const ids = await Promise.all(
      agents.map(async (pane) => {
        if (!isInside(tree.top, pane.cwd)) return [];
        return (await findWorkTree(pane.cwd))?.top === tree.top ? [pane.id] : [];
      }),
    );
    return ids.flat();
  }
}

/** Of the patch of one file. */
const MAX_DIFF_BYTES = 1024 * 1024;

export type FileSelector = Pick<FileQuery, "old_path" | "path" | "range">;

/**
 * @throws AppError not_found for a file that is in no list, too_large over 1 MiB of differences, and as `list` does
 */
export async function readFileChanges(
  git: Git,
  { tree, within }: DiffScope,
  { path, old_path, range }: FileSelector,
): Promise<FileChanges> {
  const names = old_path === undefined ? [path] : [path, old_path];
  if (!names.every(isPathOfGit)) throw noSuchChange();
  if (within !== null && !names.every((name) => isInside(within, name))) throw noSuchChange();
  const status = await readStatus(git, ["--", ...names]);
  const base = range === "base" ? await findBase(git, status) : null;
  const commit = await findSince(git, range, { ...status, base });
  const args = [...DIFF, "--raw", "-z", "--patch", "--unified=3", commit, "--", ...names];
  const text = await git.run(args, MAX_DIFF_BYTES).catch(tooLarge);
  const entries = parseDiff(text);
  const place = entries.findIndex((entry) => entry.path === path);
  const entry = entries[place];
  if (entry === undefined) return await untrackedFile(tree.top, path, status.untracked);
  const files = parsePatch(text.slice(text.indexOf("\0\0") + 2));
  // For a file that became a link git writes two patches: one deletes the file, one adds the link.
  const parts = entries.length === 1 ? files : files.slice(place, place + 1);
  return {
    path,
    old_path: entry.old_path,
    named_only: parts.some(({ isBinary }) => isBinary),
    hunks: parts.flatMap(({ hunks }) => hunks),
  };
}

/** Paths of git are relative to the top and stay below it. */
const isPathOfGit = (name: string) =>
  !name.startsWith("/") && !name.includes("\0") && !name.split("/").includes("..");

function tooLarge(error: unknown): never {
  if (!(error instanceof AppError) || error.kind !== "too_large") throw error;
  throw new AppError("too_large", "more than 1 MiB of this file has changed", undefined, {
    cause: error,
  });
}

async function untrackedFile(
  top: string,
  path: string,
  untracked: readonly string[],
): Promise<FileChanges> {
  const file = untracked.includes(path) ? await readUntracked(top, path) : null;
  if (file === null) throw noSuchChange();
  const hunks = file.text === null ? [] : [wholeHunk(file.text)];
  return { path, old_path: null, named_only: file.text === null, hunks };
}

function wholeHunk(text: string): DiffHunk {
  const lines = linesOf(text).map((line, index) => ({
    ...{ old: null, new: index + 1, text: cutLine(line), marks: [] },
  }));
  return { heading: "", lines };
}

interface ChangesSliceDeps extends ChangesDeps {
  hub: { resolve(idOrTarget: string): { id: string; cwd: string } | null };
}

export function changesSlice({ hub, ...deps }: ChangesSliceDeps): Slice {
  const changes = new ChangeReader(deps);
  const paneOf = (id: string) => {
    const pane = hub.resolve(id);
    if (!pane) throw noSuchPane(id);
    if (isLocalPane(pane.id)) return pane;
    const why = "this pane is on another machine: what changed there is not known here";
    throw gitRefusal("other_machine", why);
  };
  const limit = new RequestLimit("too many requests wait for git", MAX_IN_PROGRESS);
  const answer = (
    { env, req }: { env: RequestFacts; req: { raw: Request } },
    read: () => Promise<object>,
  ) => limit.run(actByOf(env).grant, async () => jsonWithEtag(req.raw, await read()));
  const routes: Handlers = {
    "GET /api/changes": (c) => {
      const { id, range } = c.req.valid("query");
      return answer(c, () => changes.list(paneOf(id), range));
    },
    "GET /api/changes/file": (c) => {
      const { id, ...selector } = c.req.valid("query");
      return answer(c, () => changes.file(paneOf(id), selector));
    },
  };
  return {
    name: "changes",
    routes,
    start: () => void sweepGitDirs().catch(() => undefined),
    stop: () => changes.stop(),
    capabilities: () => (findGit() === null ? {} : { changes_v1: { version: 1 } }),
  };
}
