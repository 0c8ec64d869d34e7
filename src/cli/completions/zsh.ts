import { quoteWord } from "../../lib/quote.ts";
import { type Command, spellings } from "../command.ts";
import { chosenFlags, isPath, placesOf, valueFlags } from "./tree.ts";

/** A file for a folder of `$fpath`, which can be evaluated as well. */
export function zshCompletions(commands: readonly Command[]): string {
  const places = placesOf(commands).map(({ typed, isCommand, next, flags, choices }) => {
    const word = quoteWord(typed);
    const rows = next.map((one) => row(one.word, one.help));
    const options = flags.flatMap((flag) => spellings(flag).map((name) => row(name, flag.help)));
    const now = typeof choices === "string" ? ` now=${choices}` : "";
    return `    (${word}${isCommand ? `|${word}\\ *` : ""})
      next=(${rows.join(" ")})
      flags=(${options.join(" ")})${now} ;;`;
  });
  const chosen = [...chosenFlags(commands)].map(
    ([flag, words]) => `          (${flag}) compadd -- ${words.map(quoteWord).join(" ")} ;;`,
  );
  return `#compdef panewatch
# eval "$(panewatch completions zsh)"
_panewatch() {
  local typed= now= word i
  local -a next flags
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    case $word in
      (--) return ;;
      (${valueFlags(commands).join("|")})
        ((++i < CURRENT)) && continue
        case $word in
          (${valueFlags(commands, isPath).join("|")}) _files ;;
${chosen.join("\n")}
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
  elif [[ -n $now ]]; then
    compadd -- \${(f)"$(panewatch completions $now 2>/dev/null)"}
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
