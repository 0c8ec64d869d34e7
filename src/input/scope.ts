import { AppError } from "../errors.ts";
import { allows } from "../protocol/scope.ts";
import type { Client } from "./client.ts";

/** Keys of the scope `answer`. */
const ANSWER_KEYS: ReadonlySet<string> = new Set(["Enter", "Escape"]);
/** Behind a line break the next program would read on. */
const ONE_LINE = /^[^\u0000-\u001f\u007f]*$/;

export interface Asked {
  /** Whether it holds for one prompt alone, which is shown. */
  isForPrompt: boolean;
  key?: string | undefined;
  /** What is typed, an option's key too. */
  texts?: readonly (string | undefined)[];
}

/**
 * Whoever may only answer gets a prompt that is shown, and nothing that could reach what stands behind
 * it: its options, Enter, Escape, and one line of own words.
 * @throws AppError forbidden
 */
export function requireAnswer({ name, scope }: Client, asked: Asked): void {
  if (allows(scope, "type")) return;
  const { isForPrompt, key, texts = [] } = asked;
  const isAnswer =
    isForPrompt &&
    (key === undefined || ANSWER_KEYS.has(key)) &&
    texts.every((text) => ONE_LINE.test(text ?? ""));
  if (!isAnswer)
    throw new AppError("forbidden", `${name} may answer the prompt that is shown: this needs type`);
}
