import { describe, expect, test } from "bun:test";
import { type LogEntry, NewEntries, renderEntry } from "../../src/cli/log.ts";
import { Act, type ActState } from "../../src/protocol/act.ts";
import { fixture } from "../support/fixture.ts";

const by = { grant: "pixel", name: "Pixel 9" };
const act = (seq: number, state: ActState = "sent", more: Partial<Act> = {}): LogEntry => ({
  ...fixture(Act, { key: `k${seq}`, kind: "select", label: "Yes", target: "work:1.0", by, state }),
  ...more,
  seq,
});
const at = new Date(2026, 10, 23, 9, 5, 7).getTime() / 1000;

describe("a line of the log", () => {
  test("a line has the time, client, pane, action and outcome of an act", () => {
    const about = { kind: "question", text: "Proceed?" } as const;
    expect(renderEntry(act(1, "confirmed", { at, about }), false)).toBe(
      "2026-11-23 09:05:07  Pixel 9  work:1.0  select: Yes  confirmed  Proceed?\n",
    );
    expect(renderEntry(act(1, "refused", { at, reason: "prompt_changed" }), false)).toBe(
      "2026-11-23 09:05:07  Pixel 9  work:1.0  select: Yes  refused: prompt changed\n",
    );
  });

  test("a line has the change and the count of an access event", () => {
    const refused = { kind: "sign_refused", what: "192.0.2.9", by, at, count: 21, seq: 4 } as const;
    expect(renderEntry(refused, false)).toBe(
      "2026-11-23 09:05:07  Pixel 9  sign refused  192.0.2.9  21 times\n",
    );
  });

  test("a line has no control characters", () => {
    const evil = act(1, "sent", { at, target: "a\u001b[2Jb" });
    expect(renderEntry(evil, false)).not.toContain("\u001b");
    const asked = act(1, "sent", { at, target: "a\u009b2J\u202eb\u2066" });
    expect(renderEntry(asked, true)).not.toMatch(/[\u0080-\u009f\p{Bidi_Control}]/u);
    expect(JSON.parse(renderEntry(asked, true))).toEqual(asked);
  });

  test("a line with --json is the whole entry", () => {
    expect(JSON.parse(renderEntry(act(7), true))).toEqual(act(7));
  });
});

test("following prints each entry once, and an act once its outcome is known", () => {
  const news = new NewEntries();
  const seqs = (...entries: LogEntry[]) => news.take(entries).map(({ seq }) => seq);
  expect(seqs(act(1), act(2, "sending"), act(3))).toEqual([1, 3]);
  expect(news.printedTo).toBe(1);
  expect(seqs(act(2, "sending"), act(3), act(4))).toEqual([4]);
  expect(seqs(act(2, "unknown"), act(3), act(4))).toEqual([2]);
  expect(news.printedTo).toBe(4);
  expect(seqs()).toEqual([]);
  expect(news.printedTo).toBe(4);
});

test("following starts again when the record was started again", () => {
  const news = new NewEntries();
  const seqs = (...entries: LogEntry[]) => news.take(entries).map(({ seq }) => seq);
  expect(seqs(act(7), act(8), act(9, "sending"))).toEqual([7, 8]);
  expect(seqs(act(1), act(2))).toEqual([1, 2]);
  expect(seqs(act(1), act(2), act(3))).toEqual([3]);
});
