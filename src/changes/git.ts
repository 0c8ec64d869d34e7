import { lstat, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { AppError } from "../errors.ts";
import { expandPath } from "../lib/inside.ts";
import { run, RunError, type RunOptions, type RunResult } from "../lib/run.ts";
import { readPointer, type WorkTree } from "./work-tree.ts";

const TIME_LIMIT_MS = 10_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** No question, no lock, and no output in another language. */
const BASE_ENVIRONMENT = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
};

export function findGit(): string | null {
  return Bun.which("git", { PATH: process.env.PATH ?? "" });
}

/**
 * @throws AppError timed_out, too_large; conflict where it cannot be started there
 */
export async function askGit(
  argv: readonly string[],
  options: Omit<RunOptions, "timeoutMs">,
): Promise<RunResult> {
  try {
    return await run(argv, { ...options, timeoutMs: TIME_LIMIT_MS });
  } catch (cause) {
    if (!(cause instanceof RunError)) throw cause;
    if (cause.kind === "too_large")
      throw new AppError("too_large", "there is more of it than is shown", undefined, { cause });
    if (cause.kind === "not_found") throw unreadable("git cannot be started", cause.message);
    const limit = `git did not answer within ${TIME_LIMIT_MS / 1000} s`;
    throw new AppError("timed_out", limit, undefined, { cause });
  }
}

/** @param cause goes to the log alone: it may name files */
function unreadable(why: string, cause?: unknown): AppError {
  return gitRefusal("unreadable", `this repository cannot be read: ${why}`, { cause });
}

export const gitRefusal = (reason: string, message: string, options?: ErrorOptions): AppError =>
  new AppError("conflict", message, { reason, message }, options);

export function noSuchChange(): AppError {
  return new AppError("not_found", "this file has not changed, or is not there");
}

export interface Git {
  readonly showsUntracked: boolean;
  /** Also where git fails. @throws AppError as `askGit` does */
  try(args: readonly string[], maxBytes?: number): Promise<{ code: number; text: string }>;
  /** @throws AppError as `askGit` does; conflict where git fails */
  run(args: readonly string[], maxBytes?: number): Promise<string>;
}

const PREFIX = "panewatch-git-";
const LEFT_BEHIND_MS = 10 * TIME_LIMIT_MS;

/** Of the repository, linked into our folder. */
const LINKED_FILES = ["objects", "refs", "packed-refs", "reftable", "shallow"];

const FIXED_SETTINGS = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.hooksPath=/dev/null",
  "core.attributesFile=/dev/null",
  // Larger files count as binary, and are not read into memory.
  "core.bigFileThreshold=1m",
].flatMap((setting) => ["-c", setting]);

/**
 * Runs git on a git folder of our own, with the objects, refs and index of the work tree but none of its
 * settings: they may name programs (filters, monitors, drivers, ways to fetch) that git would run. An
 * attribute of a file that names a driver without such a setting has no effect.
 * @param stopped ends git; the folder is removed all the same
 * @throws AppError timed_out, too_large, conflict for what git cannot read, unavailable without git
 */
