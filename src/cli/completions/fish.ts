import type { Command, Flag } from "../command.ts";
import { isPath, placesOf, valueFlags } from "./tree.ts";

export function fishCompletions(commands: readonly Command[]): string {
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
