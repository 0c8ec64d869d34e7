import fc from "fast-check";
import { describe, expect, test } from "bun:test";
import type {
  SeenAct,
  SeenMessage,
  SeenStep,
  SeenTimelineEvent,
} from "../../src/protocol/tolerant-later.ts";
import { MAX_PARTS, parseProse, pieceSource, type ProsePiece } from "../../web/model/chat/prose.ts";
import {
  MAX_LINES,
  keepBlocks,
  groupSteps,
  partOf,
  streamOf,
  type Line,
  type ChatContent,
} from "../../web/model/chat/stream.ts";
import { happenings, midnightBefore } from "../../web/model/timeline.ts";
import { mergeStretches } from "../../web/state/server/agents/agent.ts";
import { daysBetween } from "../../web/words/common.ts";
import { dayOf } from "../../web/words/times.ts";
import { uuid } from "../review/works.ts";
import { messageOf } from "../support/fixture-work.ts";
import { stage } from "./agents/stage.ts";
import { forAll } from "../support/laws.ts";

const message = (at: number, content = "words"): SeenMessage => ({
  ...messageOf("one", "assistant", content, at),
  id: uuid(at),
});
const step = (
  at: number,
  kind: SeenStep["kind"] = "run",
  more: Partial<SeenStep> = {},
): SeenStep => ({
  ...{ id: `s${at}`, at, kind, title: `step ${at}`, added: null, removed: null, state: "done" },
  ...more,
});
const event = (
  id: string,
  at: number,
  delta: SeenTimelineEvent["delta"] = {},
  type: SeenTimelineEvent["type"] = "completed",
): SeenTimelineEvent => ({
  ...{ id, agent_id: "one", sequence: 1, type, delta, title: "" },
  ...{ occurred_at: at, created_at: at, context: null },
});
const item = (title: string) => ({ id: title, title, completed_at: 1, created_at: 1 });
const act = (at: number, kind: SeenAct["kind"] = "select"): SeenAct => ({
  ...{ key: `k${at}`, pane_id: "%1", target: "a:0.0", kind, label: "Yes", about: null },
  ...{ by: { grant: "g", name: "Pixel 9" }, at, state: "confirmed", reason: null, seq: at },
});
const contentOf = (more: Partial<ChatContent>): ChatContent => ({
  ...{ messages: [], hasOlder: false, hasNewer: false, steps: [], events: [], open: 0, acts: [] },
  ...{ reviewedAt: null, ...more },
});
/** The kinds and times of lines; `5+6` is a line of two steps. */
const brief = (lines: readonly Line[]) =>
  lines
    .map((line) =>
      line.kind === "steps" ? line.steps.map(({ at }) => at).join("+") : `${line.kind} ${line.at}`,
    )
    .join(", ");

describe("the stream of a chat", () => {
  test("is in the order of time, with the steps between two lines together", () => {
    const lines = streamOf(
      contentOf({
        messages: [message(10), message(50)],
        steps: [step(5), step(11), step(12), step(31), step(60)],
        events: [event("e", 30, { completed: [item("tests")] })],
        acts: [act(40), act(41, "text")],
        reviewedAt: 45,
      }),
      [],
    );
    expect(brief(lines)).toBe(
      "5, message 10, 11+12, event 30, 31, act 40, reviewed 45, message 50, 60",
    );
    expect(brief(partOf(lines, "said"))).toBe("message 10, reviewed 45, message 50");
    expect(brief(partOf(lines, "decisions"))).toBe("act 40");
    expect(brief(partOf(lines, "steps"))).toBe("5, 11+12, 31, 60");
  });

  test("leaves out steps and acts from before and after the messages that are loaded", () => {
    const some = { messages: [message(10), message(20)], steps: [step(5), step(15), step(25)] };
    const others = { acts: [act(1), act(30)], reviewedAt: 3 };
    const cut = streamOf(contentOf({ ...some, ...others, hasOlder: true, hasNewer: true }), []);
    expect(brief(cut)).toBe("message 10, 15, message 20");
  });

  test("keeps the line objects that did not change, when the same content is read again", () => {
    const all = contentOf({ messages: [message(10), message(20)], steps: [step(11), step(12)] });
    const before = streamOf(all, []);
    const isKept = (...steps: SeenStep[]) =>
      streamOf(structuredClone({ ...all, steps }), before).map((line, i) => line === before[i]);
    expect(isKept(step(11), step(12), step(21))).toEqual([true, true, true, false]);
    expect(isKept(step(11), step(12, "run", { state: "failed" }))).toEqual([true, false, true]);
  });
});

