/** What stands for the shells of other machines; `npm test` installs them where it can. */
const SHELLS = ["bash", "busybox", "dash", "fish", "zsh"];

const isLocalPane = (command: string) => Bun.which(command.split(" ")[0] ?? "") !== null;

/** One line, or none where all are here. */
export function tellMissing(commands: readonly string[] = SHELLS): string {
  const missing = commands.filter((command) => !isLocalPane(command));
  if (missing.length === 0) return "";
  return `not tested, since not on this machine: ${missing.length} of ${commands.length} shells (${missing.join(", ")})\n`;
}

/** Of these commands those whose shell is on this machine; the others are told, and fail nothing. */
export function shellsHere<T extends string>(commands: readonly T[]): T[] {
  process.stderr.write(tellMissing(commands));
  return commands.filter(isLocalPane);
}
