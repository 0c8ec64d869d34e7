/** A tmux command with its arguments. */
export type Command = readonly string[];

/** Commands one after another, until one fails. */
export type CommandLine = readonly Command[];

/** As arguments of the executable, where `;` ends a command. */
export function argumentsOf(line: CommandLine): string[] {
  return line.flatMap((command, index) => [
    ...(index === 0 ? [] : [";"]),
    ...command.map((argument) => argument.replace(/;$/, "\\;")),
  ]);
}

/**
 * As tmux reads lines from a file: no limit of arguments or bytes holds there. tmux runs what was
 * cut off inside a word as if it had ended there; an open `%if` is an error, and nothing is run.
 */
export function scriptOf(lines: readonly CommandLine[]): string {
  const commands = (line: CommandLine) => line.map((command) => command.map(quote).join(" "));
  const text = lines.map((line) => `${commands(line).join(" ; ")}\n`).join("");
  return `%if 1\n${text}%endif\n`;
}

/** What tmux would expand between double quotes, or break at, is written as its octal code. */
function quote(argument: string): string {
  return `"${argument.replace(/[\x00-\x1f\x7f"\\$~]/g, octal)}"`;
}

/** The ASCII characters of a text, each as tmux reads it between double quotes. */
export function octal(text: string): string {
  return [...text].map((char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`).join("");
}
