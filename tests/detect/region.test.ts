import { expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import { MAX_VIEW_LINES, normalise, readView, ruleLine, unwrap } from "../../src/detect/region.ts";

test("normalising keeps columns and takes off box sides, scrollbars and no-break spaces", () => {
  expect(normalise("│ ● 1. Allow once      │")).toBe("  ● 1. Allow once");
  expect(normalise("  ┃  1. SQLite")).toBe("     1. SQLite");
  expect(normalise("❯\u00a0text            █")).toBe("❯ text");
});

test("a thin bar on the left alone quotes something and stays", () => {
  expect(normalise(" │ 1. not an option")).toBe(" │ 1. not an option");
});

test("rules are wide, begin at the left and may hold a label", () => {
  expect(ruleLine("─".repeat(80), 80)).toBe("solid");
  expect(ruleLine(" ".repeat(1) + "╌".repeat(78), 80)).toBe("dashed");
  expect(ruleLine(`╭${"─".repeat(78)}╮`, 80)).toBe("solid");
  expect(ruleLine(`──── Plan ${"─".repeat(60)}`, 80)).toBe("solid");
  expect(ruleLine("─".repeat(30), 80)).toBeNull();
  expect(ruleLine(" ".repeat(20) + "─".repeat(60), 80)).toBeNull();
  expect(ruleLine("a ─────────────────────────────────── b", 40)).toBeNull();
});

test("the view ends at the last line that is not blank and is bounded", () => {
  const screen = parseScreen(`${"old\n".repeat(900)}│     │\n`);
  const view = readView(screen, { width: 80, height: 24 });
  expect(view.end).toBe(900);
  expect(view.start).toBe(901 - MAX_VIEW_LINES);
  expect(view.lines).toHaveLength(901);
  expect(view.lines[0]).toBe("");
});

test("wrapped lines are one text, with blanks only where the script has some", () => {
  expect(unwrap(["少し要り", "  ます。", "  サーバー"])).toBe("少し要ります。サーバー");
  expect(unwrap(["データベース", "for 服务", "now"])).toBe("データベース for 服务 now");
  expect(unwrap(["データベー", "ス"])).toBe("データベース");
  expect(unwrap(["두 단어", "  더"])).toBe("두 단어 더");
  expect(unwrap(["curl http://127.0.0.1:9/", "  health -", "  demo-", "  run"])).toBe(
    "curl http://127.0.0.1:9/health - demo-run",
  );
});
