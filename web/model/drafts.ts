import { isLike, keyOf, parseMembers, stringMembers } from "./stored.ts";
import { cleanInput } from "./text.ts";

interface DraftImage {
  readonly name: string;
  /** The path on the server, quoted for a shell. */
  readonly text: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
}

export interface Draft {
  readonly text: string;
  /** The freeform option that the text is for, and the prompt that the option belongs to. */
  readonly choice: { readonly key: string; readonly signature: string } | null;
  /** Uploaded already. */
  readonly images: readonly DraftImage[];
  readonly remarks: readonly Remark[];
  readonly writing: Remark | null;
  /** By id of the queued message. */
  readonly edits: Readonly<Record<string, string>>;
  /** Name of the pane, shown once the pane itself is gone. */
  readonly name: string;
  /**
   * Place keys of the other panes at the time of writing: they tell a restart from a closed pane.
   */
  readonly beside: readonly string[];
  /** Epoch milliseconds. */
  readonly savedAt: number;
}

const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const PREFIX = keyOf("draft.");

export interface DraftPlace {
  readonly id: string;
  readonly target: string;
}

/** `#` separates: both parts are encoded and contain none. */
export const placeKey = ({ id, target }: DraftPlace): string =>
  `${encodeURIComponent(target)}#${encodeURIComponent(id)}`;

export const draftKey = (server: string, place: DraftPlace): string =>
  `${PREFIX}${server}.${placeKey(place)}`;

/** Null for a key of another server, or of another kind. */
export function draftPlace(key: string, server: string): DraftPlace | null {
  const start = `${PREFIX}${server}.`;
  if (!key.startsWith(start)) return null;
  const [target = "", id = ""] = key.slice(start.length).split("#");
  try {
    return { target: decodeURIComponent(target), id: decodeURIComponent(id) };
  } catch {
    return null;
  }
}

/**
 * Whether a pane takes the draft that another one left in its place: after a restart of the
 * multiplexer, when neither that pane nor any neighbour is where it was. While one of them still
 * is, this pane has only moved into the place and must not get the words; a former neighbour must
 * never get them.
 */
export function isDraftOf(
  pane: DraftPlace,
  place: DraftPlace,
  draft: Draft,
  listed: readonly DraftPlace[],
): boolean {
  if (pane.target !== place.target) return false;
  if (listed.some(({ id }) => id === place.id)) return false;
  const here = new Set(listed.map(placeKey));
  const own = `#${encodeURIComponent(pane.id)}`;
  return !draft.beside.some((other) => here.has(other) || other.endsWith(own));
}

export const isDraftKey = (key: string): boolean => key.startsWith(PREFIX);

/** Null for anything malformed or older than seven days. */
export function parseDraft(stored: string | null, nowMs: number): Draft | null {
  const { text, choice, images, remarks, writing, edits, name, beside, savedAt } =
    parseMembers(stored);
  if (typeof text !== "string" || typeof savedAt !== "number") return null;
  if (nowMs - savedAt > KEPT_MS) return null;
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  return {
    text,
    choice: isLike({ key: "", signature: "" }, choice) ? choice : null,
    // The server has deleted expired images.
    images: list(images).filter(
      (image): image is DraftImage => isLike(IMAGE, image) && image.expiresAt * 1000 > nowMs,
    ),
    remarks: list(remarks).filter(isRemark),
    writing: isRemark(writing) ? writing : null,
    edits: stringMembers(edits),
    name: typeof name === "string" ? name : "",
    beside: list(beside).filter((one) => typeof one === "string"),
    savedAt,
  };
}

const IMAGE: DraftImage = { name: "", text: "", expiresAt: 0 };

export type MessageParts = Pick<Draft, "text" | "images" | "remarks">;

export const isEmpty = ({ text, choice, images, remarks, writing, edits }: Draft): boolean =>
  text === "" &&
  choice === null &&
  writing === null &&
  images.length + remarks.length + Object.keys(edits).length === 0;

/** What of a draft remains after a send: anything written since stays. */
export function withoutSent(draft: Draft, sent: Partial<MessageParts>): Partial<Draft> {
  const isSame = sent.text !== undefined && sent.text === draft.text;
  const images = draft.images.filter(
    (image) => !sent.images?.some(({ text }) => text === image.text),
  );
  const remarks = draft.remarks.filter(
    ({ id, words }) => !sent.remarks?.some((one) => one.id === id && one.words === words),
  );
  return { ...(isSame ? { text: "", choice: null } : {}), images, remarks };
}

/** Without its choice once the prompt has changed; the text stays. */
export function followPrompt(draft: Draft, signature: string | null): Draft {
  if (draft.choice === null || draft.choice.signature === signature) return draft;
  return { ...draft, choice: null };
}

/** A comment on one changed line, kept in this browser until it is sent. */
export interface Remark {
  readonly id: string;
  /** The work tree: the pane may be in another one by now. */
  readonly top: string;
  readonly path: string;
  readonly side: "old" | "new";
  readonly line: number;
  readonly text: string;
  readonly words: string;
}

const REMARK = { id: "", top: "", path: "", side: "", line: 0, text: "", words: "" };
const isRemark = (value: unknown): value is Remark =>
  isLike(REMARK, value) && (value.side === "old" || value.side === "new");

/** In characters. */
export const MAX_REMARK = 2000;

export function messageOf({ text, images, remarks }: MessageParts): string {
  const paths = images.map((image) => image.text).join(" ");
  const space = text === "" || paths === "" || /\s$/.test(text) ? "" : " ";
  const words = text + space + paths;
  return [words, remarksMessage(remarks)].filter((part) => part !== "").join("\n\n");
}

export const sortedRemarks = (remarks: readonly Remark[]): readonly Remark[] =>
  remarks.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));

/**
 * Text of a file must not act as a command to the agent: no control characters, one line, and no
 * `@` that begins a word, since agents open the file that it names.
 */
const inOneLine = (text: string): string =>
  cleanInput(text)
    .text.replaceAll("\n", " ")
    .trim()
    .replace(/(?<![\p{L}\p{N}])@(?!\s)/gu, "＠");

export const remarksMessage = (remarks: readonly Remark[]): string =>
  sortedRemarks(remarks)
    .map(({ path, side, line, text, words }) => {
      // A path must not begin like an agent's command (!, /, #, @).
      const name = inOneLine(path).replace(/^(?![\p{L}\p{N}._])/u, "./");
      const place = `${name}:${line}${side === "old" ? " (removed)" : ""}`;
      return `${place}\n> ${inOneLine(text)}\n${cleanInput(words).text.trim()}`;
    })
    .join("\n\n");
