import { expect, test } from "bun:test";
import type { Prompt, PromptOption } from "../../src/detect/finding.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import { option, prompt } from "../support/detect-input.ts";

const yes = option("1", "Yes", { selected: true });
const asked = prompt("Proceed?", {
  ...{
    parser: "agent_a.permission",
    recognised: true,
    evidence: ["rm -rf build"],
    questionLine: 3,
  },
  options: [yes, option("2", "No")],
});

test("no prompt has no fingerprints", () => {
  expect(fingerprints(null)).toEqual({
    prompt_fingerprint: null,
    options_fingerprint: null,
    selected: null,
  });
});

test("the prompt's digest covers question and evidence and nothing else", () => {
  const base = fingerprints(asked);
  expect(base.prompt_fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
  const moved = fingerprints({ ...asked, questionLine: 9, options: [] });
  expect(moved.prompt_fingerprint).toBe(base.prompt_fingerprint);
  for (const other of [{ question: "Proceed!" }, { evidence: ["rm -rf /"] }, { evidence: [] }])
    expect(fingerprints({ ...asked, ...other }).prompt_fingerprint).not.toBe(
      base.prompt_fingerprint,
    );
});

test("the options' digest covers every option wherever the focus is, which is named beside it", () => {
  const base = fingerprints(asked);
  const change = (change: Partial<PromptOption>) =>
    ({
      ...asked,
      options: [{ ...yes, ...change }, ...asked.options.slice(1)],
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
