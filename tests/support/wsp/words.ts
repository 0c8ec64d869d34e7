/** The arguments of the tool, parsed before any command sees them. */
type Parsed =
  { kind: "words"; words: string[]; session: string | null } | { kind: "usage"; stderr: string };

const USAGE = "run 'herdr --help' for usage\n";

/**
 * Cuts `--session` out of the arguments, wherever it stands before a bare `--`; the last one wins.
 * `session` is null when no flag named one.
 */
export function parseArguments(args: readonly string[], envSession: string | undefined): Parsed {
  const words: string[] = [];
  let session: string | null = null;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") {
      words.push(...args.slice(at));
      break;
    }
    let value: string | null = null;
    if (word === "--session") {
      const next = args[++at];
      if (next === undefined) return usage("missing value for --session");
      value = next;
    } else if (word.startsWith("--session=")) value = word.slice("--session=".length);
    if (value === null) words.push(word);
    else session = value;
  }
  // Only the name that wins is checked.
  const fault = session === null ? null : nameFault(session);
  if (fault !== null) return usage(fault);
  const end = words.indexOf("--");
  for (const word of end < 0 ? words : words.slice(0, end)) {
    const fault = remoteFault(word);
    if (fault !== null) return usage(fault);
  }
  if (session === null && envSession !== undefined) {
    const fault = nameFault(envSession);
    if (fault !== null) return usage(fault);
  }
  return { kind: "words", words, session };
}

function usage(message: string): Parsed {
  return { kind: "usage", stderr: `error: ${message}\n${USAGE}` };
}

function nameFault(name: string): string | null {
  if (name === "") return "session name cannot be empty";
  if (Buffer.byteLength(name) > 64) return "session name cannot be longer than 64 bytes";
  if (name === "." || name === "..") return "session name cannot be . or ..";
  if (/^[A-Za-z0-9._-]+$/.test(name)) return null;
  return "session name may only contain ASCII letters, numbers, '.', '_' and '-'";
}

function remoteFault(word: string): string | null {
  if (word === "--remote" || word === "--remote-keybindings") return `missing value for ${word}`;
  if (word.startsWith("--remote="))
    return "--remote can only be used with the default launch command";
  if (word.startsWith("--remote-keybindings="))
    return "--remote-keybindings must be 'local' or 'server'";
  return null;
}