describe("the blocks of a chat", () => {
  const line = (n: number, length = 5): Line => ({
    ...{ kind: "message", key: uuid(n), at: n, message: message(n, "x".repeat(length)) },
  });
  const run = (from: number, until: number) =>
    Array.from({ length: until - from }, (_, i) => line(from + i));

  test("hold every line once, in order, and are bounded", () => {
    const done = (n: number): Line => ({
      ...{ kind: "steps", key: uuid(n), at: n, steps: [step(n)] },
    });
    const sizes = fc.array(fc.option(fc.nat(9000)), { maxLength: 80 });
    forAll([sizes], (all) => {
      const lines = all.map((size, n) => (size === null ? done(n) : line(n, size)));
      const blocks = keepBlocks([], lines, lines[7]?.key ?? null);
      expect(blocks.flatMap((block) => block.lines)).toEqual(lines);
      const longest = Math.max(0, ...blocks.map((block) => block.lines.length));
      // A line of steps may stand before, between and after the others.
      expect(longest).toBeLessThanOrEqual(2 * MAX_LINES + 1);
      if (lines[7]) expect(blocks.map(({ key }) => key)).toContain(lines[7].key);
    });
  });

  test("hold the same messages once steps have come between them", () => {
    const messages = Array.from({ length: 30 }, (_, n) => message(10 * n));
    const steps = messages.map(({ created_at }) => step(created_at + 1));
    const before = keepBlocks([], streamOf(contentOf({ messages }), []));
    const after = keepBlocks(before, streamOf(contentOf({ messages, steps }), []));
    const saidIn = (blocks: typeof before) =>
      blocks.map(({ lines }) => lines.filter(({ kind }) => kind === "message"));
    expect(saidIn(after)).toEqual(saidIn(before));
  });

  test("stay the same objects where lines come at either end", () => {
    forAll([fc.nat(120), fc.nat(60), fc.nat(60)], (middle, older, newer) => {
      const own = run(1000, 1000 + middle);
      const before = keepBlocks([], own);
      const [before1000, behind] = [run(1000 - older, 1000), 1000 + middle];
      const all = [...before1000, ...own, ...run(behind, behind + newer)];
      const after = keepBlocks(before, all);
      expect(after.flatMap((block) => block.lines)).toEqual(all);
      const kept = before.slice(0, newer > 0 ? -1 : undefined);
      expect(kept.every((block) => after.includes(block))).toBe(true);
    });
  });
});

describe("the happenings of a chat", () => {
  const brief = (events: readonly SeenTimelineEvent[], open = 0) =>
    happenings(events, open)
      .map(({ kind, items }) => [kind, ...items.map(({ title }) => title)].join(" "))
      .join(", ");
  const blocker = (title: string) => ({ ...item(title), source: "runtime_plan" as const });

  test("are the parts of an event that are worth a line", () => {
    const delta = {
      completed: [item("tests")],
      new_blockers: [blocker("no key")],
      decisions_added: [item("Which port?")],
      goal_changed: { from: null, to: "Ship it" },
      current_task_changed: { from: null, to: "Write docs" },
      lifecycle_changed: { from: "working", to: "completed" },
    };
    expect(brief([event("a", 1, delta)])).toBe(
      "finished, goal Ship it, blocked no key, done tests, asked Which port?",
    );
    expect(brief([event("a", 1, { next_action_changed: { from: null, to: "x" } })])).toBe("");
    expect(brief([event("a", 1, { goal_changed: { from: "old", to: null } })])).toBe("");
  });

  test("mark as many of the newest questions as waiting as decisions are open", () => {
    const asked = (id: string, at: number) =>
      event(id, at, { decisions_added: [item(id)] }, "decision");
    expect(brief([asked("new", 300), asked("old", 100)], 1)).toBe("asked old, waits new");
  });

  test("appear once where they were reported twice in a minute", () => {
    const twice = { completed: [item("tests")] };
    expect(brief([event("b", 130, twice), event("a", 100, twice)])).toBe("done tests");
    expect(brief([event("b", 330, twice), event("a", 100, twice)])).toBe("done tests, done tests");
  });
});

