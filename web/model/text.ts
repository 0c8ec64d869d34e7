/** Invisible characters that change how text is read. */
const HIDDEN: Readonly<Record<number, string>> = {
  0x061c: "ALM",
  0x200b: "ZWSP",
  0x200e: "LRM",
  0x200f: "RLM",
  0x202a: "LRE",
  0x202b: "RLE",
  0x202c: "PDF",
  0x202d: "LRO",
  0x202e: "RLO",
  0x2060: "WJ",
  0x2066: "LRI",
  0x2067: "RLI",
  0x2068: "FSI",
  0x2069: "PDI",
  0xfeff: "BOM",
};
const HIDDEN_PATTERN = /([\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff])/;

type Piece = { readonly text: string } | { readonly mark: string };

export const hasHidden = (text: string): boolean => HIDDEN_PATTERN.test(text);

/** Splits out invisible characters, so that they can be drawn. */
export function visiblePieces(text: string): readonly Piece[] {
  if (!hasHidden(text)) return [{ text }];
  return text.split(HIDDEN_PATTERN).flatMap((part): Piece[] => {
    const mark = HIDDEN[part.codePointAt(0) ?? 0];
    if (mark !== undefined) return [{ mark }];
    return part === "" ? [] : [{ text: part }];
  });
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** CRLF becomes LF; other control characters are dropped, and `removed` is their number. */
export function cleanInput(text: string) {
  const unified = text.replace(/\r\n?/g, "\n");
  const clean = unified.replace(CONTROLS, "");
  return { text: clean, removed: unified.length - clean.length };
}
