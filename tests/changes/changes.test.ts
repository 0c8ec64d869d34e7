import { expect, test } from "bun:test";
import { chmod, mkdir, realpath, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { askGit } from "../../src/changes/git.ts";
import { findWorkTree } from "../../src/changes/work-tree.ts";
import { Changes, FileChanges, MAX_CHANGED_FILES } from "../../src/protocol/changes.ts";
import { Repository } from "./support/repository.ts";

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("");

test("the list of changes has status, counts, type and staging of files of every kind", async () => {
  await using repository = await Repository.create();
  const large = "x".repeat(79).concat("\n").repeat(14_000);
  await repository.commit({
    ...{
      "a.ts": numbered(1, 9),
      "b.ts": "b\n",
      "gone.ts": "gone\n",
      "dir/old.ts": numbered(1, 30),
    },
    ...{ "picture.bin": "\0one", "large.txt": large, "script.sh": "exit\n", "same.ts": "same\n" },
  });
  await repository.write({
    ...{ "a.ts": numbered(1, 8), "b.ts": "b\nc\n", "new.ts": "1\n2\n3", "deep/er/file": "x\n" },
    ...{
      "picture.bin": "\0two",
      "large.txt": `${large}more\n`,
      "blob.bin": "\0",
      "big.txt": large,
    },
    // As git does: what comes after 8,000 bytes makes no file binary.
    ...{ "empty.txt": "", "late.txt": `${"x".repeat(8000)}\0` },
  });
  await repository.git("add", "a.ts");
  await repository.write({ "a.ts": numbered(2, 8) });
  await rm(join(repository.path, "gone.ts"));
  await repository.git("mv", "dir/old.ts", "dir/new.ts");
  await chmod(join(repository.path, "script.sh"), 0o755);
  await repository.link("link", "a.ts");
  expect(await repository.lines()).toEqual([
    "modified a.ts +0 -2 staged unstaged",
    "modified b.ts +1 -0 unstaged",
    "untracked big.txt ? unstaged",
    "untracked blob.bin ? unstaged",
    "untracked deep/er/file +1 -0 unstaged",
    "renamed dir/old.ts > dir/new.ts +0 -0 staged",
    "untracked empty.txt +0 -0 unstaged",
    "deleted gone.ts +0 -1 unstaged",
    "modified large.txt ? unstaged",
    "untracked late.txt +1 -0 unstaged",
    "untracked link +1 -0 link unstaged",
    "untracked new.ts +3 -0 unstaged",
    "modified picture.bin ? unstaged",
    "modified script.sh +0 -0 unstaged",
  ]);
  const list = await repository.list();
  expect(list).toMatchObject({
    ...{ range: "head", top: repository.path, within: null, branch: "main", base: null },
    ...{ total: 14, added: 7, removed: 3 },
  });
  expect(Changes.parse({ ...list, other_panes: [] })).toEqual({ ...list, other_panes: [] });
});

test("a file with any name is listed and read", async () => {
  await using repository = await Repository.create();
  const names = [
    ...["-rf", " a ", "t\tab", "n\newline", '"quoted"', "back\\slash", "ünï", ":(top)x", "*"],
    ...["a => b", "{x}", "diff --git a/x b/x", ":100644 100644 a b M", "1\t2\tx", "👩‍💻"],
  ];
  const files = Object.fromEntries(names.map((name) => [name, "one\n"]));
  await repository.commit(files);
  for (const name of names)
    await repository.write({ [name]: "one\ntwo\n", [`${name}.new`]: "1\n" });
  const { files: found } = await repository.list();
  const wanted = names.flatMap((name) => [name, `${name}.new`]).sort();
  expect(found.map(({ path }) => path)).toEqual(wanted);
  for (const name of names) {
    const [hunk] = (await repository.file(name)).hunks;
    expect(hunk?.lines.map(({ text }) => text)).toEqual(["one", "two"]);
    const [whole] = (await repository.file(`${name}.new`)).hunks;
    expect(whole?.lines.map(({ text }) => text)).toEqual(["1"]);
  }
});

test("a changed file has its lines with their numbers, and marks on the words that differ", async () => {
  await using repository = await Repository.of({
    "a.ts": `${numbered(1, 9)}const ttl = DAY;\n${numbered(11, 20)}`,
  });
  await repository.write({
    "a.ts": `${numbered(1, 9)}const ttl = ttl(DAY);\n${numbered(11, 20)}x`,
  });
  const file = await repository.file("a.ts");
  expect(FileChanges.parse(file)).toEqual(file);
  expect(file).toMatchObject({ path: "a.ts", old_path: null, named_only: false });
  expect(file.hunks.map(({ lines }) => lines.filter((line) => line.old !== line.new))).toEqual([
    [
      { old: 10, new: null, text: "const ttl = DAY;", marks: [{ start: 12, length: 3 }] },
      {
        ...{ old: null, new: 10, text: "const ttl = ttl(DAY);" },
        marks: [{ start: 12, length: 8 }],
      },
    ],
    [{ old: null, new: 21, text: "x", marks: [], no_newline: true }],
  ]);
});

test("a renamed file is compared with its old name, a retyped file is read, a binary file is only listed", async () => {
  await using repository = await Repository.of({
    "old.ts": numbered(1, 30),
    "a.bin": "\0one",
    kind: "text\n",
  });
  await repository.git("mv", "old.ts", "new.ts");
  await repository.write({ "new.ts": numbered(1, 31), "a.bin": "\0two", "b.bin": "\0" });
  await rm(join(repository.path, "kind"));
  await repository.link("kind", "elsewhere");
  const renamed = await repository.file("new.ts", { old_path: "old.ts" });
  expect(renamed.old_path).toBe("old.ts");
  expect(renamed.hunks.flatMap(({ lines }) => lines.filter(({ old }) => old === null))).toEqual([
    { old: null, new: 31, text: "line 31", marks: [] },
  ]);
  for (const path of ["a.bin", "b.bin"])
    expect(await repository.file(path)).toMatchObject({ named_only: true, hunks: [] });
  const retyped = await repository.file("kind");
  expect(retyped.hunks.flatMap(({ lines }) => lines.map(({ text }) => text))).toEqual([
    ...["text", "elsewhere"],
  ]);
});

test("a file that has not changed or lies behind a link is refused", async () => {
  await using repository = await Repository.of({ "a.ts": "a\n", ".gitignore": "secret\n" });
  await repository.write({ secret: "s3cret\n", "../outside": "outside\n", "a.ts": "b\n" });
  await repository.link("out", repository.root);
  const refused = [
    ...["secret", "../outside", "out/outside", ".git/config", "nothing"],
    ...["/etc/passwd", "a/../../x", "a\0b"],
  ];
  for (const path of refused)
    await expect(repository.file(path)).rejects.toMatchObject({
      kind: expect.stringMatching(/^(not_found|conflict)$/),
    });
  expect((await repository.file("out")).hunks[0]?.lines[0]?.text).toBe(repository.root);
});

test("a file with more than 1 MiB of differences is refused as too large", async () => {
  await using repository = await Repository.of({ "a.txt": numbered(1, 60_000) });
  await repository.write({ "a.txt": numbered(60_001, 120_000).replaceAll("line", "row") });
  expect(await repository.lines()).toEqual(["modified a.txt +60000 -60000 unstaged"]);
  await expect(repository.file("a.txt")).rejects.toMatchObject({ kind: "too_large" });
});

test("a list of very many changes is cut, and its totals count all of them", async () => {
  await using repository = await Repository.create();
  const names = Array.from({ length: MAX_CHANGED_FILES + 7 }, (_, index) => `f${10_000 + index}`);
  await repository.commit({ "z.ts": "z\n" });
  await repository.write(Object.fromEntries([...names, "z.ts"].map((name) => [name, "1\n"])));
  const { files, total, added } = await repository.list();
  expect([files.length, total, added]).toEqual([2000, 2008, 2000]);
  expect(files.at(-1)?.path).toBe("f11999");
});

test("every file is new before the first commit, and there is no base", async () => {
  await using repository = await Repository.create();
  await repository.write({ "a.ts": "a\n", "b.ts": "b\n" });
  await repository.git("add", "a.ts");
  const lines = ["added a.ts +1 -0 staged", "untracked b.ts +1 -0 unstaged"];
  expect(await repository.lines()).toEqual(lines);
  expect((await repository.file("a.ts")).hunks[0]?.lines[0]?.text).toBe("a");
  await expect(repository.list("base")).rejects.toMatchObject({ detail: { reason: "no_base" } });
});

test("a file in conflict is listed once", async () => {
  await using repository = await Repository.of({ "a.ts": "a\n" });
  await repository.git("checkout", "--quiet", "-b", "other");
  await repository.commit({ "a.ts": "b\n" });
  await repository.git("checkout", "--quiet", "main");
  await repository.commit({ "a.ts": "c\n" });
  expect((await repository.tryGit("merge", "other")).code).toBe(1);
  expect(await repository.lines()).toEqual(["conflicted a.ts +4 -0 staged unstaged"]);
  expect((await repository.file("a.ts")).hunks[0]?.lines.length).toBe(5);
});

test("the changes since the base begin where the branch left the remote's, or else the local, main branch", async () => {
  await using repository = await Repository.of({ "a.ts": "a\n" });
  await repository.git("checkout", "--quiet", "-b", "work");
  await repository.commit({ "mine.ts": "m\n" });
  await repository.write({ "a.ts": "aa\n" });
  expect(await repository.list("base")).toMatchObject({ branch: "work", base: "main" });
  expect(await repository.lines("base")).toEqual([
    "modified a.ts +1 -1 unstaged",
    "added mine.ts +1 -0",
  ]);
  expect((await repository.file("mine.ts", { range: "base" })).hunks.length).toBe(1);
  expect(await repository.lines("head")).toEqual(["modified a.ts +1 -1 unstaged"]);

  // The remote's main has moved on, and the branch with it; the local one stayed behind.
  await repository.git("checkout", "--quiet", "--detach", "main");
  await repository.commit({ "theirs.ts": "t\n" });
  await repository.git("update-ref", "refs/remotes/origin/main", "HEAD");
  await repository.git("checkout", "--quiet", "work");
  await repository.git("merge", "--quiet", "origin/main");
  expect(await repository.lines("base")).toContain("added mine.ts +1 -0");
  expect(await repository.lines("base")).not.toContain("added theirs.ts +1 -0");

  // The remote's HEAD goes before its main branch.
  await repository.git("update-ref", "refs/remotes/origin/develop", "HEAD");
  await repository.write({ "new.ts": "n\n" });
  await repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop");
  expect(await repository.list("base")).toMatchObject({ base: "develop", total: 1 });
});

test("the main branch is compared with the remote's, and has no base without a remote", async () => {
  await using repository = await Repository.of({ "a.ts": "a\n" });
  await expect(repository.list("base")).rejects.toMatchObject({ detail: { reason: "no_base" } });
  await repository.git("update-ref", "refs/remotes/origin/main", "HEAD");
  await repository.commit({ "unpushed.ts": "u\n" });
  expect(await repository.lines("base")).toEqual(["added unpushed.ts +1 -0"]);
  await repository.git("checkout", "--quiet", "--detach");
  expect(await repository.list("base")).toMatchObject({ branch: null, base: "main", total: 0 });
});

test("an added work tree, a submodule and a moved repository are work trees of their own", async () => {
  await using repository = await Repository.of({ "a.ts": "a\n" });
  await repository.git("worktree", "add", "--quiet", "-b", "side", "../side");
  const side = repository.at("side");
  await side.write({ "a.ts": "side\n" });
  expect(await side.list()).toMatchObject({
    top: side.path,
    branch: "side",
    base: "main",
    total: 1,
  });
  expect(await repository.lines()).toEqual([]);

  const outer = repository.at("outer");
  await mkdir(outer.path);
  await outer.git("init", "--quiet", "--initial-branch=main");
  const allow = ["-c", "protocol.file.allow=always"];
  await outer.git(...allow, "submodule", "--quiet", "add", repository.path, "sub");
  await outer.commit({ "o.ts": "o\n" });
  const inner = outer.at("outer/sub");
  await inner.write({ "a.ts": "dirty\n" });
  expect(await inner.lines()).toEqual(["modified a.ts +1 -1 unstaged"]);
  // Uncommitted changes of a submodule are listed in the submodule alone.
  expect(await outer.lines()).toEqual([]);
  await inner.commit({});
  expect(await outer.lines()).toEqual(["modified sub +1 -1 repository unstaged"]);
  await rename(outer.path, join(repository.root, "moved"));
  const moved = outer.at("moved");
  expect(await moved.lines()).toEqual(["modified sub +1 -1 repository unstaged"]);
  await moved.write({ "nested/x.ts": "x\n" });
  const nested = moved.at("moved/nested");
  await nested.git("init", "--quiet");
  expect(await moved.lines()).toContain("untracked nested/ ? repository unstaged");
  expect(await moved.file("nested/")).toMatchObject({ named_only: true });
});

test("ignored files are left out, and line ends follow the settings of repository and person", async () => {
  await using repository = await Repository.of({
    "dos.txt": "one\ntwo\n",
    ".gitignore": "*.log\n",
  });
  await repository.git("config", "core.autocrlf", "true");
  const excludes = join(repository.root, "excludes");
  await repository.git("config", "core.excludesFile", excludes);
  await repository.write({ "dos.txt": "one\r\ntwo\r\n", "x.log": "", "x.tmp": "", "x.own": "" });
  await repository.write({ "../excludes": "*.tmp\n", ".git/info/exclude": "*.own\n" });
  expect(await repository.lines()).toEqual([]);
  // The person's own settings hold too, and without any the usual file.
  await repository.git("config", "--unset", "core.excludesFile");
  expect(await repository.lines()).toEqual(["untracked x.tmp +0 -0 unstaged"]);
  await repository.write({ "../.gitconfig": "[core]\n\texcludesFile = ~/excludes\n" });
  expect(await repository.lines()).toEqual([]);
  await repository.write({ "../.gitconfig": "", "../.config/git/ignore": "x.*\n" });
  expect(await repository.lines()).toEqual([]);
  await repository.write({ "new.ts": "n\n" });
  await repository.git("config", "status.showUntrackedFiles", "no");
  expect(await repository.lines()).toEqual([]);
});

test("the changes of one folder leave out the rest of the work tree", async () => {
  await using repository = await Repository.of({ "a/x.ts": "x\n", "b/y.ts": "y\n" });
  await repository.write({ "a/x.ts": "xx\n", "b/y.ts": "yy\n", "a/n.ts": "n\n", "c.ts": "c\n" });
  expect(await repository.lines("head", "a")).toEqual([
    "untracked a/n.ts +1 -0 unstaged",
    "modified a/x.ts +1 -1 unstaged",
  ]);
  expect((await repository.file("a/x.ts", {}, "a")).hunks.length).toBe(1);
  for (const path of ["b/y.ts", "c.ts", "a"])
    await expect(repository.file(path, {}, "a")).rejects.toMatchObject({ kind: "not_found" });
});

test("a repository with SHA-256 objects is read", async () => {
  await using repository = await Repository.create(["--object-format=sha256"]);
  await repository.write({ "a.ts": "a\n" });
  await repository.git("add", "a.ts");
  expect(await repository.lines()).toEqual(["added a.ts +1 -0 staged"]);
  await repository.commit({});
  await repository.write({ "a.ts": "b\n" });
  expect(await repository.lines()).toEqual(["modified a.ts +1 -1 unstaged"]);
});

test("a split index and a sparse index are read", async () => {
  await using repository = await Repository.of({ "a/a.ts": "a\n", "b/b.ts": "b\n", "c.ts": "c\n" });
  await repository.git("update-index", "--split-index");
  await repository.write({ "a/a.ts": "aa\n" });
  expect(await repository.lines()).toEqual(["modified a/a.ts +1 -1 unstaged"]);
  await repository.git("update-index", "--no-split-index");
  await repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "a");
  expect(await repository.lines()).toEqual(["modified a/a.ts +1 -1 unstaged"]);
});

