import { z } from "zod";

/** Text of at most so many characters: one that takes two code units, as most emoji do, is one. */
export function textUpTo(most: number) {
  return z.string().check((text) => {
    // Never more characters than code units: the count is asked for only where it matters.
    if (text.value.length <= most || [...text.value].length <= most) return;
    text.issues.push({
      ...{ code: "too_big", origin: "string", maximum: most, inclusive: true },
      input: text.value,
      message: `Too big: expected text of at most ${most} characters`,
    });
  });
}

/** The first characters of a text, none of them half. */
export function firstCharacters(text: string, most: number): string {
  return text.length <= most ? text : [...text].slice(0, most).join("");
}
