/** An input line, alone or in a box: what is behind its mark is a person's. */
const INPUT = /^[\s│▌]*[›❯>](?:\s|$)/u;
/** A row of the box that OpenCode types into. */
const BOX = /^\s*[┃╹]/u;
const BULLET = /^\s*[●⏺•✦◆◇]\ufe0e?\s+/u;
/** Rules and blank rows, the end of a turn, what stands far to the right, keys and folders. */
const FURNITURE: readonly RegExp[] = [
  /^[^\p{L}\p{N}]*$/u,
  /^\s*(?:[^\p{L}\p{N}\s]\s+)?\p{Lu}\p{L}+ for [<\d]/u,
  /^\s*▣ /u,
  /^\s{20,}\S/u,
  /\b(?:shift|ctrl|esc|tab)\b ?[+·)]|\bctrl\+|for shortcuts|· \/\w+|· esc\b/iu,
  /^\s*[~/]\S*(?:\s+[[(].*)?$/u,
];

/**
 * The last line that an agent said above its input line, without its bullet; null where no input line
 * is known, or nothing was said since the person's own words. What a program writes around and below
 * its input line is never it.
 */
export function lastSaid(lines: readonly string[]): string | null {
  const input = lines.findLastIndex((line) => INPUT.test(line));
  let at = input < 0 ? lines.findLastIndex((line) => BOX.test(line)) : input;
  const isFurniture = (line: string) =>
    (input < 0 && BOX.test(line)) || FURNITURE.some((pattern) => pattern.test(line));
  for (at -= 1; at >= 0; at -= 1) {
    const line = lines[at] ?? "";
    if (INPUT.test(line)) return null;
    if (!isFurniture(line)) return line.replace(BULLET, "").trim();
  }
  return null;
}
