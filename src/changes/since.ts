import type { ChangesRange } from "../protocol/changes.ts";
import { type Base, findMergeBase } from "./base.ts";
import type { Git } from "./git.ts";
import { noBase } from "./refusals.ts";

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
