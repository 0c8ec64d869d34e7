// What /proc of another machine says of a few panes, as text, read here as that of this machine is.
import type { Proc, TerminalModes } from "./proc.ts";

/** Printed first, with the architecture, where there is a /proc as Linux has it. */
const HEAD = "proc";
/** All that is printed where there is none. */
export const NO_PROC = "none\n";

/**
 * Prints what `terminalUse` asks for, but no memory, of the processes in front of each pane: those in the
 * foreground group of its terminal, and all that they have started. Files are read by the shell itself;
 * for one pane six programs are started.
 */
export const procScript = (roots: readonly number[]): string => `\
say() { printf '%s\\n' "$*"; }
[ -r /proc/self/task ] && cd /proc || { say none; exit 0; }
say ${HEAD} "$(uname -m)"
files=
for root in ${roots.join(" ")}; do
leader= seen=' ' front=' ' level=$root
while [ "$level" ]; do
next=
for pid in $level; do
case $seen in *" $pid "*) continue ;; esac
seen="$seen$pid " stat= kids=
read -r stat <"$pid/stat" || continue
read -r kids <"$pid/task/$pid/children"
say "$pid/stat" "$stat"
say "$pid/task/$pid/children" "$kids"
set -- \${stat##*') '}
[ "$leader" ] || leader=$6 next=$6
next="$next $kids"
case $front in *" $2 "*) front="$front$pid "; continue ;; esac
[ "$3" = "$leader" ] && front="$front$pid "
done
level=$next
done
for pid in $front; do
files="$files $pid"
for task in "$pid"/task/*; do
wchan= call= stat=
read -r wchan <"$task/wchan"
read -r call <"$task/syscall"
say "$task/wchan" "$wchan"
[ "$call" ] && say "$task/syscall" "$call"
case $wchan in '' | 0) read -r stat <"$task/stat" && say "$task/stat" "$stat" ;; esac
done
done
done
[ "$files" ] || exit 0
links=$(ls -ld $(printf '%s/fd/* ' $files))
say "$links"
grep -H ^tfd: $(printf '%s/fdinfo/* ' $files)
for tty in $(say "$links" | sed -n 's|.*/fd/[012] -> \\(/dev/pts/[0-9]*\\)$|\\1|p' | sort -u); do
say "$tty" $(stty -a <"$tty")
done
exit 0
`;

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "x64", aarch64: "arm64" };

/** @throws Error where the script did not run */
export function parseProc(output: string): Proc {
  const [head = "", ...lines] = output.split("\n");
  const [word, machine = ""] = head.split(" ");
  if (word !== HEAD) throw new Error("the processes there cannot be read");
  const texts = new Map<string, string>();
  const links = new Map<string, string>();
  for (const line of lines) {
    // `[^]`: where a lying host sends other line ends, `.` would begin again and again.
    const link = /\s(\d+\/fd\/\d+) -> ([^]*)$/.exec(line);
    const watched = /^(\d+\/fdinfo\/\d+):(tfd:[^]*)$/.exec(line);
    const [, path = "", text = ""] = watched ?? /^(\S+) ?([^]*)$/.exec(line) ?? [];
    if (link) links.set(link[1] ?? "", link[2] ?? "");
    else if (watched) texts.set(path, `${texts.get(path) ?? ""}${text}\n`);
    else texts.set(path, text);
  }
  const threads = Map.groupBy(
    texts.keys().flatMap((path) => [...path.matchAll(/^(\d+\/task)\/(.+)\/wchan$/g)]),
    ([, folder]) => folder,
  );
  // All threads of a process have the same files.
  const ofProcess = (path: string) => path.replace(/\/task\/\d+\/(?=fd)/, "/");
  const found = (value: string | undefined): string => {
    if (value !== undefined) return value;
    throw new Error("it was not read");
  };
  const link = (path: string) => found(links.get(ofProcess(path)));
  return {
    arch: ARCHITECTURES[machine] ?? machine,
    read: (path) => found(texts.get(ofProcess(path))),
    has: (path) => links.has(ofProcess(path)),
    link,
    list: (path) => (threads.get(path) ?? []).map(([, , thread = ""]) => thread),
    memory: () => null,
    modes: (path) => parseModes(texts.get(link(path)) ?? ""),
  };
}

/** Of `stty -a`. */
function parseModes(text: string): TerminalModes | null {
  const words = text.split(" ");
  if (!words.includes("icanon") && !words.includes("-icanon")) return null;
  return { lines: words.includes("icanon"), echo: words.includes("echo") };
}
