import type { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { MessageTable } from "../../src/agents/store/messages.ts";
import { EVERYTHING, messageEvent } from "./support/messages.ts";
import { sessionStore } from "./support/store.ts";
import { FakeClock } from "../support/clock.ts";

/** Counts the statements of a table, and the rows that come back. */
function counted(database: Database) {
  const seen = { work: 0, statements: new Set<string>() };
  const watched = (sql: string, statement: object) =>
    new Proxy(statement, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...params: unknown[]) => {
          const result: unknown = Reflect.apply(member, target, params);
          seen.statements.add(sql);
          seen.work += 1 + (Array.isArray(result) ? result.length : 0);
          return result;
        };
      },
    });
  const db = new Proxy(database, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name !== "query") return member;
      return (sql: string) => watched(sql, target.query(sql));
    },
  });
  return { seen, db };
}

/** Adds `count` messages of one moment, and measures the work for each. */
function workOf(count: number, textOf: (index: number) => string, sources: readonly string[]) {
  const { store, database, id } = sessionStore();
  const { seen, db } = counted(database);
  const table = new MessageTable(db, () => {}, new FakeClock());
  const add = (index: number, source: string, offset: number) => {
    const event = messageEvent(textOf(index), { source, marksRewinds: false });
    const read = { event, text: event.text, at: 100, generation: "log#1", offset };
    table.add(id, read, store.now);
  };
  let line = 0;
  for (let index = 0; index < count; index++)
    for (const source of sources) add(index, source, line++);
  const plans = [...seen.statements].flatMap((sql) =>
    database
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail),
  );
  return {
    each: seen.work / count,
    plans,
    shown: store.messages.page(id, EVERYTHING).messages.length,
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
    expect(few.shown).toBe(40);
    expect(many.shown).toBe(160);
    expect(many.each).toBeLessThan(few.each * 1.1);
    // Nor does a single statement scan a whole session or moment.
    const wide = /SCAN messages|messages_by_(?:time|record)/;
    expect(many.plans.filter((detail) => wide.test(detail))).toEqual([]);
    expect(many.plans.join("\n")).toContain("messages_by_words (agent_id=? AND words=?");
  },
);
