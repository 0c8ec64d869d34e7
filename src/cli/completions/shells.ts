import { quoteWord } from "../../lib/words.ts";
import {
  type Choices,
  type Command,
  type Flag,
  flagsOf,
  operandsOf,
  spellings,
  commandWords,
} from "../command.ts";

function bashCompletions(commands: readonly Command[]): string {
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

function fishCompletions(commands: readonly Command[]): string {
  const rows = placesOf(commands).flatMap(({ typed, isCommand, next, flags, choices }) => {
    const patterns = isCommand ? [typed, `${typed} *`] : [typed];
    const at = `complete -c panewatch -n ${quote(`__panewatch_at ${patterns.map(quote).join(" ")}`)}`;
    const now =
      typeof choices === "string" ? [`${at} -a '(panewatch completions ${choices})'`] : [];
    return [
      ...now,
      ...next.map(({ word, help }) => `${at} -a ${word} -d ${quote(help)}`),
      ...flags.map((flag) => `${at} ${option(flag)} -d ${quote(flag.help)}`),
    ];
  });
  return `# panewatch completions fish | source
function __panewatch_at
    set -l typed
    set -l is_value no
    for word in (commandline -opc)[2..]
        if test $is_value = yes
            set is_value no
            continue
        end
        switch $word
            case ${valueFlags(commands).join(" ")}
                set is_value yes
            case '-*'
            case '*'
                set -a typed $word
        end
    end
    for pattern in $argv
        string match -q -- $pattern "$typed"; and return 0
    end
    return 1
end
complete -c panewatch -f
${rows.join("\n")}
`;
}

function option(flag: Flag): string {
  const { name, alias, value, choices } = flag;
  const names = alias === undefined ? `-l ${name}` : `-l ${name} -s ${alias}`;
  if (value === undefined) return names;
  const words = typeof choices === "object" ? ` -a ${quote(choices.join(" "))}` : "";
  return `${names} -r ${isPath(flag) ? "-F" : "-f"}${words}`;
}

/** In single quotes fish knows two escapes. */
const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** A file for a folder of `$fpath`, which can be evaluated as well. */
function zshCompletions(commands: readonly Command[]): string {
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

/** The shells whose completions are printed, each with the file name that its packages expect. */
export const COMPLETIONS = {
  bash: { file: "panewatch.bash", render: bashCompletions },
  zsh: { file: "_panewatch", render: zshCompletions },
  fish: { file: "panewatch.fish", render: fishCompletions },
} satisfies Readonly<
  Record<string, { file: string; render: (commands: readonly Command[]) => string }>
>;

interface CompletionPlace {
  /** `""`, `"service"`, `"service install"`. */
  typed: string;
  isCommand: boolean;
  next: readonly { word: string; help: string }[];
  flags: readonly Flag[];
  /** What its operands may be. */
  choices: Choices | null;
}

function placesOf(commands: readonly Command[]): readonly CompletionPlace[] {
  const shown = commands.filter(({ meta }) => !meta.hidden);
  const typed = shown.flatMap((one) => {
    const words = commandWords(one);
    return [...words, ""].map((_, count) => words.slice(0, count).join(" "));
  });
  return [...new Set(typed)].map((one) => {
    const own = shown.find(({ meta }) => meta.name === one);
    const next = nextWords(one, shown);
    const [operand] = own ? operandsOf(own) : [];
    return {
      typed: one,
      isCommand: next.length === 0,
      next,
      flags: own ? flagsOf(own) : [],
      choices: operand?.choices ?? null,
    };
  });
}

function nextWords(typed: string, commands: readonly Command[]): CompletionPlace["next"] {
  const before = typed === "" ? [] : typed.split(" ");
  const below = commands
    .map((one) => ({ words: commandWords(one), help: one.meta.description }))
    .filter(
      ({ words }) => words.length > before.length && before.every((word, at) => word === words[at]),
    );
  const found = [...new Set(below.map(({ words }) => words[before.length] ?? ""))];
  return found.map((word) => {
    const same = below.filter(({ words }) => words[before.length] === word);
    const whole = same.find(({ words }) => words.length === before.length + 1);
    const rest = same.map(({ words }) => words.slice(before.length + 1).join(" "));
    return { word, help: whole?.help ?? rest.join(", ") };
  });
}

/** Every spelling of the flags that have a value, of all commands. */
function valueFlags(
  commands: readonly Command[],
  is: (flag: Flag) => boolean = () => true,
): readonly string[] {
  const flags = commands.flatMap(flagsOf);
  return [...new Set(flags.filter((flag) => flag.value && is(flag)).flatMap(spellings))];
}

const isPath = ({ value }: Flag): boolean => value === "path";

/** The flags whose values are known words, by spelling, with these words. */
function chosenFlags(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const flags = commands.flatMap(flagsOf);
  return new Map(
    flags.flatMap((flag) =>
      typeof flag.choices === "object"
        ? spellings(flag).map((name) => [name, flag.choices as readonly string[]] as const)
        : [],
    ),
  );
}
