import { expect, test } from "bun:test";
import fc from "fast-check";
import { quoteWord } from "../../src/lib/words.ts";
import { detectImageType } from "../../src/images/images.ts";
import { IMAGE_TYPES } from "../../src/protocol/images.ts";
import { sample } from "./samples.ts";
import { forAll } from "../support/laws.ts";

test.each(IMAGE_TYPES)("%s is known by its first bytes alone", (type) => {
  expect(detectImageType(sample(type))).toBe(type);
  expect(detectImageType(sample(type, 2))).toBeNull();
});

test.each([
  "",
  "GIF88a..............",
  "\x89PNG\n\n\x1a\n",
  "RIFF....WAVEfmt ",
  "RIFFxxxx",
  "<svg xmlns='http://www.w3.org/2000/svg'/>",
  " \xff\xd8\xff",
  "\0\0\0\x18ftypheic",
])("%p is no supported image", (head) => {
  expect(detectImageType(Buffer.from(head, "latin1"))).toBeNull();
});

test("a quoted word is read back by a shell as it was", () => {
  const text = fc
    .string({ unit: "grapheme", maxLength: 40 })
    .filter((word) => !word.includes("\0"));
  forAll([fc.array(text, { minLength: 1, maxLength: 20 })], 120, (words) => {
    const script = `printf '%s\\0' ${words.map(quoteWord).join(" ")}`;
    const { stdout } = Bun.spawnSync(["sh", "-c", script]);
    expect(stdout.toString().split("\0").slice(0, -1)).toEqual(words);
  });
});

test("a plain path stays as it is", () => {
  expect(quoteWord("/home/me/.panewatch/uploads/0f.png")).toBe(
    "/home/me/.panewatch/uploads/0f.png",
  );
  expect(quoteWord("/home/my home/it's")).toBe(`'/home/my home/it'\\''s'`);
});
