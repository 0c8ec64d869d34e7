import { expect, test } from "bun:test";
import { lastLinesOf } from "../../../web/model/excerpt.ts";
import { saidSince } from "../../../web/model/chat/reviewed.ts";
import { messageOf } from "../../support/fixture-work.ts";
import { pane } from "../../support/pane.ts";

const said = (...at: readonly number[]) =>
  at.map((time) => messageOf("agent", "assistant", `at ${time}`, time));
const texts = (messages: readonly { content: string }[]) => messages.map(({ content }) => content);
const reviewed = (at: number | null) => ({ reviewed_snapshot_at: at, reviewed_at: at });

test("what was said since the review, oldest first, and no more than is read at a glance", () => {
  expect(texts(saidSince(said(1, 2, 3, 4), reviewed(2)))).toEqual(["at 3", "at 4"]);
  expect(saidSince(said(1, 2), reviewed(2))).toEqual([]);
  const many = said(...Array.from({ length: 40 }, (_, index) => index + 1));
  const shown = texts(saidSince(many, reviewed(0)));
  expect([shown.length, shown.at(-1)]).toEqual([12, "at 40"]);
});

test("a first look has the last that led up to it", () => {
  expect(texts(saidSince(said(1, 2, 3, 4, 5, 6), reviewed(null)))).toEqual([
    "at 3",
    "at 4",
    "at 5",
    "at 6",
  ]);
  expect(saidSince([], null)).toEqual([]);
});

test("the end of a screen, without the empty rows below and above it", () => {
  const lines = ["first", "", "second", "third", "", ""];
  expect(lastLinesOf(pane({ lines }), 3)).toEqual(["second", "third"]);
  expect(lastLinesOf(pane({ lines }), 9)).toEqual(["first", "", "second", "third"]);
  expect(lastLinesOf(pane({ lines: [], preview: ["a", " "] }), 3)).toEqual(["a"]);
  expect(lastLinesOf(pane({ lines: [" "], preview: ["a"] }), 3)).toEqual([]);
});
