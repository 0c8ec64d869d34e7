import { describe, expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import { contextPercent, foldNative } from "../../src/detect/native.ts";
import type { NativeAgent } from "../../src/protocol/pane.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";
import { readScreens } from "../support/screens.ts";

const native = (status: NativeAgent["status"], members: Partial<NativeAgent> = {}) => ({
  present: true,
  kind: "claude",
  name: null,
  status,
  state_change_seq: 1,
  interactive_ready: null,
  ...members,
});

const IDLE = detectWith(detectInput("some text"));
const ASKING = detectWith(detectInput("Remove it? (y/n)"), { prompt: ["\\(y/n\\)"] });
const BROKEN = detectWith(detectInput("panic: it broke"), { error: ["panic:"] });

test("the screens of these tests are idle, waiting and failed", () => {
  expect([IDLE, ASKING, BROKEN].map(({ status }) => status)).toEqual([
    "idle",
    "needs_input",
    "error",
  ]);
});

test.each([
  ["blocked", "needs_input", "native.blocked"],
  ["working", "working", "native.working"],
  ["idle", "idle", "native.idle"],
  ["done", "idle", "native.done"],
] as const)(
  "the native state %s decides where the screen shows neither prompt nor error",
  (state, status, rule) => {
    expect(foldNative(IDLE, native(state))).toMatchObject({ status, rule, prompt: null });
  },
);

test.each(["blocked", "working", "idle", "done", "unknown"] as const)(
  "a prompt and an error on the screen outrank the native state %s",
  (state) => {
    expect(foldNative(ASKING, native(state))).toBe(ASKING);
    expect(foldNative(BROKEN, native(state))).toBe(BROKEN);
  },
);

test("the screen decides where the native state is unknown or absent", () => {
  expect(foldNative(IDLE, native("unknown"))).toBe(IDLE);
  expect(foldNative(IDLE, native("blocked", { present: false }))).toBe(IDLE);
  expect(foldNative(IDLE, null)).toBe(IDLE);
});

test("a native idle is certain, and a native state is not held back by an overlay", () => {
  expect(foldNative(IDLE, native("done")).idleIsCertain).toBe(true);
  const overlay = { ...IDLE, keepsPrevious: true };
  expect(foldNative(overlay, native("blocked"))).toMatchObject({
    status: "needs_input",
    keepsPrevious: false,
  });
});

const RULE = "─".repeat(80);
const lines = (...texts: string[]) => texts.map((text) => ({ text, runs: [] }));
const claude = (above: string, below = "  ? for shortcuts") =>
  contextPercent("agent_a", lines("● Done.", "", above, RULE, "❯ ", RULE, below));

describe("the filled part of a context", () => {
  test.each([
    [`${" ".repeat(50)}62% context used`, 62],
    [`${" ".repeat(40)}9% until auto-compact · /compact to free up space`, 91],
    [`${" ".repeat(40)}auto-compact next`, 100],
    ["  Context low (8% remaining) · /compact to free up space", 92],
    [`${" ".repeat(40)}Context left until auto-compact: 12%`, 88],
  ])("is read above and below Claude Code's input line: %s", (hint, percent) => {
    expect(claude(hint)).toBe(percent);
    expect(claude("", `  ? for shortcuts${hint}`)).toBe(percent);
  });

  test("is read below Codex's input line, and on no other recorded screen", () => {
    const footer = "  ? for shortcuts                                  38% context left";
    expect(contextPercent("agent_b", lines("• Done.", "", "› Ask", "", footer))).toBe(62);
    const found = readScreens().flatMap((recorded) => {
      const kind = recorded.expected.kind;
      const percent = contextPercent(kind, parseScreen(recorded.styled).lines);
      return percent === null ? [] : [[recorded.name, percent]];
    });
    expect(Object.fromEntries(found)).toEqual({
      "codex/idle-finished-v0.100.0-80x24": 0,
      "codex/working-thinking-v0.100.0-80x24": 0,
    });
  });

  test("is not read from an answer, a draft or another program", () => {
    expect(claude("● It is at 90% context used now")).toBeNull();
    expect(claude("  Context low (8% remaining), it said.")).toBeNull();
    expect(
      contextPercent("agent_a", lines(RULE, "❯ 90% context used", RULE, "  ? for shortcuts")),
    ).toBeNull();
    expect(contextPercent(null, lines("   38% context left"))).toBeNull();
    expect(contextPercent("agent_d", lines("   38% context left"))).toBeNull();
    expect(claude("   700% context used")).toBeNull();
  });
});
