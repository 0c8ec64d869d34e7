import { expect, test } from "bun:test";
import fc from "fast-check";
import { draftKey, draftTarget, followPrompt, parseDraft } from "../../web/model/drafts.ts";
import { Drafts } from "../../web/state/server/drafts.ts";
import { MemoryStorage } from "../support/memory-storage.ts";
import { pane } from "../support/pane.ts";

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

const PANE = pane({ id: "%1", target: "api:1.1" });
const KEY = draftKey("here", "api:1.1");

test("what another tab has written or sent is followed, but not over what is being written here", () => {
  const storage = new MemoryStorage();
  const drafts = new Drafts(storage, () => "here");
  const text = () => drafts.of(PANE).value.text;
  drafts.set(PANE, { text: "mine" });
  drafts.follow(KEY, JSON.stringify({ ...WRITTEN, savedAt: Date.now() }));
  expect(text()).toBe("mine");
  drafts.saveAll();
  drafts.follow(KEY, JSON.stringify({ ...WRITTEN, savedAt: Date.now() }));
  expect(text()).toBe("careful words");
  drafts.follow(KEY, null);
  expect(text()).toBe("");
});

test("a page that was frozen reads again what it has missed", () => {
  const storage = new MemoryStorage();
  const drafts = new Drafts(storage, () => "here");
  drafts.set(PANE, { text: "sent by another tab meanwhile" });
  drafts.saveAll();
  storage.removeItem(KEY);
  drafts.reread();
  expect(drafts.of(PANE).value.text).toBe("");
});

test("a text that the storage had no room for stays in the page", () => {
  const storage = new MemoryStorage();
  const drafts = new Drafts(storage, () => "here");
  storage.isFull = true;
  drafts.set(PANE, { text: "nowhere but here" });
  drafts.saveAll();
  drafts.reread();
  expect(drafts.of(PANE).value.text).toBe("nowhere but here");
});
