import { expect, test } from "bun:test";
import {
  drawLimited,
  limitedEntries,
  type LimitedState,
  pressLimited,
  startLimited,
  tickLimited,
} from "../../src/demo/limited.ts";
import { detect } from "../../src/detect/detect.ts";
import { detectLimit, parseReset } from "../../src/detect/limit.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";

const WALL = Date.UTC(2026, 10, 23, 11, 57, 20) / 1000;
const RESET = Date.UTC(2026, 10, 23, 12, 0) / 1000;

function look(state: LimitedState) {
  const rows = drawLimited(state, { columns: 80, rows: 24 });
  const lines = rows.map((text) => ({ text: text.trimEnd(), runs: [] }));
  const finding = detect(
    {
      ...{ screen: { lines }, title: "✳ Pages", command: "claude-demo" },
      ...{ processes: [["claude-demo"]], width: 80, height: 24, alternate: true },
      ...{ cursor: null, kindOverride: null },
    },
    NO_PATTERNS,
  );
  const decided = finding.line === null ? [] : rows.slice(finding.line, finding.line + 1);
  return { status: finding.status, limit: detectLimit(decided) };
}
const told = (state: LimitedState, text: string) =>
  pressLimited([...text].reduce(pressLimited, state), "Enter");
const after = (state: LimitedState, seconds: number) =>
  tickLimited(state, state.now + seconds, state.wall + seconds);

test("begins at its limit, with the time at which it is over", () => {
  const { status, limit } = look(startLimited(0, WALL));
  expect([status, limit?.name]).toEqual(["error", "5-hour limit"]);
  expect(parseReset(limit?.text ?? "", { at: WALL, zone: "UTC" })).toBe(RESET);
});

test("before that it only says so again; then it works, and is at its limit anew", () => {
  const early = told(startLimited(0, WALL), "continue");
  expect(look(early)).toMatchObject({ status: "error", limit: { name: "5-hour limit" } });
  const free = after(early, RESET - WALL);
  const working = told(free, "continue");
  expect(look(working)).toMatchObject({ status: "working", limit: null });
  const again = after(working, 60);
  expect(look(again).status).toBe("error");
  expect(again.resetsAt).toBeGreaterThan(RESET + 60);
});

test("its log tells what it was asked, and each limit once", () => {
  const first = startLimited(0, WALL);
  const working = told(after(first, RESET - WALL), "continue");
  const kinds = (before: LimitedState | null, now: LimitedState) =>
    limitedEntries(before, now).map(({ kind }) => kind);
  expect(kinds(null, first)).toEqual(["prompt", "limited"]);
  expect(kinds(first, after(first, 5))).toEqual([]);
  expect(limitedEntries(first, working)).toEqual([
    { kind: "prompt", text: "continue" },
    { kind: "says", text: "You wrote: continue" },
  ]);
  expect(kinds(working, after(working, 60))).toEqual(["limited"]);
});
