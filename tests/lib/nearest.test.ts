import { expect, test } from "bun:test";
import { nearest } from "../../src/lib/words.ts";

test("the nearest word is offered only when it is near", () => {
  const known = ["poll_interval", "panes", "mux"];
  expect(nearest("pol_intervall", known)).toBe(" (did you mean poll_interval?)");
  expect(nearest("tux", known)).toBe(" (did you mean mux?)");
  expect(nearest("something", known)).toBe("");
  expect(nearest("x", [])).toBe("");
});
