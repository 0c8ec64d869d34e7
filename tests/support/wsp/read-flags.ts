import type { Request } from "./answers.ts";

type Read = { id: string; request: Request; prints: "text" } | { usage: string };

const SOURCES: Readonly<Record<string, string>> = {
  visible: "visible",
  recent: "recent",
  "recent-unwrapped": "recent_unwrapped",
  recent_unwrapped: "recent_unwrapped",
  detection: "detection",
};

/** `pane read`: flags as `--flag value` or `--flag=value`. */
export function readFlags(words: readonly string[]): Read {
  const [pane, ...rest] = words;
  const params: Record<string, unknown> = { pane_id: pane, source: "recent", format: "text" };
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? "";
    if (!word.startsWith("-")) return { usage: `unexpected argument: ${word}\n` };
    if (word === "--ansi" || word === "--raw") {
      params.format = "ansi";
      continue;
    }
    const [flag = "", inline] = splitOnce(word);
    if (!["--source", "--lines", "--format"].includes(flag))
      return { usage: `unknown option: ${word}\n` };
    const value = inline ?? rest[++at] ?? "";
    const fault = set(params, flag, value);
    if (fault !== null) return { usage: `${fault}\n` };
  }
  return { id: "cli:pane:read", request: { method: "pane.read", params }, prints: "text" };
}

function set(params: Record<string, unknown>, flag: string, value: string): string | null {
  if (flag === "--source") {
    if (!(value in SOURCES)) return `invalid read source: ${value}`;
    params.source = SOURCES[value];
  } else if (flag === "--format") {
    if (value !== "text" && value !== "ansi") return `invalid read format: ${value}`;
    params.format = value;
  } else {
    if (!/^\+?\d+$/.test(value) || Number(value) > 4294967295)
      return `invalid value for --lines: ${value}`;
    params.lines = Number(value);
  }
  return null;
}

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