export async function withGit<T>(
  tree: WorkTree,
  work: (git: Git) => Promise<T>,
  stopped?: AbortSignal,
): Promise<T> {
  const executable = findGit();
  if (executable === null) throw new AppError("unavailable", "git is not installed");
  await requireFiles(tree);
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const signal = stopped ? AbortSignal.any([limit, stopped]) : limit;
  const settings = await readSettings(executable, tree, signal);
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  try {
    await writeGitDir(folder, tree, settings);
    const argv = [executable, ...settings.args, ...FIXED_SETTINGS];
    const env = environment(folder, tree);
    const attempt = async (args: readonly string[], maxBytes = MAX_LIST_BYTES) => {
      const options = { env, signal, maxBytes, cwd: tree.top };
      const { code, stdout, stderr } = await askGit([...argv, ...args], options);
      return { code, text: new TextDecoder().decode(stdout), stderr };
    };
    return await work({
      showsUntracked: settings.showsUntracked,
      try: attempt,
      async run(args, maxBytes) {
        const { code, text, stderr } = await attempt(args, maxBytes);
        if (code !== 0) throw unreadable(`git ${args[0]} failed`, stderr);
        return text;
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireFiles({ gitDir, commonDir }: WorkTree): Promise<void> {
  const own = ["index", "config.worktree"].map((name) => join(gitDir, name));
  const shared = ["config", "packed-refs", "shallow", "info/exclude"];
  for (const path of [...own, ...shared.map((name) => join(commonDir, name))]) {
    const kind = await stat(path).catch(() => null);
    if (kind !== null && !kind.isFile()) throw unreadable(`its ${basename(path)} is no file`);
  }
}

/** Removes the folders of a killed service, by their age: those in use are young. */
export async function sweepGitDirs(folder = tmpdir()): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const path = join(folder, name);
    const kind = await lstat(path).catch(() => null);
    if (
      kind?.isDirectory() &&
      kind.uid === process.getuid?.() &&
      Date.now() - kind.mtimeMs > LEFT_BEHIND_MS
    )
      await rm(path, { recursive: true, force: true });
  }
}

async function writeGitDir(folder: string, tree: WorkTree, { extensions }: GitSettings) {
  // Git accepts no repository whose HEAD is a link to elsewhere.
  const head = await readPointer(join(tree.gitDir, "HEAD"));
  if (head === null) throw unreadable("it has no HEAD");
  // Git looks for the second file of a split index in its own folder.
  const names = await readdir(tree.gitDir).catch(() => []);
  const split = names.filter((name) => name.startsWith("sharedindex."));
  const version = extensions.length > 0 ? 1 : 0;
  const config = `[core]\n\trepositoryformatversion = ${version}\n\tbare = false\n`;
  await mkdir(join(folder, "info"));
  await Promise.all([
    writeFile(join(folder, "HEAD"), `${head}\n`),
    writeFile(join(folder, "config"), `${config}[extensions]\n${extensions.join("")}`),
    // A link to a missing file counts as a missing file.
    ...[...LINKED_FILES, "info/exclude"].map((name) =>
      symlink(join(tree.commonDir, name), join(folder, name)),
    ),
    ...split.map((name) => symlink(join(tree.gitDir, name), join(folder, name))),
  ]);
}

function environment(folder: string, tree: WorkTree) {
  return {
    ...BASE_ENVIRONMENT,
    PATH: process.env.PATH,
    HOME: folder,
    GIT_DIR: folder,
    GIT_WORK_TREE: tree.top,
    GIT_INDEX_FILE: join(tree.gitDir, "index"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    // Missing objects are not fetched.
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    GIT_LITERAL_PATHSPECS: "1",
  };
}

/** How file names and line ends are written: values, never programs. */
const FILE_SETTINGS = [
  "autocrlf",
  "eol",
  "filemode",
  "ignorecase",
  "symlinks",
  "precomposeunicode",
];
/** How objects and refs are stored. */
const FORMAT_SETTINGS = ["objectformat", "refstorage"];

const SETTING_NAMES =
  `^(core\\.(${FILE_SETTINGS.join("|")}|excludesfile)` +
  `|extensions\\.(${FORMAT_SETTINGS.join("|")})|status\\.showuntrackedfiles)$`;

type GitSettings = ReturnType<typeof repositorySettings>;

/** Reading settings runs no program, whoever wrote them. @throws AppError as `askGit` does */
async function readSettings(
  executable: string,
  { gitDir }: Pick<WorkTree, "gitDir">,
  signal: AbortSignal,
): Promise<GitSettings> {
  const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
  const env = { ...BASE_ENVIRONMENT, PATH, HOME, XDG_CONFIG_HOME, GIT_DIR: gitDir };
  const argv = [executable, "config", "--null", "--get-regexp", SETTING_NAMES];
  // The folder that the service was started in may be gone.
  const options = { env, signal, maxBytes: MAX_LIST_BYTES, cwd: gitDir };
  const { code, stdout, stderr } = await askGit(argv, options);
  // 1: none of them is set.
  if (code > 1) throw unreadable("its settings make no sense", stderr);
  return repositorySettings(parseSettings(new TextDecoder().decode(stdout)));
}

/** The settings of the person and the repository that are safe to take over. */
export function repositorySettings(values: ReadonlyMap<string, string>) {
  const set = FILE_SETTINGS.filter((name) => values.has(`core.${name}`));
  const named = values.get("core.excludesfile");
  const home = process.env.HOME || homedir();
  const usual = join(process.env.XDG_CONFIG_HOME || join(home, ".config"), "git/ignore");
  const excludes = named === undefined ? usual : (expandPath(named, home) ?? "/dev/null");
  return {
    args: [
      ...set.map((name) => `core.${name}=${values.get(`core.${name}`)}`),
      `core.excludesFile=${excludes}`,
    ].flatMap((setting) => ["-c", setting]),
    extensions: FORMAT_SETTINGS.flatMap((name) => {
      const value = values.get(`extensions.${name}`);
      return value !== undefined && /^\w+$/.test(value) ? [`\t${name} = ${value}\n`] : [];
    }),
    showsUntracked: values.get("status.showuntrackedfiles") !== "no",
  };
}

/** Output of `git config --null --get-regexp`; a later value of a name wins. */
export function parseSettings(text: string): Map<string, string> {
  const pairs = text.split("\0").map((piece): [string, string] => {
    const end = piece.indexOf("\n");
    // A name without a value means true.
    return end < 0 ? [piece, "true"] : [piece.slice(0, end), piece.slice(end + 1)];
  });
  return new Map(pairs.filter(([name]) => name !== ""));
}