test("reading changes does not touch the index", async () => {
  await using repository = await Repository.of({ "a.ts": "a\n", "b.ts": "b\n" });
  await repository.write({ "a.ts": "b\n" });
  const index = Bun.file(join(repository.path, ".git/index"));
  const before = [await index.bytes(), (await index.stat()).mtimeMs];
  await repository.list();
  await repository.file("a.ts");
  expect([await index.bytes(), (await index.stat()).mtimeMs]).toEqual(before);
  expect(await repository.git("status", "--porcelain")).toBe("M a.ts");
});

test("a folder that is bare, or names no repository, has no work tree", async () => {
  await using repository = await Repository.create();
  const bare = repository.at("bare");
  await mkdir(bare.path);
  await bare.git("init", "--quiet", "--bare");
  const plain = repository.at("plain");
  await plain.write({ "sub/.git": "gitdir: /nowhere\n", "other/.git": "no pointer" });
  for (const path of [bare.path, join(plain.path, "sub"), join(plain.path, "other"), "/"])
    expect(await findWorkTree(await realpath(path))).toBe(null);
});

test("a broken repository is refused with a sentence that names no path", async () => {
  await using repository = await Repository.of({ "a.ts": "a\n" });
  await repository.write({ ".git/index": "no index" });
  const message = "this repository cannot be read: git status failed";
  await expect(repository.list()).rejects.toMatchObject({
    ...{ kind: "conflict", message, detail: { reason: "unreadable", message } },
  });
});

test("changes are read though the folder in which the service was started is gone", async () => {
  await using repository = await Repository.of({ "a.ts": "a\n" });
  await repository.write({ "a.ts": "b\n" });
  const before = process.cwd();
  const gone = join(repository.root, "gone");
  await mkdir(gone);
  process.chdir(gone);
  try {
    await rm(gone, { recursive: true });
    expect((await repository.list()).total).toBe(1);
  } finally {
    process.chdir(before);
  }
});

test("a git that does not answer is ended", async () => {
  const asking = { env: {}, signal: AbortSignal.timeout(20), maxBytes: 10 };
  await expect(askGit(["/bin/sleep", "60"], asking)).rejects.toMatchObject({ kind: "timed_out" });
});
