import { expect, test } from "bun:test";
import { parseDraft, messageOf } from "../../web/model/drafts.ts";
import { drawnSize, isHeic, isImage, needsDrawing } from "../../web/model/compose.ts";

test("HEIC is known by its type, or by its name where the browser gives none", () => {
  expect(isHeic({ type: "image/heic", name: "a" })).toBe(true);
  expect(isHeic({ type: "", name: "IMG_1.HEIC" })).toBe(true);
  expect(isHeic({ type: "image/png", name: "a.heic" })).toBe(false);
  expect(isImage({ type: "text/plain", name: "a.png" })).toBe(false);
});

test("what the server takes goes as it is; where data is dear all but animations are drawn anew", () => {
  const png = { type: "image/png", name: "a.png" };
  expect(needsDrawing(png, false)).toBe(false);
  expect(needsDrawing(png, true)).toBe(true);
  expect(needsDrawing({ type: "image/gif", name: "a.gif" }, true)).toBe(false);
  expect(needsDrawing({ type: "image/bmp", name: "a.bmp" }, false)).toBe(true);
});

test("the longer side is cut, the shape stays, and nothing is enlarged", () => {
  expect(drawnSize(4000, 3000, 1600)).toEqual({ width: 1600, height: 1200 });
  expect(drawnSize(300, 900, 1600)).toEqual({ width: 300, height: 900 });
  expect(drawnSize(9000, 1, 1600)).toEqual({ width: 1600, height: 1 });
});

test("paths follow the text with one blank between", () => {
  const images = ["'/a b.png'", "/c.png"].map((text) => ({ name: "", text, expiresAt: 9e9 }));
  expect(messageOf({ text: "look at", images, remarks: [] })).toBe("look at '/a b.png' /c.png");
  expect(messageOf({ text: "look at\n", images, remarks: [] })).toBe("look at\n'/a b.png' /c.png");
  expect(messageOf({ text: "", images, remarks: [] })).toBe("'/a b.png' /c.png");
  expect(messageOf({ text: "look", images: [], remarks: [] })).toBe("look");
});

test("a stored draft keeps its images until the server has deleted them", () => {
  const image = (expiresAt: unknown) => ({ name: "a.png", text: "/a.png", expiresAt });
  const stored = JSON.stringify({
    text: "look",
    choice: null,
    images: [image(2000), image(900), image("soon"), null],
    name: "api",
    savedAt: 999_000,
  });
  expect(parseDraft(stored, 1_000_000)?.images).toEqual([
    { name: "a.png", text: "/a.png", expiresAt: 2000 },
  ]);
  expect(parseDraft('{"text":"old","savedAt":999000}', 1_000_000)?.images).toEqual([]);
});
