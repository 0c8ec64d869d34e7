import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  alwaysAllowed,
  type AskedCommand,
  KeptAnswers,
  LEAST_ANSWERS,
  LEAST_DAYS,
  NO_ANSWERS,
  type PlainAnswer,
  TOLD_SECONDS,
  withAnswer,
  withHidden,
} from "../../src/answered/answered.ts";
import { forAll } from "../support/laws.ts";

const DAY = 86_400;
const NOON = 1_000_000 * DAY + DAY / 2;
const dayOf = (at: number): number => Math.floor(at / DAY);
const STATUS: AskedCommand = { folder: "/code/shop", command: "git status" };

interface Given {
  readonly asked: AskedCommand;
  readonly answer: PlainAnswer;
  readonly at: number;
}

const given = (at: number, answer: PlainAnswer = "allowed", asked = STATUS): Given => ({
  ...{ asked, answer, at },
});
const after = (answers: readonly Given[], kept = NO_ANSWERS): KeptAnswers =>
  answers.reduce((now, { asked, ...rest }) => withAnswer(now, asked, { ...rest, dayOf }), kept);
/** So many plain yeses, the last of them at noon of day 0, one on each of `days` days before. */
const yeses = (count: number, days: number): Given[] =>
  Array.from({ length: count }, (_, i) =>
    given(NOON - Math.max(0, days - 1 - i) * DAY + Math.max(0, i - days + 1)),
  );
const told = (kept: KeptAnswers, now = NOON + 60) => alwaysAllowed(kept, now);

describe("what was always allowed is told", () => {
  test("after enough answers on enough days, with the exact setting", () => {
    expect(told(after(yeses(LEAST_ANSWERS, LEAST_DAYS)))).toMatchObject([
      {
        ...STATUS,
        count: LEAST_ANSWERS,
        since: NOON - (LEAST_DAYS - 1) * DAY,
        setting: { file: ".claude/settings.local.json", rule: "Bash(git status)" },
      },
    ]);
  });

  test("neither after fewer answers nor on fewer days", () => {
    expect(told(after(yeses(LEAST_ANSWERS - 1, LEAST_DAYS)))).toEqual([]);
    expect(told(after(yeses(40, LEAST_DAYS - 1)))).toEqual([]);
  });

  test("for its folder alone", () => {
    const elsewhere = { ...STATUS, folder: "/code/other" };
    const answers = yeses(LEAST_ANSWERS, LEAST_DAYS).map((one, i) =>
      i % 2 === 0 ? one : { ...one, asked: elsewhere },
    );
    expect(told(after(answers))).toEqual([]);
  });

  test("no more once it was not asked for a week: it is allowed by now, or over", () => {
    const kept = after(yeses(LEAST_ANSWERS, LEAST_DAYS));
    const { last } = told(kept)[0] ?? { last: 0 };
    expect(told(kept, last + TOLD_SECONDS)).toHaveLength(1);
    expect(told(kept, last + TOLD_SECONDS + 1)).toEqual([]);
  });

  test("and once put away never again", () => {
    const kept = after(yeses(LEAST_ANSWERS, LEAST_DAYS));
    const hidden = withHidden(kept, told(kept)[0]?.id ?? "") ?? NO_ANSWERS;
    const years = Array.from({ length: 400 }, (_, i) => given(NOON + i * 3 * DAY));
    expect(told(hidden)).toEqual([]);
    expect(told(after(years, hidden), NOON + 1200 * DAY)).toEqual([]);
    expect(withHidden(kept, "unknown")).toBeNull();
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

describe("whatever was answered", () => {
  test("what is told was answered alike each time, often enough, and never a danger", () => {
    forAll([answers], (all) => {
      const now = Math.max(NOON, ...all.map(({ at }) => at));
      for (const { folder, command, count, setting } of told(after(all), now)) {
        const own = all.filter(({ asked }) => asked.folder === folder && asked.command === command);
        expect(own.map(({ answer }) => answer)).not.toContain("other");
        expect(count).toBe(own.length);
        expect(count).toBeGreaterThanOrEqual(LEAST_ANSWERS);
        expect(new Set(own.map(({ at }) => dayOf(at))).size).toBeGreaterThanOrEqual(LEAST_DAYS);
        expect(["Bash(git status)", "Bash(npm test)"]).toContain(setting.rule);
      }
    });
  });

  test("a restart at any point changes nothing, and what is unfit is not written down", () => {
    forAll([answers, fc.nat()], (all, place) => {
      const at = all.length === 0 ? 0 : place % all.length;
      const before = KeptAnswers.parse(JSON.parse(JSON.stringify(after(all.slice(0, at)))));
      const whole = after(all);
      expect(after(all.slice(at), before)).toEqual(whole);
      expect(JSON.stringify(whole)).not.toMatch(/rm -rf|\*|\|/);
    });
  });

  test("what is kept is bounded", () => {
    const many = Array.from({ length: 900 }, (_, i) =>
      given(NOON + i, "allowed", { folder: "/a", command: `npm run step-${i}` }),
    );
    let kept = after(many);
    expect(kept.questions).toHaveLength(300);
    for (const { id } of kept.questions) kept = withHidden(kept, id) ?? kept;
    expect(after(many, kept).questions.length).toBeLessThanOrEqual(600);
  });
});
