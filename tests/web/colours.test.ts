import { afterEach, beforeEach, expect, test } from "bun:test";
import { ColourSheet } from "../../web/views/pane/colours.ts";

class FakeSheet {
  readonly rules: string[] = [];
  insertRule(rule: string): void {
    this.rules.push(rule);
  }
}

const page: { adoptedStyleSheets: FakeSheet[] } = { adoptedStyleSheets: [] };
beforeEach(() => {
  page.adoptedStyleSheets = [];
  Object.assign(globalThis, { document: page, CSSStyleSheet: FakeSheet });
});
afterEach(() => {
  for (const name of ["document", "CSSStyleSheet"]) Reflect.deleteProperty(globalThis, name);
});

const style = (i: number) => `38;2;${i & 255};${(i >> 8) & 255};7`;

test("a row keeps its colours however many others have come since, and old rules go", () => {
  const colours = new ColourSheet();
  const detach = colours.attach();
  const rulesOf = (name: string) =>
    page.adoptedStyleSheets.flatMap(({ rules }) => rules.filter((r) => r.startsWith(`.${name}{`)));
  const names = Array.from({ length: 5000 }, (_, i) => colours.classOf(style(i)));
  expect(new Set(names).size).toBe(names.length);
  for (const name of [names[3000], names[4000], names[4999]])
    expect(rulesOf(name ?? "").length).toBe(1);
  expect(page.adoptedStyleSheets.flatMap(({ rules }) => rules).length).toBeLessThanOrEqual(4000);
  detach();
  expect(page.adoptedStyleSheets).toEqual([]);
});
