import { quoteWord } from "../../lib/quote.ts";
import type { Command } from "../arguments.ts";
import { isPath, placesOf, spellings, valueFlags } from "./tree.ts";

/** A function for bash 3.2 and later; it needs no other package. */
export function bashCompletions(commands: readonly Command[]): string {
  const places = placesOf(commands).map(({ typed, isCommand, next, flags }) => {
    const word = quoteWord(typed);
    const names = quoteWord(flags.flatMap(spellings).join(" "));
    const words = quoteWord(next.map((one) => one.word).join(" "));
    return `    ${word}${isCommand ? ` | ${word}\\ *` : ""}) next=${words} flags=${names} ;;`;
  });
  return `# eval "$(panewatch completions bash)"
_panewatch() {
  local current=\${COMP_WORDS[COMP_CWORD]} typed= next= flags= word i
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
      esac
      return
      ;;
    -*) ;;
    *) typed+=\${typed:+ }$word ;;
    esac
  done
  case $typed in
${places.join("\n")}
  esac
  [[ $current == -* ]] && next=$flags
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -F _panewatch panewatch
`;
}
