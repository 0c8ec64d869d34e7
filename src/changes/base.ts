import type { ChangesRange } from "../protocol/changes.ts";
import type { Git } from "./git.ts";
import { noBase } from "./ask.ts";

/** Names of a base where the remote does not say which it is. */
const USUAL = ["main", "master"];
const REMOTE = "refs/remotes/origin/";

/** The branch that a branch is compared with, and the refs that stand for it. */
interface Base {
  name: string;
  refs: readonly string[];
}

/**
 * What the remote takes for its main branch, else main or master; null where only the branch itself
 * would be left.
 */
export async function findBase(
  git: Git,
  { branch, hasCommit }: { branch: string | null; hasCommit: boolean },
): Promise<Base | null> {
  if (!hasCommit) return null;
  const head = `${REMOTE}HEAD`;
  const format = "--format=%(refname) %(symref)";
  const usual = USUAL.flatMap((name) => refsOf(name));
  const told = parseRefs(await git.run(["for-each-ref", format, head, ...usual]));
  const target = told.get(head);
  const name = target?.startsWith(REMOTE)
    ? target.slice(REMOTE.length)
    : USUAL.find((each) => refsOf(each).some((ref) => told.has(ref)));
  if (name === undefined) return null;
  const known = USUAL.includes(name)
    ? told
    : parseRefs(await git.run(["for-each-ref", format, ...refsOf(name)]));
  const own = branch === null ? null : `refs/heads/${branch}`;
  const refs = refsOf(name).filter((ref) => known.has(ref) && ref !== own);
  return refs.length > 0 ? { name, refs } : null;
}

/**
 * Where the branch left its base, in whichever of its refs is nearest: the local one is often
 * older than the remote's, and one that was never pushed is newer. Null where they share nothing.
 */
async function findMergeBase(git: Git, { refs }: Base): Promise<string | null> {
  const { code, text } = await git.try(["merge-base", "HEAD", ...refs]);
  return code === 0 ? (text.split("\n")[0] ?? null) : null;
}

function refsOf(name: string): string[] {
  return [`refs/heads/${name}`, `${REMOTE}${name}`];
}

function parseRefs(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line): [string, string] => {
      const [ref = "", target = ""] = line.split(" ");
      return [ref, target];
    }),
  );
}

/** No textconv, no driver, no look into other repositories, and renames up to a number that is quick. */
export const DIFF = [
  ...["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty"],
  ...["--find-renames", "-l400", "--src-prefix=a/", "--dst-prefix=b/"],
];

/**
 * What the work tree is compared with: a commit, or the empty tree where there is none yet.
 * @param base null where there is none @throws AppError conflict without one that is asked for
 */
export async function findSince(
  git: Git,
  range: ChangesRange,
  { base, hasCommit }: { base: Base | null; hasCommit: boolean },
): Promise<string> {
  if (range === "head" && hasCommit) return "HEAD";
  if (range === "head") return (await git.run(["hash-object", "-t", "tree", "/dev/null"])).trim();
  const commit = base && (await findMergeBase(git, base));
  if (commit === null) throw noBase();
  return commit;
}
