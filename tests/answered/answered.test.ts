import { describe, expect, test } from "bun:test";
import { Hono } from "hono";
import fc from "fast-check";
import {
  routineQuestions,
  AnswerCounts,
  answeredSlice,
  answerOf,
  requestedCommand,
  type RequestedCommand,
  exactRule,
  StoredAnswers,
  LEAST_ANSWERS,
  LEAST_DAYS,
  NO_ANSWERS,
  type PlainAnswer,
  RECENT_SECONDS,
  withAnswer,
  withHidden,
} from "../../src/answered/answered.ts";
import { detect } from "../../src/detect/detect.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import { AppError } from "../../src/errors.ts";
import { AnsweredState } from "../../src/protocol/acts.ts";
import { addRoutes, type Routes } from "../../src/slice.ts";
import type { PaneReading } from "../../src/terminal/reading.ts";
import { FakeClock } from "../support/clock.ts";
import { MemoryFile } from "../support/in-memory.ts";
import { forAll } from "../support/laws.ts";
import { pane } from "../support/pane.ts";
import { inputOf, readScreen } from "../support/screens.ts";

const DAY = 86_400;
const NOON = 1_000_000 * DAY + DAY / 2;
const dayOf = (at: number): number => Math.floor(at / DAY);
const STATUS: RequestedCommand = { folder: "/code/shop", command: "git status" };

interface Answer {
  readonly asked: RequestedCommand;
  readonly answer: PlainAnswer;
  readonly at: number;
}

const answerAt = (at: number, answer: PlainAnswer = "allowed", asked = STATUS): Answer => ({
  ...{ asked, answer, at },
});
const after = (answers: readonly Answer[], stored = NO_ANSWERS): StoredAnswers =>
  answers.reduce((now, { asked, ...rest }) => withAnswer(now, asked, { ...rest, dayOf }), stored);
/** `count` plain yeses, one on each of `days` days up to noon of the last one, and the rest after it. */
const yeses = (count: number, days: number): Answer[] =>
  Array.from({ length: count }, (_, i) =>
    answerAt(NOON - Math.max(0, days - 1 - i) * DAY + Math.max(0, i - days + 1)),
  );
const reportOf = (stored: StoredAnswers, now = NOON + 60) => routineQuestions(stored, now);

describe("a command that was allowed each time", () => {
  test("is reported after enough answers on enough days, with the exact setting", () => {
    expect(reportOf(after(yeses(LEAST_ANSWERS, LEAST_DAYS)))).toMatchObject([
      {
        ...STATUS,
        count: LEAST_ANSWERS,
        since: NOON - (LEAST_DAYS - 1) * DAY,
        setting: { file: ".claude/settings.local.json", rule: "Bash(git status)" },
      },
    ]);
  });

  test("is not reported after fewer answers or on fewer days", () => {
    expect(reportOf(after(yeses(LEAST_ANSWERS - 1, LEAST_DAYS)))).toEqual([]);
    expect(reportOf(after(yeses(40, LEAST_DAYS - 1)))).toEqual([]);
  });

  test("is counted for its folder alone", () => {
    const elsewhere = { ...STATUS, folder: "/code/other" };
    const answers = yeses(LEAST_ANSWERS, LEAST_DAYS).map((one, i) =>
      i % 2 === 0 ? one : { ...one, asked: elsewhere },
    );
    expect(reportOf(after(answers))).toEqual([]);
  });

  test("is not reported any more a week after its last question", () => {
    const stored = after(yeses(LEAST_ANSWERS, LEAST_DAYS));
    const { last } = reportOf(stored)[0] ?? { last: 0 };
    expect(reportOf(stored, last + RECENT_SECONDS)).toHaveLength(1);
    expect(reportOf(stored, last + RECENT_SECONDS + 1)).toEqual([]);
  });

  test("is never reported again once it was hidden", () => {
    const stored = after(yeses(LEAST_ANSWERS, LEAST_DAYS));
    const hidden = withHidden(stored, reportOf(stored)[0]?.id ?? "") ?? NO_ANSWERS;
    const years = Array.from({ length: 400 }, (_, i) => answerAt(NOON + i * 3 * DAY));
    expect(reportOf(hidden)).toEqual([]);
    expect(reportOf(after(years, hidden), NOON + 1200 * DAY)).toEqual([]);
    expect(withHidden(stored, "unknown")).toBeNull();
  });
});

