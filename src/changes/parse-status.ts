export interface Mark {
  staged: boolean;
  unstaged: boolean;
  isConflict: boolean;
}

/** What `git status --porcelain=v2 --branch -z --no-renames` tells. */
export interface Status {
  /** Null where none is checked out. */
  branch: string | null;
  /** Whether there is a commit. */
  hasCommit: boolean;
  /** Of tracked files that changed. */
  marks: ReadonlyMap<string, Mark>;
  /** One that ends with `/` is a repository of its own. */
  untracked: readonly string[];
}

/** Words before the path of a changed file, and of one in conflict. */
const CHANGED = /^1 (\S\S)(?: \S+){6} ([^]+)$/;
const CONFLICTED = /^u (\S\S)(?: \S+){8} ([^]+)$/;

export function parseStatus(text: string): Status {
  const marks = new Map<string, Mark>();
  const untracked: string[] = [];
  let branch: string | null = null;
  let hasCommit = true;
  for (const piece of text.split("\0")) {
    if (piece.startsWith("? ")) {
      untracked.push(piece.slice(2));
      continue;
    }
    if (piece === "# branch.oid (initial)") hasCommit = false;
    if (piece.startsWith("# branch.head ")) branch = piece.slice(14);
    const [, state, path] = CHANGED.exec(piece) ?? CONFLICTED.exec(piece) ?? [];
    if (state === undefined || path === undefined) continue;
    const isConflict = piece.startsWith("u");
    marks.set(path, { staged: state[0] !== ".", unstaged: state[1] !== ".", isConflict });
  }
  return { branch: branch === "(detached)" ? null : branch, hasCommit, marks, untracked };
}
