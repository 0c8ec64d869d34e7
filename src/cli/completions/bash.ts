import { quoteWord } from "../../lib/quote.ts";
import { type Command, spellings } from "../command.ts";
import { chosenFlags, isPath, placesOf, valueFlags } from "./tree.ts";

/** A function for bash 3.2 and later; it needs no other package. */
export function bashCompletions(commands: readonly Command[]): string {
  const places = placesOf(commands).map(({ typed, isCommand, next, flags, choices }) => {
    const word = quoteWord(typed);
    const names = quoteWord(flags.flatMap(spellings).join(" "));
    const words = quoteWord(next.map((one) => one.word).join(" "));
    const now = typeof choices === "string" ? ` now=${choices}` : "";
    return `    ${word}${isCommand ? ` | ${word}\\ *` : ""}) next=${words} flags=${names}${now} ;;`;
  });
  const chosen = [...chosenFlags(commands)].map(
    ([flag, words]) => `      ${flag}) next=${quoteWord(words.join(" "))} ;;`,
  );
  return `# eval "$(panewatch completions bash)"
_panewatch() {
  local current=\${COMP_WORDS[COMP_CWORD]} typed= next= flags= now= word i
  COMPREPLY=()
  # Of --flag=value bash makes three words.
  [[ $current == = ]] && current=
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
    --) return ;;
    ${valueFlags(commands).join(" | ")})
      [[ \${COMP_WORDS[i + 1]} == = ]] && ((i++))
      ((++i < COMP_CWORD)) && continue
      case $word in
      ${valueFlags(commands, isPath).join(" | ")}) compopt -o default 2>/dev/null ;;
${chosen.join("\n")}
      esac
      COMPREPLY=($(compgen -W "$next" -- "$current"))
      return
      ;;
    -*) ;;
    *) typed+=\${typed:+ }$word ;;
    esac
  done
  case $typed in
${places.join("\n")}
  esac
  [[ -n $now ]] && _panewatch_now "$now"
  [[ $current == -* ]] && next=$flags
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
# A colon divides words for bash: what stands before the last one is no part of what is completed.
_panewatch_now() {
  local line=\${COMP_LINE-} before
  [[ $line == *[[:space:]]* ]] && line=\${line:0:\${COMP_POINT-0}} before=\${line##*[[:space:]]}
  next=$(panewatch completions "$1" 2>/dev/null)
  [[ $COMP_WORDBREAKS == *:* && \${before-} == *:* ]] || return
  before=\${before%:*}:
  next=$(while read -r word; do [[ $word == "$before"* ]] && printf '%s\\n' "\${word#"$before"}"; done <<<"$next")
  [[ $current == : ]] && current=
}
complete -F _panewatch panewatch
`;
}
