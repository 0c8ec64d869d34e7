import { isGuarded, waits, type Pane } from "./pane.ts";

/** Longest text of a guarded pane, in characters. */
export const GUARDED_LIMIT = 8000;

export interface Problem {
  readonly kind: "shell_lines" | "over_prompt" | "one_line" | "too_long";
  /** Final problems cannot be confirmed away. */
  readonly isFinal: boolean;
}

/** What the writer must know before this text goes to this pane. */
export function composeProblem(pane: Pane, text: string): Problem | null {
  const isLong = text.trimEnd().includes("\n");
  if (isGuarded(pane) && isLong) return { kind: "one_line", isFinal: true };
  if (isGuarded(pane) && text.length > GUARDED_LIMIT) return { kind: "too_long", isFinal: true };
  if (waits(pane) && pane.menu.length > 0) return { kind: "over_prompt", isFinal: false };
  if (pane.kind === "shell" && isLong) return { kind: "shell_lines", isFinal: false };
  return null;
}

/** Lines as one, with single spaces between them. */
export function joinLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");
}
