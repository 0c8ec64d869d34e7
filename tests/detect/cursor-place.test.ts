import { expect, test } from "bun:test";
import { placeOf } from "../../src/detect/prepare.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";

const at = (row: number, column: number) => ({ row, column, visible: true });
const place = (lines: string[], members: object) =>
  placeOf(detectInput(lines, { width: 10, height: 4, ...members }));

test("lines above the screen are history", () => {
  const lines = ["old", "old", "a", "b", "c", "d"];
  expect(place(lines, { cursor: at(1, 1) })).toEqual({
    top: 2,
    cursor: { line: 3, column: 1, visible: true },
  });
});

test("blank rows below the text belong to the screen", () => {
  const cleared = detectInput(["old", "old", "now", "", "", ""].join("\n") + "\n", { height: 4 });
  expect(placeOf(cleared).top).toBe(2);
});

test("more blank rows than rows are those of another height, and count for nothing", () => {
  const text = ["old", "now", ...Array<string>(9).fill("")].join("\n") + "\n";
  expect(placeOf(detectInput(text, { height: 4 })).top).toBe(0);
});

test("a wrapped line takes as many rows as it needs, of which the upper may be history", () => {
  const long = "x".repeat(25);
  expect(place([long, "b", "c"], { cursor: at(0, 3) })).toEqual({
    top: 0,
    cursor: { line: 0, column: 13, visible: true },
  });
  expect(place(["a", long], { cursor: at(3, 5) }).cursor).toMatchObject({ line: 1, column: 25 });
});

test("below the text the cursor has a line of its own", () => {
  expect(place(["a"], { cursor: at(2, 0) }).cursor).toMatchObject({ line: 2, column: 0 });
});

test("a question above the visible screen is history", () => {
  const screen = (below: string) => `idle\nOverwrite gone? (y/n)\n${below}`;
  const patterns = { prompt: ["\\(y/n\\)"] };
  const size = { height: 4, cursor: at(1, 0) };
  expect(detectWith(detectInput(screen("idle\n\n\n\n"), size), patterns).status).toBe("idle");
  expect(detectWith(detectInput(screen(""), size), patterns).status).toBe("needs_input");
});
