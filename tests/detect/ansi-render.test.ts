import { expect, test } from "bun:test";
import { renderScreen } from "../../src/detect/ansi-render.ts";
import { parseScreen } from "../../src/detect/ansi.ts";
import { readScreens } from "../support/screens.ts";

test("a rendered screen is the same screen when it is parsed again", () => {
  for (const { name, styled } of readScreens()) {
    const screen = parseScreen(styled);
    const { lines } = parseScreen(renderScreen(screen));
    expect({ name, lines }).toEqual({ name, lines: screen.lines });
  }
});

test("every attribute and colour survives", () => {
  const capture =
    "\x1b[1;2;3;4;7;9mall\x1b[0m \x1b[31;102mpalette\x1b[0m \x1b[38;5;200;48;2;1;20;255mdirect";
  const screen = parseScreen(capture);
  expect(screen.lines[0]?.runs).toHaveLength(3);
  expect(parseScreen(renderScreen(screen))).toEqual(screen);
});
