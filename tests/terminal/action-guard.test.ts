import { expect, test } from "bun:test";
import fc from "fast-check";
import { guardedPrompt } from "../../src/terminal/action-guard.ts";
import { dialog, option } from "../input/simulated.ts";

const asking = (focused: string) =>
  dialog("Run it?", [
    option("1", "Yes", { selected: focused === "1" }),
    option("2", "No", { selected: focused === "2" }),
  ]).prompt;

test("a guard names the revision, and its fingerprints and ids have their forms", () => {
  const { guard, optionIds } = guardedPrompt("r1", "the buffer", asking("1"));
  expect(guard.endpoint_revision).toBe("r1");
  expect(guard.prompt_fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(guard.options_fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(optionIds).toHaveLength(2);
  for (const id of optionIds) expect(id).toMatch(/^o:[\w-]{32}$/);
});

test("any other buffer is another prompt, blanks included", () => {
  const words = fc.string({ maxLength: 20 });
  fc.assert(
    fc.property(words, words, (a, b) => {
      const [one, two] = [a, b].map((text) => guardedPrompt("r", text, null).guard);
      expect(one?.prompt_fingerprint === two?.prompt_fingerprint).toBe(a === b);
    }),
  );
});

test("the focused option counts, and an id is good for its own guard alone", () => {
  const [first, second] = ["1", "2"].map((key) => guardedPrompt("r", "text", asking(key)));
  expect(first?.guard.options_fingerprint).not.toBe(second?.guard.options_fingerprint ?? "");
  const elsewhere = guardedPrompt("r", "text ", asking("1"));
  const ids = [first, second, elsewhere].flatMap((each) => each?.optionIds ?? []);
  expect(new Set(ids).size).toBe(6);
});

test("twins among options have ids of their own", () => {
  const { prompt } = dialog("Which?", [option("1", "Same"), option("1", "Same")]);
  const { optionIds } = guardedPrompt("r", "text", prompt);
  expect(new Set(optionIds).size).toBe(2);
});
