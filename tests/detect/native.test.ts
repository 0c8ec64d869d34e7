import { expect, test } from "bun:test";
import { foldNative } from "../../src/detect/native.ts";
import type { NativeAgent } from "../../src/protocol/pane.ts";
import { detectWith, detectInput } from "../support/detect-input.ts";

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

test("the screens are what they are meant to be", () => {
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
] as const)("%s decides where the screen shows neither prompt nor error", (said, status, rule) => {
  expect(foldNative(IDLE, native(said))).toMatchObject({ status, rule, prompt: null });
});

test.each(["blocked", "working", "idle", "done", "unknown"] as const)(
  "a prompt and an error on the screen win over %s",
  (said) => {
    expect(foldNative(ASKING, native(said))).toBe(ASKING);
    expect(foldNative(BROKEN, native(said))).toBe(BROKEN);
  },
);

test("what is unknown, absent or not said leaves the screen's word", () => {
  expect(foldNative(IDLE, native("unknown"))).toBe(IDLE);
  expect(foldNative(IDLE, native("blocked", { present: false }))).toBe(IDLE);
  expect(foldNative(IDLE, null)).toBe(IDLE);
});

test("native idle ends what is held as working, and an overlay hides nothing from it", () => {
  expect(foldNative(IDLE, native("done")).idleIsCertain).toBe(true);
  const overlay = { ...IDLE, keepsPrevious: true };
  expect(foldNative(overlay, native("blocked"))).toMatchObject({
    status: "needs_input",
    keepsPrevious: false,
  });
});