test("reads in a row are one group of steps", () => {
  const listed = groupSteps([
    ...[step(1, "read"), step(2, "read"), step(3, "edit"), step(4, "read")],
    step(5, "read", { state: "failed" }),
  ]);
  const named = listed.map((line) => line.map(({ id }) => id).join(" "));
  expect(named).toEqual(["s1 s2", "s3", "s4", "s5"]);
});

test("stretches of steps are joined where they overlap, with the newer step, and else replaced", () => {
  const stretch = (from: number | null, to: number | null, ...ats: number[]) => ({
    ...{ steps: ats.map((at) => step(at)), from, to },
  });
  const known = stretch(10, null, 11, 20);
  const met = mergeStretches(known, {
    ...stretch(5, 15, 6, 11),
    steps: [step(6), step(11, "run", { state: "failed" })],
  });
  expect([met.from, met.to, met.steps.map(({ at }) => at)]).toEqual([5, null, [6, 11, 20]]);
  expect(met.steps[1]?.state).toBe("failed");
  const apart = stretch(1, 4, 2);
  expect(mergeStretches(known, apart)).toEqual(apart);
  expect(mergeStretches(null, apart)).toEqual(apart);
});

test("steps around shown messages that could not be read are read once the server answers again", async () => {
  const network = { isThere: true };
  const { workspace, calls } = stage(({ path }) => {
    if (!network.isThere) return "lost";
    const [from, to] = path.includes("around") ? [5, 25] : [90, null];
    return { body: { steps: [], from, to } };
  });
  const { steps } = workspace.agent(uuid(1));
  await steps.load();
  network.isThere = false;
  const shown = [message(10), message(20)];
  await steps.cover(shown, true);
  expect(steps.failure.value).toEqual({ kind: "lost" });
  network.isThere = true;
  const before = steps.value.value;
  await steps.reload();
  // The view covers its messages whenever other steps are known.
  expect(steps.value.value).not.toBe(before);
  await steps.cover(shown, true);
  expect(steps.value.value).toMatchObject({ from: 5, to: 25 });
  // A log may have no steps there: it is asked once.
  const asked = calls.length;
  await steps.cover([message(40), message(50)], true);
  await steps.cover([message(40), message(50)], true);
  expect(calls.length).toBe(asked + 1);
});

const moments = fc.integer({ min: 1.6e9, max: 2.2e9 });

test("a search over some days begins at the reader's midnight", () => {
  forAll([moments, fc.nat(60)], (now, days) => {
    const begin = midnightBefore(now, days);
    const day = new Date(begin * 1000);
    expect([day.getHours(), day.getMinutes(), day.getSeconds()]).toEqual([0, 0, 0]);
    expect(daysBetween(begin, now)).toBe(days);
  });
});

test("a day is shown by its number and the name of its month", () => {
  const days = Array.from({ length: 12 }, (_, month) => new Date(2026, month, 3));
  expect(days.map((day) => dayOf(day.getTime() / 1000))).toEqual(
    days.map((day) => `3 ${day.toLocaleDateString("en", { month: "long" })}`),
  );
});

