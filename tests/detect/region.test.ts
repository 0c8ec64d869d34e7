import { expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import { MAX_VIEW_LINES, normalise, perView, readView, ruleAt } from "../../src/detect/region.ts";
import { columnsOf, ruleLine, unwrap } from "../../src/detect/text.ts";

test("a normalised line keeps its columns, without box sides, scrollbars and no-break spaces", () => {
  expect(normalise("│ ● 1. Allow once      │")).toBe("  ● 1. Allow once");
  expect(normalise("  ┃  1. SQLite")).toBe("     1. SQLite");
  expect(normalise("❯\u00a0text            █")).toBe("❯ text");
});

test("a thin bar on the left alone marks a quotation, and stays in a normalised line", () => {
  expect(normalise(" │ 1. not an option")).toBe(" │ 1. not an option");
});

test("a pipe at the end of a command stays in a normalised line", () => {
  expect(normalise(" │ curl https://x.example |")).toBe(" │ curl https://x.example |");
  expect(normalise("  ┃  $ curl https://x.example |")).toBe("     $ curl https://x.example |");
  expect(normalise("| 1. Yes   |")).toBe("  1. Yes");
});

test("a rule is wide, begins at the left and may hold a label", () => {
  expect(ruleLine("─".repeat(80), 80)).toBe("solid");
  expect(ruleLine(" ".repeat(1) + "╌".repeat(78), 80)).toBe("dashed");
  expect(ruleLine(`╭${"─".repeat(78)}╮`, 80)).toBe("solid");
  expect(ruleLine(`──── Plan ${"─".repeat(60)}`, 80)).toBe("solid");
  expect(ruleLine("─".repeat(30), 80)).toBeNull();
  expect(ruleLine(" ".repeat(20) + "─".repeat(60), 80)).toBeNull();
  expect(ruleLine("a ─────────────────────────────────── b", 40)).toBeNull();
});

test("the view of a screen ends at its last line with text, and has a bounded number of lines", () => {
  const screen = parseScreen(`${"old\n".repeat(900)}│     │\n`);
  const view = readView(screen, { width: 80, height: 24 });
  expect(view.end).toBe(900);
  expect(view.start).toBe(901 - MAX_VIEW_LINES);
  expect(view.lines).toHaveLength(901);
  expect(view.lines[0]).toBe("");
});

test("columns are counted as the runtime counts them, for every character and its marks", () => {
  const joined = (char: string) => [char, `a${char}${char}`, `❯ ${char}\ufe0f`, `─${char}\u0301…`];
  const wrong: string[] = [];
  for (let code = 0x20; code < 0xd800; code++)
    for (const text of joined(String.fromCharCode(code)))
      if (columnsOf(text) !== Bun.stringWidth(text)) wrong.push(text);
  expect(wrong).toEqual([]);
});

test("wrapped lines are joined with a blank only where the script has blanks", () => {
  expect(unwrap(["少し要り", "  ます。", "  サーバー"])).toBe("少し要ります。サーバー");
  expect(unwrap(["データベース", "for 服务", "now"])).toBe("データベース for 服务 now");
  expect(unwrap(["データベー", "ス"])).toBe("データベース");
  expect(unwrap(["두 단어", "  더"])).toBe("두 단어 더");
  expect(unwrap(["curl http://127.0.0.1:9/", "  health -", "  demo-", "  run"])).toBe(
    "curl http://127.0.0.1:9/health - demo-run",
  );
});

test("a reading is made once for a view, and again for a copy with other lines", () => {
  const size = { width: 20, height: 3 };
  const view = readView(parseScreen(`one\n${"─".repeat(20)}\n`), size);
  let made = 0;
  const count = perView(({ lines }) => [++made, lines.length]);
  expect([count(view), count(view)]).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect(ruleAt(view, 1)).toBe("solid");
  const copy = { ...view, lines: ["one", "two", "three"] };
  expect([count(copy), count(view), count(copy)]).toEqual([
    [2, 3],
    [1, 2],
    [2, 3],
  ]);
  expect([ruleAt(copy, 1), ruleAt(view, 1)]).toEqual([null, "solid"]);
});
