import { expect, test } from "bun:test";
import fc from "fast-check";
import { draftKey, draftTarget, followPrompt, parseDraft } from "../../web/model/drafts.ts";

const DAY_MS = 86_400_000;
const WRITTEN = { text: "careful words", choice: null, name: "api", savedAt: 1_000 };
const stored = JSON.stringify(WRITTEN);

test("a draft is kept for seven days and no longer", () => {
  expect(parseDraft(stored, 1_000 + 7 * DAY_MS)?.text).toBe("careful words");
  expect(parseDraft(stored, 1_001 + 7 * DAY_MS)).toBeNull();
});

test("what is no draft is none, and a broken choice costs the choice, not the text", () => {
  for (const text of [null, "", "{", "null", "[]", '{"text":1,"savedAt":1}', '{"text":"x"}'])
    expect(parseDraft(text, 0)).toBeNull();
  const broken = JSON.stringify({ ...WRITTEN, choice: { key: 3 } });
  expect(parseDraft(broken, 1_000)).toMatchObject({ text: "careful words", choice: null });
});

test("the text of a reply stays when its prompt goes, the choice does not", () => {
  const reply = { ...WRITTEN, images: [], choice: { key: "3", signature: "this" } };
  expect(followPrompt(reply, "this")).toBe(reply);
  expect(followPrompt(reply, "another")).toEqual({ ...reply, choice: null });
  expect(followPrompt(reply, null).text).toBe("careful words");
});

test("drafts of one server and target are never read as those of another", () => {
  const id = fc.stringMatching(/^[0-9a-f]{4,16}$/);
  fc.assert(
    fc.property(id, id, fc.string({ unit: "grapheme" }), (server, other, target) => {
      expect(draftTarget(draftKey(server, target), server)).toBe(target);
      if (server !== other) expect(draftTarget(draftKey(server, target), other)).toBeNull();
    }),
  );
});
