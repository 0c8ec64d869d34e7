import { quoteWord } from "../../lib/quote.ts";
import type { Command } from "../arguments.ts";
import { isPath, placesOf, spellings, valueFlags } from "./tree.ts";

/** A file for a folder of `$fpath`, which can be evaluated as well. */
export function zshCompletions(commands: readonly Command[]): string {
  const places = placesOf(commands).map(({ typed, isCommand, next, flags }) => {
    const word = quoteWord(typed);
    const rows = next.map((one) => row(one.word, one.help));
    const options = flags.flatMap((flag) => spellings(flag).map((name) => row(name, flag.help)));
    return `    (${word}${isCommand ? `|${word}\\ *` : ""})
      next=(${rows.join(" ")})
      flags=(${options.join(" ")}) ;;`;
  });
  return `#compdef panewatch
# eval "$(panewatch completions zsh)"
_panewatch() {
  local typed= word i
  local -a next flags
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    case $word in
      (--) return ;;
      (${valueFlags(commands).join("|")})
        ((++i < CURRENT)) && continue
        case $word in
          (${valueFlags(commands, isPath).join("|")}) _files ;;
        esac
        return ;;
      (-*) ;;
      (*) typed+=\${typed:+ }$word ;;
    esac
  done
  case $typed in
${places.join("\n")}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o flag flags
  else
    _describe command next
  fi
}
if [[ \${funcstack[1]} == _panewatch ]]; then
  _panewatch "$@"
else
  compdef _panewatch panewatch
fi
`;
}

const row = (name: string, help: string): string => quoteWord(`${name}:${help}`);
