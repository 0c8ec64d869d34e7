/** Kinds of questions that the shell over there answers. */
export type Question = "tmux" | "sh";

/** Programs that people install stand here; a session without login has a short PATH. */
const FOLDERS = [
  "/opt/homebrew/bin",
  "/usr/local/bin",
  "$HOME/.local/bin",
  "/opt/local/bin",
  "/snap/bin",
].join(":");

/**
 * What the POSIX shell at the other end runs for as long as the link stands: reads a question, hands
 * it to its program on stdin, and writes the answer between two marks, or only that it is the same
 * as the last one. A question whose end does not arrive is never begun. The mark stands in the
 * script in two parts: a shell that echoes what it reads is not taken for ready.
 */
export function farScript(mark: string): string {
  return `PATH=$PATH:${FOLDERS}; export PATH; unset TMUX TMUX_PANE
mark=${mark.slice(0, 4)}''${mark.slice(4)}
break='
'
last=
hand() { case $1 in tmux) tmux -u source-file - ;; *) /bin/sh ;; esac; }
serve() {
while read -r id kind; do
ask=
while IFS= read -r line || exit; do
[ "$line" = . ] && break
ask=$ask$line$break
done
all=$( { said=$( { hand "$kind" <<END
$ask
END
} 2>&1 >&3 3>&- ); printf '%s status %s\\n%s\\n' "$mark" "$?" "$said"; } 3>&1 )
if [ "$kind $ask$all" = "$last" ]; then printf '%s same %s\\n' "$mark" "$id"
else printf '%s begin\\n%s\\n%s done %s\\n' "$mark" "$all" "$mark" "$id"; last="$kind $ask$all"; fi
done
exit
}
printf '\\n%s ready %s\\n' "$mark" "$(tmux -V 2>/dev/null || :)"
serve
`;
}

/** A question as the shell reads it; no line of what it asks may be a dot alone. */
export function farQuestion(id: number, kind: Question, text: string): string {
  return `${id} ${kind}\n${text}${text.endsWith("\n") ? "" : "\n"}.\n`;
}
