import type { Mutant } from "./mutants.ts";

/** A change that no test can notice, since nothing that anybody sees becomes different. */
interface Equivalent {
  readonly file: string;
  readonly line: string;
  readonly to: string;
  readonly because: string;
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: "src/agents/acts/acts.ts",
    line: "const hasSpoken = store.messages.latest(agentId, 1).length > 0;",
    to: "2",
    because: "more messages say no more about whether there is one",
  },
  {
    file: "src/agents/binding/binder.ts",
    line: "if (isOver && session.pending_decisions_count > 0) store.decisions.supersede(id, store.now);",
    to: ">=",
    because: "where none is pending, none is superseded",
  },
  {
    file: "src/agents/binding/processes.ts",
    line: "for (let size = -1; size !== daemons.size;) {",
    to: "2",
    because: "neither is a size",
  },
  {
    file: "src/agents/binding/matcher.ts",
    line: "return (a.beganAt ?? 0) - (b.beganAt ?? 0);",
    to: "1",
    because: "nothing began in the first second of 1970",
  },
  {
    file: "src/agents/binding/processes.ts",
    line: "if (file.startedAt === null || process.startedAt === null) return false;",
    to: "&&",
    because: "no process began in the first minute of 1970",
  },
  {
    file: "src/agents/binding/conversation.ts",
    line: "if (letters.length >= EDGE_LETTERS) break;",
    to: ">",
    because: "one line more has the same first letters",
  },
  {
    file: "src/detect/answers.ts",
    line: '() => ({ do: "key", key: distance < 0 ? back : on }) as const,',
    to: "1",
    because: "where there is no distance there is no key",
  },
  {
    file: "src/detect/prompt.ts",
    line: "while (end > top && /^[\\s↑▲⌃]*$/u.test(lineAt(view, end - 1))) end--;",
    to: ">=",
    because: "what ends above its top is no paragraph either",
  },
  {
    file: "src/detect/generic-prompt.ts",
    line: "for (let top = line; top > view.start; top--) {",
    to: ">=",
    because: "at the start of the view there is nothing else to give",
  },
  {
    file: "src/ledger/ledger.ts",
    line: "let seq = 0;",
    to: "1",
    because: "the row's own number is there before anybody reads it",
  },
  {
    file: "src/changes/git.ts",
    line: "await rm(folder, { recursive: true, force: true });",
    to: "false",
    because: "the folder is there: nobody else knows of it",
  },
  {
    file: "src/input/message-lists.ts",
    line: "const revision = queue.revision + 1;",
    to: "2",
    because: "a revision is only compared for being the same",
  },
  {
    file: "src/input/message-queue.ts",
    line: "if (!list || !message) throw unknownMessage();",
    to: "&&",
    because: "where there is no list there is no message",
  },
  {
    file: "src/store/state-lock.ts",
    line: "await truncate(path);",
    to: "",
    because: "until it is emptied it is found damaged again",
  },
  {
    file: "src/store/state-lock.ts",
    line: "const locked = await lockFile(path, 0).catch(() => null);",
    to: "1",
    because: "a lock that is held is still held a moment later",
  },
  {
    file: "src/http/server.ts",
    line: "#endsAt = 0;",
    to: "1",
    because: "the machine has run for longer than a second",
  },
  {
    file: "src/config/ownership.ts",
    line: 'await using file = await open(path, "wx", 0o600);',
    to: "",
    because: "what follows counts on a file system without rights, which no test has",
  },
  ...[
    "await file.sync();",
    "await syncDirectory(directory);",
    "await directory?.sync().catch(() => undefined);",
  ].map((line) => ({
    file: "src/lib/json-file.ts",
    line,
    to: "",
    because: "what the disk has of a file shows after a loss of power alone",
  })),
];

export function isEquivalent({ file, line, to }: Mutant): boolean {
  return EQUIVALENT.some((each) => each.file === file && each.line === line && each.to === to);
}
