import { z } from "zod";

/** Text of at most `most` code points: an emoji of two code units counts once. */
export function textUpTo(most: number) {
  return z.string().check((text) => {
    // A text has at most as many code points as code units: most texts need no count.
    if (text.value.length <= most || [...text.value].length <= most) return;
    text.issues.push({
      ...{ code: "too_big", origin: "string", maximum: most, inclusive: true },
      input: text.value,
      message: `Too big: expected text of at most ${most} characters`,
    });
  });
}

/** The first characters of a text, without cutting a surrogate pair. */
export function firstCharacters(text: string, most: number): string {
  return text.length <= most ? text : [...text].slice(0, most).join("");
}
