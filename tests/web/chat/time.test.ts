import { expect, test } from "bun:test";
import fc from "fast-check";
import { beginOf, CHAT_TIME_NAMES, CHAT_TIMES, timeOfBegin } from "../../../web/model/timeline.ts";
import { daysBetween } from "../../../web/words/times.ts";

const moments = fc.integer({ min: 1.6e9, max: 2.2e9 });

test("a time of a chat begins at a midnight of the reader, so many days before today", () => {
  fc.assert(
    fc.property(moments, fc.constantFrom(...CHAT_TIME_NAMES), (now, time) => {
      const begin = beginOf(time, now);
      const day = new Date(begin * 1000);
      expect([day.getHours(), day.getMinutes(), day.getSeconds()]).toEqual([0, 0, 0]);
      expect(daysBetween(begin, now)).toBe(CHAT_TIMES[time]);
    }),
  );
});

test("it is known again by where it begins, and another moment is none of them", () => {
  fc.assert(
    fc.property(moments, fc.constantFrom(...CHAT_TIME_NAMES), (now, time) => {
      const begin = beginOf(time, now);
      expect(timeOfBegin(begin, now)).toBe(time);
      expect(timeOfBegin(begin + 60, now)).toBeNull();
    }),
  );
  expect(timeOfBegin(null, 1.7e9)).toBeNull();
});
