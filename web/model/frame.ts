/** What rules are drawn with: one of these, again and again. */
const RULE = "─━═╌╍┄┅┈┉▔▁▀▄";
const BORDER = "│┃║";

const CLOSED_BOX = new RegExp(`(?:^\\s*[${BORDER}].*?\\S|^\\s*[${BORDER}])(\\s*[${BORDER}]\\s*)$`);
const RULE_TO_THE_END = new RegExp(`[${RULE}]{4,}[╮┐┘╯┤╗╝╣]?\\s*$`);
const LEFT_BORDER = new RegExp(`^\\s*[${BORDER}] ?`);
const ONLY_DRAWN = new RegExp(`^[\\s${RULE}${BORDER}╭┌╔╰└╚├╠╹╻╸╺]*$`);

/** Where the right edge of a drawn box begins: its filler and its border; the end where there is none. */
export function edgeOf(text: string): number {
  const edge = CLOSED_BOX.exec(text)?.[1] ?? RULE_TO_THE_END.exec(text)?.[0];
  return text.length - (edge?.length ?? 0);
}

/** Whether an edge is a drawn line, which is cut where it does not fit, and no border on its own. */
export const isRuleAt = (text: string, at: number): boolean =>
  at < text.length && RULE.includes(text.charAt(at));

/** What stands in a drawn box; nothing of a line that is only drawn. */
export function unframed(text: string): string {
  const inner = text.slice(0, edgeOf(text)).replace(LEFT_BORDER, "").trimEnd();
  return ONLY_DRAWN.test(inner) ? "" : inner;
}
