import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readFileChanges, type FileSelector } from "../../../src/changes/changes.ts";
import { withGit } from "../../../src/changes/git.ts";
import { list } from "../../../src/changes/listing.ts";
import { findWorkTree } from "../../../src/changes/work-tree.ts";
import { run } from "../../../src/lib/run.ts";
import type { ChangesRange } from "../../../src/protocol/changes.ts";

const AUTHOR = ["-c", "user.name=Someone", "-c", "user.email=someone@example.invalid"];
/** No settings but those of the repository. */
const ENV = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", LC_ALL: "C" };

/** A repository in a folder of its own, with real git. */
export class Repository {
  private constructor(
    readonly root: string,
    readonly path: string,
  ) {}

  static async create(args: readonly string[] = []): Promise<Repository> {
    const root = await realpath(await mkdtemp(join(tmpdir(), "panewatch-changes-")));
    const repository = new Repository(root, join(root, "project"));
    await mkdir(repository.path);
    await repository.git("init", "--quiet", "--initial-branch=main", ...args);
    return repository;
  }

  /** A repository whose first commit holds these files. */
  static async of(files: Readonly<Record<string, string | Uint8Array>>): Promise<Repository> {
    const repository = await Repository.create();
    await repository.commit(files);
    return repository;
  }

  /** Another work tree or a clone in the same root. */
  at(path: string): Repository {
    return new Repository(this.root, join(this.root, path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  /** @throws Error with git's message */
  async git(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.tryGit(...args);
    if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  async tryGit(...args: string[]) {
    const env = { ...ENV, PATH: process.env.PATH, HOME: this.root };
    const { code, stdout, stderr } = await run(["git", ...AUTHOR, ...args], {
      ...{ cwd: this.path, env, timeoutMs: 30_000, maxBytes: 2 ** 24 },
    });
    return { code, stdout: new TextDecoder().decode(stdout).trim(), stderr };
  }

  /** Two thousand at once in a moment, as nothing that is awaited for each of them is. */
  async write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), text);
    }
  }

  async link(name: string, to: string): Promise<void> {
    await symlink(to, join(this.path, name));
  }

  /** Writes files and commits all that there is. */
  async commit(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    await this.write(files);
    await this.git("add", "--all");
    await this.git("commit", "--quiet", "--allow-empty", "--message=some");
  }

  async list(range: ChangesRange = "head", within: string | null = null) {
    const tree = await this.tree();
    return this.#atHome(() => withGit(tree, (git) => list(git, { tree, within }, range)));
  }

  async file(path: string, more: Partial<FileSelector> = {}, within: string | null = null) {
    const tree = await this.tree();
    const wanted = { path, range: "head" as const, ...more };
    return this.#atHome(() =>
      withGit(tree, (git) => readFileChanges(git, { tree, within }, wanted)),
    );
  }

  /** Each file of the list in a few words: `M a.ts +1 -2 staged`. */
  async lines(range: ChangesRange = "head", within: string | null = null): Promise<string[]> {
    const { files } = await this.list(range, within);
    return files.map((file) => {
      const name = file.old_path === null ? file.path : `${file.old_path} > ${file.path}`;
      const counts = file.added === null ? "?" : `+${file.added} -${file.removed}`;
      const type = file.type === "file" ? [] : [file.type];
      const marks = [file.staged ? ["staged"] : [], file.unstaged ? ["unstaged"] : []].flat();
      return [file.status, name, counts, ...type, ...marks].join(" ");
    });
  }

  /** Without the settings of whoever runs the tests. */
  async #atHome<T>(work: () => Promise<T>): Promise<T> {
    const { HOME, XDG_CONFIG_HOME } = process.env;
    process.env.HOME = this.root;
    delete process.env.XDG_CONFIG_HOME;
    try {
      return await work();
    } finally {
      process.env.HOME = HOME;
      if (XDG_CONFIG_HOME !== undefined) process.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME;
    }
  }

  async tree() {
    const tree = await findWorkTree(await realpath(this.path));
    if (tree === null) throw new Error(`${this.path} is in no work tree`);
    return tree;
  }
}
