/** Longer lines are output, whatever they end with. */
const MAX_PROMPT_CHARS = 200;

/** What a prompt ends with, if it does not begin with an arrow. */
const SIGNS = "$#%❯➜λ»>";

/**
 * A shell's prompt with nothing typed behind it: `user@host:~$`, `[user@host dir]#`, `%`,
 * `➜  dir git:(main)`, `❯`, fish's `user@host ~/dir>`.
 */
export function isShellPrompt(line: string): boolean {
  const text = line.trimEnd();
  if (text.length === 0 || text.length > MAX_PROMPT_CHARS) return false;
  if (!SIGNS.includes(text.at(-1) ?? " ") && text[0] !== "➜") return false;
  if (/^(?:[╰└][─╴]*)?\s?[$#%❯➜λ»]$/u.test(text)) return true;
  // "Total: 5$" and "written in C#" are output.
  if (/^(?:\S.*)?[\w\])}~/:.@-] ?[$❯λ]$/u.test(text)) return !/(?:^|\s)[\d.,]+ ?\$$/.test(text);
  if (/^\S*@.*#$|^[\w.]+-\d[\d.]*#$|^\S*[\])~/] ?#$/.test(text)) return true;
  if (/^\S*[\w\])~/@] ?%$|^\S+@\S+ \S+ %$/.test(text)) return !/\d%$/.test(text);
  if (/^➜ {1,2}\S+(?: git:\(.*\))?(?: ✗)?$/u.test(text)) return true;
  return (
    /^\S+@\S+ [~/]\S*(?: \(.*\))?>$/.test(text) || /^(?:PS )?[A-Z]:\\.*>$|^PS \/.*>$/.test(text)
  );
}

/** The last line of a pager: `:`, `(END)`, `notes.txt (END)`, `--More--`, a count of lines. */
export function isPagerPrompt(line: string): boolean {
  return /^(?::|(?:\S.{0,200} )?\(END\)|--More--.*|lines \d+-\d+.*|Manual page .*|.*\(press h for help or q to quit\))$/.test(
    line.trim(),
  );
}

/** A line on which a person typed a command, or may have: what stands above it is over. */
export function isCommandLine(line: string): boolean {
  if (isShellPrompt(line)) return true;
  // Nobody indents a prompt, and most of what programs draw is indented.
  if (line.startsWith(" ")) return false;
  return /^(?:\([\w.-]+\) )?(?:\[?[\w.-]+@[\w.-]+[^$#%>]{0,100}[$#%>]|[~/]\S*[$#%>]|[\w.-]+:[~/]\S*[$#%>]|\w[\w.-]*\$|[$#%λ]|➜ {2}\S+.{0,80}) \S/u.test(
    line,
  );
}

/** The prompt of an interpreter or a database client that waits for its next line. */
export function isReplPrompt(line: string): boolean {
  return /^(?:>>>|In \[\d+\]:|\(Pdb\+*\)|\(gdb\)|\(lldb\)|ghci>|irb\(.*\):\S*[>*]|iex\(\d+\)>|julia>|R>|scala>|mysql>|MariaDB \[.*\]>|sqlite>|redis.*>|[\w.-]+[=-][>#]|[^\s<>]{0,16}(?:<\d+>)?>|[A-Z]+<\d+>)$/.test(
    line.trim(),
  );
}
