import { expect, test } from "bun:test";
import type { Composer, Finding, Prompt } from "../../src/detect/finding.ts";
import { guardedPrompt } from "../../src/terminal/action-guard.ts";
import { dialog } from "../input/simulated.ts";
import { option } from "../support/detect-input.ts";

interface Facts {
  rows?: readonly string[];
  prompt?: Prompt | null;
  composer?: Composer | null;
  status?: Finding["status"];
  keepsPrevious?: boolean;
}

function guarded({ rows = [], prompt = null, composer = null, status, keepsPrevious }: Facts) {
  return guardedPrompt({
    revision: "r1",
    finding: {
      prompt,
      status: status ?? (prompt ? "needs_input" : "working"),
      keepsPrevious: keepsPrevious ?? false,
      region: { rule: "region.tail", start: 0, end: rows.length },
    },
    screen: { lines: rows.map((text) => ({ text, runs: [] })) },
    composer,
  });
}
const promptOf = (facts: Facts) => guarded(facts).guard.prompt_fingerprint;

const asking = (focused: string, more: Partial<Prompt> = {}) =>
  dialog(
    "Run it?",
    [
      option("1", "Yes", { selected: focused === "1" }),
      option("2", "No", { selected: focused === "2" }),
    ],
    more,
  ).prompt;

test("a guard names the endpoint's revision, and its fingerprints and option ids have their forms", () => {
  const { guard, optionIds } = guarded({ prompt: asking("1") });
  expect(guard.endpoint_revision).toBe("r1");
  expect(guard.prompt_fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(guard.options_fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(optionIds).toHaveLength(2);
  for (const id of optionIds) expect(id).toMatch(/^o:[\w-]{32}$/);
});

test("the fingerprint of a known dialog covers its question and evidence, and no other row of the screen", () => {
  const prompt = asking("1", { evidence: ["touch made"] });
  const marked = guarded({ rows: ["● Bash", "Run it?"], prompt });
  expect(guarded({ rows: ["  Bash", "Run it?"], prompt })).toEqual(marked);
  const other = asking("1", { evidence: ["rm made"] });
  expect(promptOf({ prompt: other })).not.toBe(marked.guard.prompt_fingerprint);
});

test("the fingerprint of a prompt that no parser knows covers the rows from its question down", () => {
  const prompt = asking("1", { recognised: false, questionLine: 1 });
  const one = promptOf({ rows: ["● a", "Run it?", "now"], prompt });
  expect(promptOf({ rows: ["  a", "Run it?", "now"], prompt })).toBe(one);
  expect(promptOf({ rows: ["● a", "Run it?", "now "], prompt })).not.toBe(one);
});

test("the fingerprint covers every row where only the provider says that a pane waits", () => {
  const unread = (row: string) => promptOf({ rows: [row, "?"], status: "needs_input" });
  expect(unread("one")).not.toBe(unread("two"));
});

test("without a prompt the fingerprint ignores a spinner, and changes with a draft, an overlay or a prompt", () => {
  const working = promptOf({ rows: ["✻ Thinking… (1s)"] });
  const empty: Composer = { holds: "nothing", line: 1 };
  expect(promptOf({ rows: ["✽ Thinking… (2s)"], composer: empty })).toBe(working);
  const others = [
    promptOf({ composer: { holds: "draft", text: "half", line: 1 } }),
    promptOf({ composer: { holds: "draft", text: "half a", line: 1 } }),
    promptOf({ composer: { holds: "unclear", line: 1 } }),
    promptOf({ keepsPrevious: true, status: "idle" }),
    promptOf({ prompt: asking("1") }),
  ];
  expect(new Set([working, ...others]).size).toBe(6);
});

test("the options fingerprint covers the focus, and an option id belongs to one guard alone", () => {
  const [first, second] = ["1", "2"].map((key) => guarded({ prompt: asking(key) }));
  expect(first?.guard.options_fingerprint).not.toBe(second?.guard.options_fingerprint ?? "");
  const elsewhere = guarded({ prompt: asking("1", { evidence: ["else"] }) });
  const ids = [first, second, elsewhere].flatMap((each) => each?.optionIds ?? []);
  expect(new Set(ids).size).toBe(6);
});

test("two equal options have different ids", () => {
  const { prompt } = dialog("Which?", [option("1", "Same"), option("1", "Same")]);
  const { optionIds } = guarded({ prompt });
  expect(new Set(optionIds).size).toBe(2);
});
