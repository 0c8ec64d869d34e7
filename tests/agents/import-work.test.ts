import type { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { MessageTable } from "../../src/agents/store/messages.ts";
import { EVERYTHING, messageEvent } from "./support/messages.ts";
import { sessionStore } from "./support/store.ts";
import { FakeClock } from "../support/clock.ts";

/** A database that counts its statements, and the rows that come back. */
function countingDatabase(database: Database) {
  const counts = { work: 0, statements: new Set<string>() };
  const countingStatement = (sql: string, statement: object) =>
    new Proxy(statement, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...params: unknown[]) => {
          const result: unknown = Reflect.apply(member, target, params);
          counts.statements.add(sql);
          counts.work += 1 + (Array.isArray(result) ? result.length : 0);
          return result;
        };
      },
    });
  const db = new Proxy(database, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "query") return member;
      return (sql: string) => countingStatement(sql, target.query(sql));
    },
  });
  return { counts, db };
}

/** Adds `count` messages with the same time, and measures the work for each. */
function workOf(count: number, textOf: (index: number) => string, sources: readonly string[]) {
  const { store, database, id } = sessionStore();
  const { counts, db } = countingDatabase(database);
  const table = new MessageTable(db, () => {}, new FakeClock());
  const add = (index: number, source: string, offset: number) => {
    const event = messageEvent(textOf(index), { source, marksRewinds: false });
    const read = { event, text: event.text, at: 100, generation: "log#1", offset };
    table.add(id, read, store.now);
  };
  let line = 0;
  for (let index = 0; index < count; index++)
    for (const source of sources) add(index, source, line++);
  const plans = [...counts.statements].flatMap((sql) =>
    database
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail),
  );
  return {
    each: counts.work / count,
    plans,
    messages: store.messages.page(id, EVERYTHING).messages.length,
  };
}

test.each([
  ["different messages", (index: number) => `message ${index}`, ["line"]],
  ["equal messages", () => "go on", ["line"]],
  ["equal messages in records of two types", () => "go on", ["line", "item"]],
] as const)(
  "importing a message costs no more when many messages have the same time: %s",
  (_name, textOf, sources) => {
    const few = workOf(40, textOf, sources);
    const many = workOf(160, textOf, sources);
    expect(few.messages).toBe(40);
    expect(many.messages).toBe(160);
    expect(many.each).toBeLessThan(few.each * 1.1);
    // No statement scans all messages of a session or of one time.
    const wide = /SCAN messages|messages_by_(?:time|record)/;
    expect(many.plans.filter((detail) => wide.test(detail))).toEqual([]);
    expect(many.plans.join("\n")).toContain("messages_by_words (agent_id=? AND words=?");
  },
);
