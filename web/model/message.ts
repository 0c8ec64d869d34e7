import type { Written } from "./drafts.ts";
import type { Remark } from "./remark.ts";
import { cleanInput } from "./text.ts";

/** A remark is at most so long. */
export const MAX_REMARK = 2000;

/** What a message holds: the text, then the paths of its images, then the remarks. */
export function messageOf({ text, images, remarks }: Written): string {
  const paths = images.map((image) => image.text).join(" ");
  const space = text === "" || paths === "" || /\s$/.test(text) ? "" : " ";
  const words = text + space + paths;
  return [words, remarksMessage(remarks)].filter((part) => part !== "").join("\n\n");
}

/** In the order of the files and their lines. */
export const sortedRemarks = (remarks: readonly Remark[]): readonly Remark[] =>
  remarks.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));

/**
 * What a file says is nobody's command: no controls, one line each, and no `@` that begins a word,
 * since an agent reads the file that it names, unasked.
 */
const inOneLine = (text: string): string =>
  cleanInput(text)
    .text.replaceAll("\n", " ")
    .trim()
    .replace(/(?<![\p{L}\p{N}])@(?!\s)/gu, "＠");

/** One message of all remarks: for each its place, the line and what is said. */
export const remarksMessage = (remarks: readonly Remark[]): string =>
  sortedRemarks(remarks)
    .map(({ path, side, line, text, words }) => {
      // A name that begins like a command of an agent (!, /, #, @) must not be one.
      const name = inOneLine(path).replace(/^(?![\p{L}\p{N}._])/u, "./");
      const place = `${name}:${line}${side === "old" ? " (removed)" : ""}`;
      return `${place}\n> ${inOneLine(text)}\n${cleanInput(words).text.trim()}`;
    })
    .join("\n\n");
