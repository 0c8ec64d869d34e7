import type { DetectInput } from "./finding.ts";

/** Programs that show text or edit it: what they show asks nobody. */
const VIEWERS =
  /^(?:less|more|most|man|bat|batcat|vi|vim|nvim|view|vimdiff|nano|pico|emacs|emacsclient|hx|helix|kak|micro|ne|joe|mcedit|mc|ranger|nnn|lf|yazi|top|htop|btop|atop|iotop|glances|watch|tail|journalctl|tig|lazygit|gitui|k9s|ncdu|tmux|screen)$/;
/** Those that print without taking the terminal: beside another program they say nothing. */
const PRINTERS = /^(?:bat|batcat|watch|tail|journalctl|tmux|screen)$/;
/** Programs that exist to ask. */
const ASKERS = /^(?:fzf|sk|peco|percol|gum|whiptail|dialog|pinentry(?:-\w+)?|zenity)$/;
const GAUGE = /^--(?:gauge|progress|infobox|mixedgauge|programbox|tailbox)$/;

/** Base name of a program, without the extension of a script and in lower case. */
export function programName(path: string): string {
  return baseName(path)
    .replace(/\.(?:[cm]?js|ts|py|exe|cmd)$/i, "")
    .toLowerCase();
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A pager, an editor or a monitor is in front, also behind a pipe, `sudo` or a script. */
export function isViewer({ command, processes }: DetectInput): boolean {
  if (VIEWERS.test(baseName(command))) return true;
  return processes.some(([path = ""]) => {
    const name = baseName(path);
    return VIEWERS.test(name) && !PRINTERS.test(name);
  });
}

/** The status that tmux in a pane ends with; its current window is named after its program. */
const TMUX_STATUS = /^\[[^\]]*\] .*?\d+:(\S+?)\*|^\[[^\]]*\] +\d+:\S/;

export function isTmuxStatus(line: string): boolean {
  return TMUX_STATUS.test(line);
}

export function showsViewer(tmuxStatus: string): boolean {
  return VIEWERS.test(TMUX_STATUS.exec(tmuxStatus)?.[1] ?? "");
}

export function isAsker({ command, processes }: DetectInput): boolean {
  if (processes.some((args) => args.some((arg) => GAUGE.test(arg)))) return false;
  const names = [command, ...processes.map(([path = ""]) => path)];
  return names.some((name) => ASKERS.test(baseName(name)));
}
