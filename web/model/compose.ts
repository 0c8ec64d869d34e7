import { asks, isGuarded, type Pane } from "./pane.ts";

/** Limit of guarded panes and of queued messages, in characters. */
export const MESSAGE_LIMIT = 8000;

export interface Problem {
  readonly kind: "shell_lines" | "over_prompt" | "one_line" | "too_long";
  /** A final problem blocks Send; any other asks for a second tap. */
  readonly isFinal: boolean;
}

/** What stands against sending this text; `isLater`: it is queued until the agent is free. */
export function composeProblem(pane: Pane, text: string, isLater = false): Problem | null {
  const isLong = text.trimEnd().includes("\n");
  if (isGuarded(pane) && isLong) return { kind: "one_line", isFinal: true };
  if ((isGuarded(pane) || isLater) && text.length > MESSAGE_LIMIT)
    return { kind: "too_long", isFinal: true };
  if (isLater) return null;
  if (asks(pane)) return { kind: "over_prompt", isFinal: false };
  if (pane.kind === "shell" && isLong) return { kind: "shell_lines", isFinal: false };
  return null;
}

export function joinLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");
}

/** The types that the server accepts (`src/protocol/input.ts`). */
const TAKEN: readonly string[] = ["image/png", "image/jpeg", "image/webp", "image/gif"];
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
/** Longest side in low-data mode, in pixels. */
export const LOW_DATA_SIDE = 1600;

interface ImageFacts {
  readonly type: string;
  readonly name: string;
}

const HEIC = /^image\/hei[cf]/;
const HEIC_NAME = /\.hei[cf]$/i;

export const isHeic = ({ type, name }: ImageFacts): boolean =>
  HEIC.test(type) || (type === "" && HEIC_NAME.test(name));

export const isImage = (file: ImageFacts): boolean =>
  file.type.startsWith("image/") || isHeic(file);

/** Whether an image must be encoded anew before upload. A GIF would lose its animation. */
export function needsDrawing(file: ImageFacts, lowData: boolean): boolean {
  if (!TAKEN.includes(file.type)) return true;
  return lowData && file.type !== "image/gif";
}

/** Scaled down so that the longer side is at most `side` pixels; never enlarged. */
export function drawnSize(
  width: number,
  height: number,
  side: number,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, side / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  };
}
