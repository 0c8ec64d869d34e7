import type { InputStep } from "../terminal/provider.ts";
import { refused } from "./refused.ts";

const MAX_TEXT_BYTES = 64 * 1024;

/** Control characters, newline and tab excepted: a terminal could take them for a command. */
const CONTROL = /[^\P{Cc}\n\t]/u;

/** @throws AppError `invalid` with `{reason, code}` */
export function requireBounded(text: string): string {
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES)
    throw refused("text_too_long", "text exceeds 64 KiB");
  return text;
}

/**
 * Text that may be sent as it is.
 * @throws AppError `invalid` with `{reason, code}`
 */
export function requireLiteral(text: string): string {
  requireBounded(text);
  if (CONTROL.test(text)) throw refused("text_not_literal", "text contains control characters");
  // A lone surrogate cannot be encoded: the pane would get another text.
  if (!text.isWellFormed()) throw refused("text_not_literal", "text is not well-formed Unicode");
  return text;
}

/** @throws AppError `invalid` with `{reason, code}` */
export function requireAllowedKey(key: string, allowed: readonly string[]): string {
  if (!allowed.includes(key))
    throw refused("key_not_allowed", `key not allowed: ${key.slice(0, 40)}`, {
      logged: "key not allowed",
    });
  return key;
}

/** The step that types a text; none for an empty one. */
export function textSteps(text: string): InputStep[] {
  return text === "" ? [] : [{ do: "text", text }];
}
