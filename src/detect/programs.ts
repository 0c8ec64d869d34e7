import type { DetectInput } from "./finding.ts";
import type { ScreenLine } from "./region.ts";
import { charCodes } from "./text.ts";

/** Programs that show text or edit it: that text asks nobody. */
const VIEWERS =
  /^(?:less|more|most|pager|man|bat|batcat|vi|vim|nvim|view|vimdiff|nano|pico|emacs|emacsclient|hx|helix|kak|micro|ne|joe|mcedit|mc|ranger|nnn|lf|yazi|top|htop|btop|atop|iotop|glances|watch|tail|journalctl|tig|lazygit|gitui|k9s|ncdu)$/;
/** Viewers that only print: beside another program they do not own the terminal. */
const PRINTERS = /^(?:bat|batcat|watch|tail|journalctl)$/;
/** Programs that show a terminal of their own server or of another machine. */
export const CARRIERS: ReadonlySet<string> = new Set(
  "ssh autossh mosh mosh-client et docker podman nerdctl kubectl lxc incus tmux screen zellij abduco dtach distrobox toolbox wsl devcontainer vagrant".split(
    " ",
  ),
);
const ASKERS = /^(?:fzf|sk|peco|percol|gum|whiptail|dialog|pinentry(?:-\w+)?|zenity)$/;
const GAUGE = /^--(?:gauge|progress|infobox|mixedgauge|progressbox|programbox|tailbox)$/;
/** Commands of `gum` that only show. */
const SHOWS = /^(?:spin|pager|format|log)$/;

export function programName(path: string): string {
  return baseName(path)
    .replace(/\.(?:[cm]?js|ts|py|exe|cmd)$/i, "")
    .toLowerCase();
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A pager, an editor or a monitor is in front, also behind a pipe, `sudo` or a script. */
export function isViewer(o: DetectInput): boolean {
  const { command, processes } = o;
  if (VIEWERS.test(baseName(command)) || showsViewer(o)) return true;
  return processes.some(([path = ""]) => {
    const name = baseName(path);
    return VIEWERS.test(name) && !PRINTERS.test(name);
  });
}

/** The program that draws has another terminal, of which the kernel says nothing here. */
export function isCarrier({ command, processes: [leader] }: DetectInput): boolean {
  return CARRIERS.has(baseName(command)) || CARRIERS.has(baseName(leader?.[0] ?? ""));
}

/** The status that tmux ends with; its current window is named after its program. */
const TMUX_STATUS = /^\[[^\]]*\] .*?\d+:(\S+?)\*|^\[[^\]]*\] +\d+:\S/;

/** Index of the status row that a tmux, screen or the like in the pane draws as its last row. */
export function statusRow(o: DetectInput): number | null {
  const { lines } = o.screen;
  const last = lines.at(-1);
  if (!last || !isCarrier(o)) return null;
  const isBar = o.cursor?.row !== o.height - 1 && lines.length >= o.height && isFilled(last);
  return isBar || TMUX_STATUS.test(last.text) ? lines.length - 1 : null;
}

/** Every letter has a background. */
function isFilled({ text, runs }: ScreenLine): boolean {
  let end = 0;
  for (const { start, length, style } of runs) {
    if (text.slice(end, start).trim() !== "" || (style.bg === undefined && !style.inverse))
      return false;
    end = start + length;
  }
  return end >= text.length;
}

/** The status row names a viewer as the program of its window. */
function showsViewer(o: DetectInput): boolean {
  const row = statusRow(o);
  const text = row === null ? "" : (o.screen.lines[row]?.text ?? "");
  return VIEWERS.test(TMUX_STATUS.exec(text)?.[1] ?? "");
}

export function isAsker({ command, processes }: DetectInput): boolean {
  const isOne = (path = "") => ASKERS.test(baseName(path));
  if (!isOne(command) && !processes.some(([path]) => isOne(path))) return false;
  const onlyShows = (args: readonly string[]) =>
    args.some((arg) => GAUGE.test(arg)) || (isOne(args[0]) && SHOWS.test(args[1] ?? ""));
  return !processes.some(onlyShows);
}

/** Longer lines are output, whatever they end with. */
const MAX_PROMPT_CHARS = 200;

/** Ends of prompts that do not begin with an arrow. */
const SIGNS = charCodes("$#%❯➜λ»>");

/**
 * A shell's prompt with nothing typed behind it: `user@host:~$`, `[user@host dir]#`, `%`,
 * `➜  dir git:(main)`, `❯`, fish's `user@host ~/dir>`.
 */
export function isShellPrompt(line: string): boolean {
  const text = line.trimEnd();
  if (text.length === 0 || text.length > MAX_PROMPT_CHARS) return false;
  if (!SIGNS.includes(text.charCodeAt(text.length - 1)) && !text.startsWith("➜")) return false;
  if (/^(?:[╰└][─╴]*)?\s?[$#%❯➜λ»]$/u.test(text)) return true;
  // "Total: 5$" and "written in C#" are output.
  if (/^(?:\S.*)?[\w\])}~/:.@-] ?[$❯λ]$/u.test(text)) return !/(?:^|\s)[\d.,]+ ?\$$/.test(text);
  if (/^\S*@.*#$|^[\w.]+-\d[\d.]*#$|^\S*[\])~/] ?#$|^[~/]\S* ?#$/.test(text)) return true;
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

/** A shell's line with a typed command or none: lines above it are history. */
export function isCommandLine(line: string): boolean {
  if (isShellPrompt(line)) return true;
  // Nobody indents a prompt, and most of what programs draw is indented.
  if (line === "" || line.startsWith(" ")) return false;
  return /^(?:\([\w.-]+\) )?(?:\[?[\w.-]+@[\w.-]+[^$#%>]{0,100}[$#%>]|[~/]\S*[$#%>]|[\w.-]+:[~/]\S*[$#%>]|\w[\w.-]*\$|\w*sh-\d[\d.]*#|[$#%λ]|➜ {2}\S+.{0,80}) \S/u.test(
    line,
  );
}

/** The prompt of an interpreter or a database client. */
export function isReplPrompt(line: string): boolean {
  return /^(?:>>>|In \[\d+\]:|\(Pdb\+*\)|\(gdb\)|\(lldb\)|ghci>|irb\(.*\):\S*[>*]|iex\(\d+\)>|julia>|R>|scala>|mysql>|MariaDB \[.*\]>|sqlite>|redis.*>|[\w.-]+[=-][>#]|[^\s<>]{0,16}(?:<\d+>)?>|[A-Z]+<\d+>)$/.test(
    line.trim(),
  );
}
