import { expect, test } from "bun:test";
import fc from "fast-check";
import { Window } from "happy-dom";
import { ScreenView } from "../../web/views/pane/screen.ts";
import { forAll } from "../support/laws.ts";

/** Output of a program: what was there stays, scrolls or is rewritten near its end. */
const step = fc.record({
  drop: fc.nat(120),
  keep: fc.nat(200),
  added: fc.nat(130),
  footer: fc.nat(12),
});

test("for any changes: the rows are the lines, each once, in blocks of at most fifty", () => {
  forAll([fc.array(step, { minLength: 1, maxLength: 8 })], 40, (steps) => {
    const root = new Window().document.createElement("pre");
    const view = new ScreenView(root as unknown as HTMLElement);
    let body: string[] = [];
    let printed = 0;
    for (const { drop, keep, added, footer } of steps) {
      const next = () => (++printed % 3 === 0 ? "" : `line ${printed}`);
      const fresh = Array.from({ length: added }, next);
      body = [...body.slice(drop, drop + keep), ...fresh];
      const texts = [...body, ...Array.from({ length: footer }, (_, i) => `foot ${i}`)];
      view.show(
        texts.map((text) => ({ text, runs: [] })),
        false,
      );
      // A row without text is copied as an empty line.
      const read = texts.map((text) => text || "\n");
      const rows = [...root.querySelectorAll(".line")];
      expect(rows.map((row) => row.textContent)).toEqual(read);
      expect(view.rows.map((row) => row.textContent)).toEqual(read);
      const sizes = [...root.children].map((block) => block.childElementCount);
      expect(Math.min(1, ...sizes)).toBe(1);
      expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(50);
    }
  });
});

test("output that scrolls keeps the rows that stay, and a spinner redraws its row alone", () => {
  const root = new Window().document.createElement("pre") as unknown as HTMLElement;
  const view = new ScreenView(root);
  const show = (from: number, spinner = "* 1 s") => {
    const lines = Array.from({ length: 200 }, (_, i) => `line ${from + i}`);
    const texts = [...lines, spinner, "> "].map((text) => ({ text, runs: [] }));
    view.show(texts, false);
    return [...view.rows];
  };
  const before = show(0);
  const after = show(3);
  expect(after.slice(0, 197).every((row, i) => row === before[i + 3])).toBe(true);
  expect(before.slice(0, 3).filter((row) => after.includes(row))).toEqual([]);
  const spun = show(3, "* 2 s");
  expect(spun.flatMap((row, i) => (row === after[i] ? [] : [row.textContent]))).toEqual(["* 2 s"]);
});

function draw(text: string): { row: Element; parts: (string | null)[] } {
  const root = new Window().document.createElement("pre") as unknown as HTMLElement;
  const view = new ScreenView(root);
  view.show([{ text, runs: [{ start: 0, length: 2, style: "b" }] }], false);
  const row = view.rows[0];
  if (row === undefined) throw new Error("no row was drawn");
  return { row, parts: [...row.childNodes].map((node) => node.textContent) };
}

test("a direction mark is drawn as a mark, and is no text of its row", () => {
  const { row, parts } = draw("rm -r \u202egpj.eton\u2069");
  expect(parts).toEqual(["rm", " -r ", "", "gpj.eton", ""]);
  const marks = [...row.querySelectorAll<HTMLElement>(".hidden-mark")];
  expect(marks.map(({ dataset }) => dataset["mark"])).toEqual(["RLO", "PDI"]);
});

test("a styled run has its style, and the text beside it has none", () => {
  const { row } = draw("rm -r build");
  expect(row.querySelector("span")?.getAttribute("style")).toContain("font-weight: 600");
  expect(row.querySelectorAll("[style]")).toHaveLength(1);
});

test("the right border of a box has its column, a rule has none", () => {
  const edgeOf = (text: string) => draw(text).row.querySelector<HTMLElement>(".edge");
  const border = edgeOf("│ Edit file     │");
  expect(border?.textContent).toBe("     │");
  expect(border?.style.getPropertyValue("--columns")).toBe("17");
  for (const rule of ["╰───────╯", "╌╌╌╌╌╌╌╌", "▔▔▔▔▔▔▔▔", "  ╹▀▀▀▀▀▀▀▀"])
    expect(edgeOf(rule)?.style.getPropertyValue("--columns")).toBe("");
});
