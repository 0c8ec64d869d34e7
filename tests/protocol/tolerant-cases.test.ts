import { expect, test } from "bun:test";
import { CaseDraft, CaseSaved } from "../../src/protocol/cases.ts";
import { readCaseDraft, readCaseSaved } from "../../src/protocol/tolerant-cases.ts";
import { caseDraft } from "../support/fixture-replies.ts";

test("what the schemas take is read", () => {
  const draft = CaseDraft.parse(caseDraft());
  expect(readCaseDraft(draft)).toEqual({ ok: true, value: draft });
  expect(readCaseDraft({ ...draft, process: null, kind: "agent_z" }).ok).toBeTrue();
  const saved = CaseSaved.parse({ name: "agent_a-5f4f1d1f" });
  expect(readCaseSaved(saved)).toEqual({ ok: true, value: saved });
});

test("what the person must see before it is saved is never missing", () => {
  for (const member of ["draft", "lines", "title", "command", "process"])
    expect(readCaseDraft({ ...caseDraft(), [member]: undefined }).ok).toBeFalse();
  expect(readCaseSaved(null).ok).toBeFalse();
});
