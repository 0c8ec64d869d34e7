/** What stands for the shells of other machines; `npm test` installs them where it can. */
const SHELLS = ["bash", "busybox", "dash", "fish", "zsh"];

const isInstalled = (command: string) => Bun.which(command.split(" ")[0] ?? "") !== null;

/** A line that names the missing ones; empty where none is missing. */
export function tellMissing(commands: readonly string[] = SHELLS): string {
  const missing = commands.filter((command) => !isInstalled(command));
  if (missing.length === 0) return "";
  return `not tested, since not on this machine: ${missing.length} of ${commands.length} shells (${missing.join(", ")})\n`;
}

/** The commands whose shell is on this machine; the missing ones are printed, and fail nothing. */
export function shellsHere<T extends string>(commands: readonly T[]): T[] {
  process.stderr.write(tellMissing(commands));
  return commands.filter(isInstalled);
}
