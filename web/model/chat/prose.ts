/**
 * The formatting that is read: fenced code, inline code and links. Everything else stays as
 * written, and no character is lost or added.
 */
export type ProseBlock =
  | { readonly kind: "prose"; readonly pieces: readonly ProsePiece[] }
  | {
      readonly kind: "code";
      /** `open` and `close` are the fence lines; `close` is empty where the text ends first. */
      readonly open: string;
      readonly text: string;
      readonly close: string;
    };

export type ProsePiece =
  | { readonly kind: "text"; readonly text: string }
  /** `mark` is the delimiter on both sides. */
  | { readonly kind: "code"; readonly text: string; readonly mark: string }
  /** `text` is as written; `href` is http or https. */
  | { readonly kind: "link"; readonly text: string; readonly href: string };

/** Parts that are read of a message or paragraph: thousands would block the page for seconds. */
export const MAX_PARTS = 500;
const FENCE = /^[ \t]*(`{3,}|~{3,}(?!~))[^`\n]*$/;
/**
 * Inline code, or a possible link. A link ends at invisible characters, so that none can look like
 * another.
 */
const INLINE =
  /(?<!`)(`{1,2})(?!`)([^`\n]+)\1(?!`)|\bhttps?:\/\/[^\s<>"`\u0000-\u0020\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gi;
/** Trailing punctuation is not part of a link. */
const TRAILING = ".,;:!?'*_~|\\";
const BRACKETS = ["()", "[]", "{}"];

export function parseProse(source: string): readonly ProseBlock[] {
  const lines = source.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const blocks: ProseBlock[] = [];
  let prose = "";
  const endProse = () => {
    if (prose !== "") blocks.push({ kind: "prose", pieces: parsePieces(prose) });
    prose = "";
  };
  for (let at = 0; at < lines.length; at++) {
    const open = lines[at] ?? "";
    const fence = FENCE.exec(open.trimEnd())?.[1];
    if (fence === undefined || blocks.length >= MAX_PARTS) {
      prose += open;
      continue;
    }
    endProse();
    let last = at + 1;
    while (last < lines.length && !isEnd(lines[last] ?? "", fence)) last += 1;
    const text = lines.slice(at + 1, last).join("");
    blocks.push({ kind: "code", open, text, close: lines[last] ?? "" });
    at = last;
  }
  endProse();
  return blocks;
}

export const pieceSource = (piece: ProsePiece): string =>
  piece.kind === "code" ? piece.mark + piece.text + piece.mark : piece.text;

function isEnd(line: string, fence: string): boolean {
  const mark = line.trim();
  return mark.length >= fence.length && mark === (fence[0] ?? "").repeat(mark.length);
}

function parsePieces(prose: string): readonly ProsePiece[] {
  const pieces: ProsePiece[] = [];
  let from = 0;
  for (const match of prose.matchAll(INLINE)) {
    const [found, mark, code] = match;
    const piece =
      mark !== undefined && code !== undefined
        ? ({ kind: "code", text: code, mark } as const)
        : linkOf(found);
    if (piece === null) continue;
    if (pieces.length >= MAX_PARTS) break;
    if (match.index > from) pieces.push({ kind: "text", text: prose.slice(from, match.index) });
    pieces.push(piece);
    from = match.index + pieceSource(piece).length;
  }
  if (from < prose.length) pieces.push({ kind: "text", text: prose.slice(from) });
  return pieces;
}

function linkOf(found: string): ProsePiece | null {
  const countOf = (sign = "") => found.split(sign).length;
  const unopened = new Map(
    BRACKETS.map(([open, close = ""]) => [close, countOf(close) - countOf(open)]),
  );
  let end = found.length;
  for (; ; end -= 1) {
    const last = found.charAt(end - 1);
    const more = unopened.get(last) ?? 0;
    if (more > 0) unopened.set(last, more - 1);
    else if (!TRAILING.includes(last)) break;
  }
  const text = found.slice(0, end);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null;
  return { kind: "link", text, href: url.href };
}
