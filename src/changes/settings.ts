import { homedir } from "node:os";
import { join } from "node:path";
import { expandPath } from "../lib/inside.ts";
import { ask, MAX_LIST_BYTES, QUIET, unreadable } from "./ask.ts";
import type { WorkTree } from "./work-tree.ts";

/** How names and line ends are written: values, never programs. */
const OF_FILES = ["autocrlf", "eol", "filemode", "ignorecase", "symlinks", "precomposeunicode"];
/** How objects and refs are stored. */
const OF_FORMAT = ["objectformat", "refstorage"];

const WANTED =
  `^(core\\.(${OF_FILES.join("|")}|excludesfile)` +
  `|extensions\\.(${OF_FORMAT.join("|")})|status\\.showuntrackedfiles)$`;

/** What of git's settings, the person's and the repository's, holds here as well. */
export interface GitSettings {
  args: readonly string[];
  extensions: readonly string[];
  showsUntracked: boolean;
}

/** Reading settings runs no program, whoever wrote them. @throws AppError as `ask` does */
export async function readSettings(
  executable: string,
  { gitDir }: Pick<WorkTree, "gitDir">,
  signal: AbortSignal,
): Promise<GitSettings> {
  const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
  const env = { ...QUIET, PATH, HOME, XDG_CONFIG_HOME, GIT_DIR: gitDir };
  const argv = [executable, "config", "--null", "--get-regexp", WANTED];
  const { code, stdout, stderr } = await ask(argv, { env, signal, maxBytes: MAX_LIST_BYTES });
  // 1: none of them is set.
  if (code > 1) throw unreadable("its settings make no sense", stderr);
  return settingsOf(parseSettings(new TextDecoder().decode(stdout)));
}

export function settingsOf(values: ReadonlyMap<string, string>): GitSettings {
  const set = OF_FILES.filter((name) => values.has(`core.${name}`));
  const named = values.get("core.excludesfile");
  const home = process.env.HOME || homedir();
  const usual = join(process.env.XDG_CONFIG_HOME || join(home, ".config"), "git/ignore");
  const excludes = named === undefined ? usual : (expandPath(named, home) ?? "/dev/null");
  return {
    args: [
      ...set.map((name) => `core.${name}=${values.get(`core.${name}`)}`),
      `core.excludesFile=${excludes}`,
    ].flatMap((setting) => ["-c", setting]),
    extensions: OF_FORMAT.flatMap((name) => {
      const value = values.get(`extensions.${name}`);
      return value !== undefined && /^\w+$/.test(value) ? [`\t${name} = ${value}\n`] : [];
    }),
    showsUntracked: values.get("status.showuntrackedfiles") !== "no",
  };
}

/** What `git config --null --get-regexp` says; a later value of a name wins. */
export function parseSettings(text: string): Map<string, string> {
  const pairs = text.split("\0").map((piece): [string, string] => {
    const end = piece.indexOf("\n");
    // A name without a value is switched on.
    return end < 0 ? [piece, "true"] : [piece.slice(0, end), piece.slice(end + 1)];
  });
  return new Map(pairs.filter(([name]) => name !== ""));
}
