import { expect, test } from "bun:test";
import fc from "fast-check";
import { addMessage, EVERYTHING, messageEvent } from "./support/messages.ts";
import { memoryStore, newSession, sessionStore } from "./support/store.ts";
import { forAll } from "../support/laws.ts";

test("pages of messages hold each message once, whatever is added or taken back meanwhile", () => {
  const times = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 40 });
  forAll([times, times, fc.integer({ min: 1, max: 7 })], 60, (before, meanwhile, limit) => {
    const { store, id } = sessionStore();
    const add = (text: string, at: number) =>
      addMessage(store, id, messageEvent(text, { at, nativeId: text }));
    before.forEach((at, i) => add(`old ${i}`, at * 10));
    const seen: string[] = [];
    let cursor: string | null = null;
    let turn = 0;
    do {
      const page = store.messages.page(id, { ...EVERYTHING, cursor, limit });
      seen.unshift(...page.messages.map(({ content }) => content));
      cursor = page.next_cursor;
      const at = meanwhile[turn];
      // Newer than the first page: those who read on do not meet it.
      if (at !== undefined) add(`new ${turn}`, 1000 + at);
      turn++;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    const old = seen.filter((text) => text.startsWith("old"));
    expect(old.toSorted()).toEqual(before.map((_, i) => `old ${i}`).toSorted());
    const times = seen.map((text) => (before[Number(text.slice(4))] ?? 0) * 10);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

test("pages of sessions skip none that stays as it is, and repeat none", () => {
  const changes = fc.array(fc.integer({ min: 0, max: 11 }), { maxLength: 12 });
  forAll([changes, fc.integer({ min: 1, max: 5 })], 60, (touched, limit) => {
    const { store, clock } = memoryStore();
    const ids = Array.from({ length: 12 }, (_, i) => {
      clock.now += i % 3;
      return newSession(store, `s${i}`);
    });
    const moved = new Set<string>();
    const seen: string[] = [];
    let cursor: string | null = null;
    let turn = 0;
    do {
      const page: ReturnType<typeof store.sessions.page> = store.sessions.page(cursor, limit);
      seen.push(...page.agents.map(({ id }) => id));
      cursor = page.next_cursor;
      const id = ids[touched[turn++] ?? -1];
      if (id !== undefined) {
        clock.now += 1;
        moved.add(id);
        const now = store.sessions.get(id)?.lifecycle === "working" ? "idle" : "working";
        store.write(() => store.sessions.setLifecycle(id, now));
      }
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(seen.length);
    for (const id of ids) if (!moved.has(id)) expect(seen).toContain(id);
  });
});

test("a visit and the sequences only ever grow", () => {
  const steps = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 30 });
  forAll([steps], 60, (visited) => {
    const { store, id } = sessionStore();
    let highest = 0;
    let sequence = 0;
    for (const [i, step] of visited.entries()) {
      const lifecycle = i % 2 === 0 ? "working" : "idle";
      store.write(() => store.sessions.setLifecycle(id, lifecycle));
      const { events } = store.snapshots.page(id, null, 50);
      const newest = events[0]?.sequence ?? 0;
      expect(newest).toBeGreaterThan(sequence);
      sequence = newest;
      const snapshot = events[step % events.length];
      if (snapshot === undefined) continue;
      store.write(() => store.marks.advance("visit", snapshot, i));
      highest = Math.max(highest, snapshot.sequence);
      expect(store.marks.get(id, "visit")?.sequence).toBe(highest);
      if (step === 9) {
        void store.deleteHistory(id);
        highest = 0;
        store.write(() => store.sessions.setLifecycle(id, "waiting"));
      }
    }
  });
});