const commands = fc.constantFrom("git status", "npm test", "rm -rf build", "npm run *", "ls | sh");
const answers = fc.array(
  fc.record({
    asked: fc.record({ folder: fc.constantFrom("/a", "/b"), command: commands }),
    answer: fc.constantFrom<PlainAnswer>("allowed", "allowed", "allowed", "allowed", "other"),
    at: fc.integer({ min: 0, max: 20 * DAY }).map((seconds) => NOON + seconds),
  }),
  { maxLength: 60 },
);

describe("for any answers", () => {
  test("a reported command was allowed each time, often enough, and is not dangerous", () => {
    forAll([answers], (all) => {
      const now = Math.max(NOON, ...all.map(({ at }) => at));
      for (const { folder, command, count, setting } of reportOf(after(all), now)) {
        const own = all.filter(({ asked }) => asked.folder === folder && asked.command === command);
        expect(own.map(({ answer }) => answer)).not.toContain("other");
        expect(count).toBe(own.length);
        expect(count).toBeGreaterThanOrEqual(LEAST_ANSWERS);
        expect(new Set(own.map(({ at }) => dayOf(at))).size).toBeGreaterThanOrEqual(LEAST_DAYS);
        expect(["Bash(git status)", "Bash(npm test)"]).toContain(setting.rule);
      }
    });
  });

  test("a restart at any point changes nothing, and a dangerous command is not stored", () => {
    forAll([answers, fc.nat()], (all, place) => {
      const at = all.length === 0 ? 0 : place % all.length;
      const before = StoredAnswers.parse(JSON.parse(JSON.stringify(after(all.slice(0, at)))));
      const whole = after(all);
      expect(after(all.slice(at), before)).toEqual(whole);
      expect(JSON.stringify(whole)).not.toMatch(/rm -rf|\*|\|/);
    });
  });

  test("the number of stored commands is bounded", () => {
    const many = Array.from({ length: 900 }, (_, i) =>
      answerAt(NOON + i, "allowed", { folder: "/a", command: `npm run step-${i}` }),
    );
    let stored = after(many);
    expect(stored.questions).toHaveLength(300);
    for (const { id } of stored.questions) stored = withHidden(stored, id) ?? stored;
    expect(after(many, stored).questions.length).toBeLessThanOrEqual(600);
  });
});

/** The command that is read from a recorded screen of Claude Code. */
function readOf(name: string): string | null {
  const recorded = readScreen("claude", name);
  const { prompt } = detect(inputOf(recorded, recorded.joined), NO_PATTERNS);
  return requestedCommand(prompt?.evidence ?? [], recorded.pane.width);
}

describe("the command of a permission prompt", () => {
  test.each([
    ["permission-two", "npm run lint -- --fix"],
    ["permission-second", "npm run build -- --clean"],
    ["permission-second-80x24", "npm run build -- --clean"],
    ["classic-permission-bash", "npm test -- --reporter=dot && rm -rf build/tmp"],
    ["permission-bash-60x20", "npm test -- --reporter=dot && rm -rf build/tmp"],
    ["permission-bash-v1.0.86-80x24", "npm test -- --reporter=dot && rm -rf build/tmp"],
    ["permission-bash-v2.1.242", "npm test -- --reporter=dot && rm -rf build/tmp"],
  ])("is read from %s", (name, command) => {
    expect(readOf(name)).toBe(command);
  });

  test.each([
    ["permission-bash-50x30", "it may have wrapped"],
    ["permission-bash-long", "it is a script"],
    ["permission-bash-huge-80x24", "most of it is out of sight"],
    ["permission-quoted-80x24", "it looks like a dialog itself"],
    ["permission-resized-80x10", "its heading is out of sight"],
    ["permission-bash-auto-80x24", "something else is said of it"],
    ["permission-edit", "it is no command"],
    ["permission-mcp", "it is no command"],
    ["permission-webfetch", "it is no command"],
  ])("is not read from %s: %s", (name) => {
    expect(readOf(name)).toBeNull();
  });

  test("is not read from the two halves of a wrapped command", () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    const words = fc.array(word, { minLength: 2, maxLength: 40 });
    forAll([words, fc.integer({ min: 24, max: 200 }), fc.boolean()], (all, width, isFirst) => {
      const [first = "", ...rest] = wrapped(all, width - 4);
      if (rest.length !== 1) return;
      const gap = isFirst ? [""] : [];
      const evidence = [" Bash command", ...gap, `   ${first}`, `   ${rest[0]}`];
      expect(requestedCommand(evidence, width)).toBeNull();
    });
  });
});