/** Text that is likely to hold what the parser looks for. */
const scraps = fc.constantFrom(
  ...["`", "``", "```", "````", "~~~", "\n", " ", "ts", "a_b", "http://", "https://example.org/a"],
  ...["(https://example.org/a_(b))", "javascript:alert(1)", "HTTPS://EXAMPLE.ORG", "\u202e"],
  ...["\u200b", "é", "😀", ".", ")", "\r\n"],
);
const sources = fc.oneof(
  fc.array(scraps, { maxLength: 40 }).map((parts) => parts.join("")),
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
);
const piecesOf = (source: string): readonly ProsePiece[] =>
  parseProse(source).flatMap((block) => (block.kind === "prose" ? block.pieces : []));

/** The source of parsed prose, put together from its parts. */
const readAgain = (source: string): string =>
  parseProse(source)
    .flatMap((block) =>
      block.kind === "code" ? [block.open, block.text, block.close] : block.pieces.map(pieceSource),
    )
    .join("");

test("for any text: prose loses no character, and a link shows its http or https address whole", () => {
  forAll([sources], 2000, (source) => {
    expect(readAgain(source)).toBe(source);
    for (const piece of piecesOf(source)) {
      if (piece.kind !== "link") continue;
      expect(["http:", "https:"]).toContain(new URL(piece.href).protocol);
      expect(new URL(piece.text).href).toBe(piece.href);
      expect(piece.text).not.toMatch(/[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069]/);
    }
  });
});

test.each([
  ["See https://example.org/a.", "https://example.org/a"],
  ["(https://example.org/a)", "https://example.org/a"],
  ["https://example.org/a_(b)", "https://example.org/a_(b)"],
  ["[docs](https://example.org/a), then", "https://example.org/a"],
  ["**https://example.org**", "https://example.org"],
  ["https://example.org/a\u202egpj.exe", "https://example.org/a"],
])("the link in %j ends at its address", (source, expected) => {
  const links = piecesOf(source).filter(({ kind }) => kind === "link");
  expect(links.map(({ text }) => text)).toEqual([expected]);
});

test.each([
  "javascript://example.org",
  "file:///etc/passwd",
  "https://",
  "xhttp://a",
  "data:text/html,a",
])("%s is not made a link", (source) =>
  expect(piecesOf(source).some(({ kind }) => kind === "link")).toBe(false),
);

test("fenced code is a block of its own, also without its closing fence", () => {
  expect(parseProse("Now:\n```ts\nconst a = `b`;\n```\nDone.")).toEqual([
    { kind: "prose", pieces: [{ kind: "text", text: "Now:\n" }] },
    { kind: "code", open: "```ts\n", text: "const a = `b`;\n", close: "```\n" },
    { kind: "prose", pieces: [{ kind: "text", text: "Done." }] },
  ]);
  expect(parseProse("~~~\na\n```\nb")).toEqual([
    { kind: "code", open: "~~~\n", text: "a\n```\nb", close: "" },
  ]);
});

// In quadratic time either message takes many minutes.
test("a very long message of fences or of brackets behind a link is parsed in linear time", () => {
  expect(readAgain("```\n".repeat(400_000))).toHaveLength(4 * 400_000);
  const address = "https://example.org/a_(b)";
  const [link] = piecesOf(address + ")].".repeat(100_000));
  expect(link).toMatchObject({ kind: "link", text: address });
});

test.each(["```\n", "`a` ", "https://a.example/ ", "a\n```\nb\n```\n"])(
  "a long message of %j has a bounded number of parts, and all of its text",
  (part) => {
    const source = part.repeat(5000);
    const blocks = parseProse(source);
    expect(blocks.length).toBeLessThanOrEqual(MAX_PARTS + 2);
    expect(piecesOf(source).length).toBeLessThanOrEqual(3 * MAX_PARTS);
    expect(readAgain(source)).toBe(source);
  },
);

test("code within a line has its marks, and a mark without its partner is text", () => {
  expect(piecesOf("Use `a b` or ``c``, not ` alone")).toEqual([
    { kind: "text", text: "Use " },
    { kind: "code", text: "a b", mark: "`" },
    { kind: "text", text: " or " },
    { kind: "code", text: "c", mark: "``" },
    { kind: "text", text: ", not ` alone" },
  ]);
});
