import { asks, isGuarded, type Pane } from "./pane.ts";

/** Longest text of a guarded pane, and of a message that waits, in characters. */
export const MESSAGE_LIMIT = 8000;

export interface Problem {
  readonly kind: "shell_lines" | "over_prompt" | "one_line" | "too_long";
  /** Final problems cannot be confirmed away. */
  readonly isFinal: boolean;
}

/** What the writer must know before this text goes to this pane; `isLater`: once its agent is free. */
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

/** Lines as one, with single spaces between them. */
export function joinLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .join(" ");
}
