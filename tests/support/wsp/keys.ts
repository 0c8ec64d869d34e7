const NAMED: Readonly<Record<string, string>> = {
  enter: "\r",
  return: "\r",
  esc: "\x1b",
  escape: "\x1b",
  tab: "\t",
  space: " ",
  backspace: "\x7f",
  bs: "\x7f",
  left: "\x1b[D",
  right: "\x1b[C",
  up: "\x1b[A",
  down: "\x1b[B",
  "shift+tab": "\x1b[Z",
  minus: "-",
  comma: ",",
  period: ".",
  slash: "/",
  backslash: "\\",
  quote: "'",
  semicolon: ";",
  colon: ":",
  plus: "+",
};

/** Bytes of a key in the legacy keyboard mode; null for an `invalid_key`. */
export function bytesOfKey(key: string): string | null {
  const name = key.trim();
  const lower = name.toLowerCase();
  const named = NAMED[lower];
  if (named !== undefined) return named;
  if (lower === "c-c") return "\x03";
  if (/^f(?:1[3-9]|[2-9]\d|1\d\d|2[0-4]\d|25[0-5])$/.test(lower)) return "";
  const control = /^(?:ctrl|control)\+([a-z])$/.exec(lower)?.[1];
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) - 96);
  const isOne = [...name].length === 1 && !/[\n\r\t]/.test(name);
  return isOne ? name : null;
}
