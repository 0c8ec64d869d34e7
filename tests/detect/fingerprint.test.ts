import { expect, test } from "bun:test";
import type { Prompt, PromptOption } from "../../src/detect/finding.ts";
import { fingerprints } from "../../src/detect/prompt.ts";

const option: PromptOption = {
  key: "1",
  label: "Yes",
  description: "",
  selected: true,
  freeform: false,
  checked: null,
  answer: [],
  answerWithText: null,
};
const prompt: Prompt = {
  parser: "agent_a.permission",
  recognised: true,
  question: "Proceed?",
  evidence: ["rm -rf build"],
  options: [option, { ...option, key: "2", label: "No", selected: false }],
  questionLine: 3,
};

test("no prompt has no fingerprints", () => {
  expect(fingerprints(null)).toEqual({
    prompt_fingerprint: null,
    options_fingerprint: null,
    selected: null,
  });
});

test("the prompt's digest covers question and evidence and nothing else", () => {
  const base = fingerprints(prompt);
  expect(base.prompt_fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
  const moved = fingerprints({ ...prompt, questionLine: 9, options: [] });
  expect(moved.prompt_fingerprint).toBe(base.prompt_fingerprint);
  for (const other of [{ question: "Proceed!" }, { evidence: ["rm -rf /"] }, { evidence: [] }])
    expect(fingerprints({ ...prompt, ...other }).prompt_fingerprint).not.toBe(
      base.prompt_fingerprint,
    );
});

test("the options' digest covers every option wherever the focus is, which is named beside it", () => {
  const base = fingerprints(prompt);
  const change = (change: Partial<PromptOption>) =>
    ({
      ...prompt,
      options: [{ ...option, ...change }, ...prompt.options.slice(1)],
    }) satisfies Prompt;
  for (const other of [
    { key: "y" },
    { label: "Yes!" },
    { description: "d" },
    { freeform: true },
    { checked: true },
  ])
    expect(fingerprints(change(other)).options_fingerprint).not.toBe(base.options_fingerprint);
  expect(base.selected).toBe("1");
  expect(fingerprints(change({ selected: false }))).toEqual({ ...base, selected: null });
});