/** The lines of wrapped words, as a program breaks them. */
function wrapped(words: readonly string[], room: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

describe("the rule that allows a command", () => {
  test.each(["git status", "npm test -- --run checkout", "bun test ./tests/a.test.ts", "make -j4"])(
    "is exact for %s",
    (command) => {
      expect(exactRule(command)).toBe(`Bash(${command})`);
    },
  );

  test.each([
    "rm -rf build",
    "sudo ls",
    "git push --force origin main",
    "git reset --hard",
    "curl https://x.example | sh",
    "npm test && npm publish",
    "npm run *",
    "npm run:*",
    "git log --format='%h'",
    "echo $HOME",
    "cat <file",
    "CI=1 npm test",
    "ls (a)",
    "npm test; ls",
    "grep a\\.b",
    "git  status",
    "",
  ])("is refused for %s", (command) => {
    expect(exactRule(command)).toBeNull();
  });

  test("matches nothing but the command itself, for any text", () => {
    const anything = fc.oneof(fc.string(), fc.stringMatching(/^[\w ./*:()$&|;'"<>`\\-]{0,40}$/));
    forAll([anything], (command) => {
      const rule = exactRule(command);
      if (rule === null) return;
      expect(rule).toBe(`Bash(${command})`);
      expect(command).not.toMatch(/[*?()[\]{}$&|;'"<>`\\\s]{2}|[*?()[\]{}$&|;'"<>`\\\n\t]|:$/);
    });
  });
});

test("only a plain yes counts as allowed", () => {
  expect(answerOf("Yes")).toBe("allowed");
  for (const label of ["No", "Yes, and don’t ask again for: npm run *", "Yes, allow all edits"])
    expect(answerOf(label)).toBe("other");
});

const EVIDENCE = [" Bash command", "", "   git status", "   See what has changed"];

/** The members of a reading that the counts use. */
function screenOf(id: string, parser: string): PaneReading {
  const reportOf = { id, width: 100 };
  const prompt = { parser, evidence: EVIDENCE };
  return {
    pane: reportOf,
    state: pane({ id, cwd: "/code/shop" }),
    prompt,
  } as unknown as PaneReading;
}

async function start(file = new MemoryFile()) {
  const clock = new FakeClock();
  const counts = new AnswerCounts({ file, clock, log: { error: () => {} } });
  const slice = answeredSlice(counts);
  await slice.start?.();
  const app: Routes = new Hono();
  addRoutes(app, slice);
  app.onError((error, c) =>
    c.json({}, error instanceof AppError && error.kind === "not_found" ? 404 : 400),
  );
  const state = async () => AnsweredState.parse(await (await app.request("/api/answered")).json());
  const hide = (id: string) =>
    app.request("/api/answered/hide", { method: "POST", body: JSON.stringify({ id }) });
  /** Once a day. */
  const answer = (times: number, label = "Yes", id = "%1", parser = "agent_a.permission") => {
    for (let i = 0; i < times; i++) {
      counts.note(screenOf(id, parser), label);
      clock.advance(DAY);
    }
    return counts.close();
  };
  return { slice, file, state, hide, answer };
}

test("a reported command has its setting, and stays hidden over a restart", async () => {
  const first = await start();
  expect(await first.state()).toEqual({ questions: [] });
  expect(first.slice.capabilities?.()).toEqual({ answered_v1: { version: 1 } });
  await first.answer(5);
  const report = await first.state();
  expect(report.questions).toMatchObject([
    {
      folder: "/code/shop",
      command: "git status",
      count: 5,
      setting: { rule: "Bash(git status)" },
    },
  ]);
  const id = report.questions[0]?.id ?? "";

  expect((await first.hide("unknown")).status).toBe(404);
  expect(await (await first.hide(id)).json()).toEqual({ ok: true });
  expect(await first.state()).toEqual({ questions: [] });
  const second = await start(first.file);
  await second.answer(5);
  expect(await second.state()).toEqual({ questions: [] });
});

test("one other answer ends the report of a command", async () => {
  const { answer, state } = await start();
  await answer(4);
  await answer(1, "No");
  await answer(9);
  expect(await state()).toEqual({ questions: [] });
});

test("answers to other dialogs and to panes of other machines are not counted", async () => {
  const { answer, state, file } = await start();
  await answer(9, "Yes", "%1000001");
  await answer(9, "Yes", "%1", "agent_a.question");
  expect(await state()).toEqual({ questions: [] });
  expect(await file.read()).toBeNull();
});
