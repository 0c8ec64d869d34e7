import { join } from "node:path";
import { COMPLETIONS } from "../cli/completions/shells.ts";
import { renderManual } from "../cli/manual.ts";
import { COMMANDS } from "../cli/tree.ts";

/** Both are rendered from the table of commands, and so never older than it. */
export const writeManual = (folder: string): Promise<number> =>
  Bun.write(join(folder, "panewatch.1"), renderManual(COMMANDS));

export async function writeCompletions(
  place: (shell: string, file: string) => string,
): Promise<void> {
  for (const [shell, { file, render }] of Object.entries(COMPLETIONS))
    await Bun.write(place(shell, file), render(COMMANDS));
}
