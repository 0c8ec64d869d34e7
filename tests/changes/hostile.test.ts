import { expect, test } from "bun:test";
import { chmod, mkdir, readdir, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { ChangeReader } from "../../src/changes/changes.ts";
import { sweepGitDirs } from "../../src/changes/git.ts";
import { findWorkTree } from "../../src/changes/work-tree.ts";
import { run } from "../../src/lib/run.ts";
import { until } from "../support/until.ts";
import { Repository } from "./support/repository.ts";

/** Leaves a file when it is run, and passes on what it reads, as a filter has to. */
async function trap(repository: Repository, name: string, then = "cat"): Promise<string> {
  const path = join(repository.root, `trap-${name}`);
  await repository.write({
    [`../trap-${name}`]: `#!/bin/sh\n: > '${repository.root}/ran-${name}'\n${then}\n`,
  });
  await chmod(path, 0o755);
  return path;
}

async function whatRan(repository: Repository): Promise<string[]> {
  const names = await readdir(repository.root);
  return names.filter((name) => name.startsWith("ran-")).sort();
}

/** Reads every list and file of a repository. */
async function lookAtAll(repository: Repository): Promise<void> {
  for (const range of ["head", "base"] as const) {
    const found = await repository.list(range).catch(() => null);
    for (const { path, old_path } of found?.files ?? [])
      await repository.file(path, { range, old_path: old_path ?? undefined }).catch(() => null);
  }
}

/** On a branch, with a file of each kind that differs from the last commit. */
async function changed(): Promise<Repository> {
  const repository = await Repository.of({
    "a.txt": "a\n",
    "old.txt": "1\n2\n3\n4\n5\n",
    "b.bin": "\0",
  });
  await repository.git("checkout", "--quiet", "-b", "work");
  await repository.commit({ "b.txt": "b\n" });
  return repository;
}

async function change(repository: Repository): Promise<void> {
  await repository.write({ "a.txt": "aa\n", "b.bin": "\0\0", "new.txt": "new\n", "b.txt": "bb\n" });
  await repository.git("mv", "old.txt", "renamed.txt");
}

const SETTINGS = {
  "core.fsmonitor": "fsmonitor",
  "core.pager": "pager",
  "core.editor": "editor",
  "core.askPass": "askpass",
  "core.sshCommand": "ssh",
  "core.gitProxy": "proxy",
  "core.alternateRefsCommand": "alternates",
  "pager.diff": "pager-diff",
  "pager.config": "pager-config",
  "pager.status": "pager-status",
  "interactive.diffFilter": "diff-filter",
  "diff.external": "external",
  "diff.trap.command": "command",
  "diff.trap.textconv": "textconv",
  "filter.trap.clean": "clean",
  "filter.trap.smudge": "smudge",
  "filter.trap.process": "process",
  "credential.helper": "credential",
  "gpg.program": "gpg",
  "alias.diff": "alias",
};

test("no program that a repository names is run, though plain git runs them", async () => {
  await using repository = await changed();
  await change(repository);
  for (const [setting, name] of Object.entries(SETTINGS)) {
    const path = await trap(repository, name);
    await repository.git("config", setting, name === "alias" ? `!${path}` : path);
  }
  await repository.git("config", "filter.trap.required", "true");
  const hooks = join(repository.path, ".git/hooks");
  for (const hook of ["post-index-change", "reference-transaction", "fsmonitor-watchman"]) {
    await repository.write({
      [`.git/hooks/${hook}`]: `#!/bin/sh\n: > '${repository.root}/ran-${hook}'\n`,
    });
    await chmod(join(hooks, hook), 0o755);
  }
  const attributes =
    "* filter=trap diff=trap merge=trap working-tree-encoding=UTF-16\n*.txt -text\n";
  await repository.write({
    ".gitattributes": "* filter=trap diff=trap\n",
    ".git/info/attributes": attributes,
  });
  await rm(join(repository.root, "ran-fsmonitor"), { force: true });
  for (const name of await whatRan(repository)) await rm(join(repository.root, name));

  await lookAtAll(repository);
  expect(await whatRan(repository)).toEqual([]);
  expect((await repository.list()).total).toBe(6);

  // Plain git runs the programs, so the traps work.
  await repository.git("config", "--unset", "filter.trap.process");
  await repository.tryGit("status");
  await repository.tryGit("diff");
  await repository.tryGit("diff", "--no-ext-diff");
  const ran = await whatRan(repository);
  for (const name of ["clean", "command", "fsmonitor", "textconv", "post-index-change"])
    expect(ran).toContain(`ran-${name}`);
});

test("a partial clone fetches nothing, and still lists which files changed", async () => {
  await using repository = await changed();
  await change(repository);
  await repository.commit({});
  await repository.write({ "a.txt": "aaa\n" });
  const id = await repository.git("rev-parse", "HEAD:a.txt");
  await rm(join(repository.path, ".git/objects", id.slice(0, 2), id.slice(2)));
  const ssh = await trap(repository, "ssh", "exit 1");
  for (const [name, value] of Object.entries({
    ...{ "core.repositoryformatversion": "1", "extensions.partialClone": "origin" },
    ...{ "remote.origin.url": "ssh://example.invalid/x", "remote.origin.promisor": "true" },
    "core.sshCommand": ssh,
    "remote.origin.partialclonefilter": "blob:none",
  }))
    await repository.git("config", name, value);
  expect(await repository.lines()).toEqual(["modified a.txt ? unstaged"]);
  await expect(repository.file("a.txt")).rejects.toMatchObject({
    ...{ kind: "conflict", detail: { reason: "unreadable" } },
  });
  await lookAtAll(repository);
  expect(await whatRan(repository)).toEqual([]);
  await repository.tryGit("diff");
  expect(await whatRan(repository)).toEqual(["ran-ssh"]);
});

test("no program that a submodule names is run", async () => {
  await using repository = await changed();
  const outer = repository.at("outer");
  await mkdir(outer.path);
  await outer.git("init", "--quiet", "--initial-branch=main");
  const allow = ["-c", "protocol.file.allow=always"];
  await outer.git(...allow, "submodule", "--quiet", "add", repository.path, "sub");
  await outer.commit({ "o.txt": "o\n" });
  const inner = outer.at("outer/sub");
  await inner.git("config", "core.fsmonitor", await trap(repository, "fsmonitor"));
  await inner.git("config", "filter.trap.clean", await trap(repository, "clean"));
  await inner.write({ ".gitattributes": "* filter=trap\n", "a.txt": "dirty\n" });
  await outer.write({ "o.txt": "oo\n" });
  await lookAtAll(outer);
  await lookAtAll(inner);
  expect(await whatRan(repository)).toEqual([]);
  await outer.tryGit("status");
  expect((await whatRan(repository)).length).toBeGreaterThan(0);
});

test("a repository that names another work tree or included settings is read without them", async () => {
  await using repository = await changed();
  await change(repository);
  await repository.write({ "../elsewhere/secret.txt": "secret\n" });
  await repository.git("config", "core.worktree", join(repository.root, "elsewhere"));
  const clean = await trap(repository, "clean");
  await repository.write({ "../more": `[filter "trap"]\n\tclean = ${clean}\n` });
  await repository.git("config", "include.path", join(repository.root, "more"));
  await repository.write({ ".gitattributes": "* filter=trap\n" });
  await lookAtAll(repository);
  expect((await repository.list()).files.map(({ path }) => path)).not.toContain("secret.txt");
  expect(await whatRan(repository)).toEqual([]);
});

test.each([".git", ".git/worktrees/side"])(
  "a folder that names %s of a repository elsewhere is no work tree",
  async (gitDir) => {
    await using repository = await changed();
    await repository.git("worktree", "add", "--quiet", "-b", "side", "../side");
    const other = repository.at("other");
    await mkdir(other.path);
    await other.write({ ".git": `gitdir: ${repository.path}/${gitDir}\n`, "mine.txt": "mine\n" });
    expect(await findWorkTree(other.path)).toBeNull();
  },
);

test("a folder with a pipe in the place of .git is no work tree", async () => {
  await using repository = await changed();
  const other = repository.at("other");
  await mkdir(other.path);
  await run(["mkfifo", join(other.path, ".git")], { timeoutMs: 30_000, maxBytes: 99 });
  expect(await findWorkTree(other.path)).toBeNull();
});

test("a pipe in the place of the index is refused at once", async () => {
  await using repository = await changed();
  await rm(join(repository.path, ".git/index"));
  await run(["mkfifo", join(repository.path, ".git/index")], { timeoutMs: 30_000, maxBytes: 99 });
  await expect(repository.list()).rejects.toMatchObject({
    kind: "conflict",
    detail: {
      reason: "unreadable",
      message: "this repository cannot be read: its index is no file",
    },
  });
});

test("old folders of a killed service are removed, and nothing else is", async () => {
  await using repository = await Repository.create();
  const folders = ["panewatch-git-old", "panewatch-git-young", "other"];
  for (const name of folders) await mkdir(join(repository.root, "tmp", name), { recursive: true });
  await repository.write({ "../tmp/panewatch-git-file": "" });
  for (const name of ["panewatch-git-old", "panewatch-git-file", "other"])
    await utimes(join(repository.root, "tmp", name), 1000, 1000);
  await sweepGitDirs(join(repository.root, "tmp"));
  expect((await readdir(join(repository.root, "tmp"))).sort()).toEqual([
    ...["other", "panewatch-git-file", "panewatch-git-young"],
  ]);
});

test("a service that stops ends git, and leaves none of its folders", async () => {
  await using repository = await changed();
  const folder = join(repository.root, "tmp");
  const slow = '#!/bin/sh\ncase "$*" in *--get-regexp*) exit 1 ;; esac\nexec /bin/sleep 60\n';
  await repository.write({ "../tmp/.keep": "", "../slow/git": slow });
  await chmod(join(repository.root, "slow/git"), 0o755);
  const before = { ...process.env };
  Object.assign(process.env, { PATH: join(repository.root, "slow"), TMPDIR: folder });
  try {
    const reader = new ChangeReader({ panes: () => [], roots: [repository.path] });
    const pane = { id: "main:1.0", cwd: repository.path };
    const asked = reader.list(pane, "head").catch((error: unknown) => error);
    await until(async () => (await readdir(folder)).length > 1);
    await reader.stop();
    expect(await asked).toMatchObject({ kind: "timed_out" });
    expect(await readdir(folder)).toEqual([".keep"]);
  } finally {
    Object.assign(process.env, { PATH: before.PATH, TMPDIR: before.TMPDIR });
    if (before.TMPDIR === undefined) delete process.env.TMPDIR;
  }
});

test("git variables in the service's environment have no effect", async () => {
  await using repository = await changed();
  await change(repository);
  const before = { ...process.env };
  const external = await trap(repository, "external");
  const wrong = {
    ...{ GIT_EXTERNAL_DIFF: external, GIT_DIR: "/nowhere", GIT_PAGER: external },
    ...{ GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "diff.external", GIT_CONFIG_VALUE_0: external },
  };
  Object.assign(process.env, wrong);
  try {
    await lookAtAll(repository);
    expect((await repository.list()).total).toBe(5);
  } finally {
    for (const name of Object.keys(wrong)) delete process.env[name];
    Object.assign(process.env, before);
  }
  expect(await whatRan(repository)).toEqual([]);
});
