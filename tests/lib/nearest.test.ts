import { expect, test } from "bun:test";
import { didYouMean } from "../../src/lib/words.ts";

test("the nearest word is offered only when it is near", () => {
  const known = ["poll_interval", "panes", "mux"];
  expect(didYouMean("pol_intervall", known)).toBe(" (did you mean poll_interval?)");
  expect(didYouMean("tux", known)).toBe(" (did you mean mux?)");
  expect(didYouMean("something", known)).toBe("");
  expect(didYouMean("x", [])).toBe("");
});
