import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { excerptOf } from "../../src/agents/queries.ts";
import { foldCase } from "../../src/agents/store/search-text.ts";
import { AgentStore } from "../../src/agents/store/store.ts";
import { MessageSearch } from "../../src/protocol/agent-replies.ts";
import { AgentStage } from "./support/agent-stage.ts";
import { migratedFrom } from "./support/store.ts";
import { FakeClock } from "../support/clock.ts";
import { forAll } from "../support/laws.ts";

let stage: AgentStage;
beforeEach(async () => {
  stage = new AgentStage();
  await stage.switchTo(true);
});
afterEach(() => stage.workspace.stop());

const search = async (query: string) => {
  const { status, body } = await stage.request("GET", `/api/messages?${query}`);
  return { status, body };
};
const texts = (body: MessageSearch) =>
  body.finds.map(({ before, match, after }) => [before, match, after]);

describe("GET /api/messages", () => {
  test("finds messages of every session, with the session and the words around each match", async () => {
    const one = stage.session("a", ["Why a café?", "The naïve Café is “Café Änne”."]);
    const two = stage.session("b", ["Nothing of this"]);
    const { status, body } = await search("q=CAFE");
    expect(status).toBe(200);
    expect(MessageSearch.parse(body)).toEqual(body);
    expect(texts(body)).toEqual([
      ["The naïve ", "Café", " is “Café Änne”."],
      ["Why a ", "café", "?"],
    ]);
    expect(body.agents).toMatchObject([{ id: one, runtime: "agent_a", lifecycle: "observing" }]);
    expect(body.next_cursor).toBe(null);
    const other = await search("q=nothing%20of");
    expect(other.body.finds).toMatchObject([{ agent_id: two, match: "Nothing of" }]);
  });

  test("searches one session, without case and accents", async () => {
    const one = stage.session("a", ["Why a café?"]);
    stage.session("b", ["The Café is closed"]);
    const { body } = await search(`q=cafe&agent_id=${one}`);
    expect(texts(body)).toEqual([["Why a ", "café", "?"]]);
    expect(body.agents.map(({ id }: { id: string }) => id)).toEqual([one]);
    expect((await search("q=cafe&agent_id=none")).body.finds).toEqual([]);
  });

  test("filters by role and by time", async () => {
    stage.session("a", ["the cursor", "a cursor indeed"]);
    const mine = await search("q=cursor&role=user");
    expect(texts(mine.body)).toEqual([["the ", "cursor", ""]]);
    const at = mine.body.finds[0]?.created_at ?? 0;
    expect(texts((await search(`q=cursor&before=${at}`)).body)).toEqual(texts(mine.body));
    expect((await search(`q=cursor&after=${at + 1e6}`)).body.finds).toEqual([]);
    expect(mine.body.retained_from).toBeLessThanOrEqual(at);
  });

  test("is in the capabilities while the workspace is on, and answers 503 while it is off", async () => {
    expect(stage.capabilities()).toMatchObject({ search_v1: { version: 1 } });
    await stage.switchTo(false);
    expect(stage.capabilities()).not.toHaveProperty("search_v1");
    expect((await search("q=cursor")).status).toBe(503);
  });

  test.each([
    ["", 422],
    ["q=a", 400],
    ["q=%20a%20", 400],
    [`q=a${encodeURIComponent("\u0301")}`, 400],
    [`q=${"a".repeat(201)}`, 422],
    ["q=ab&limit=101", 422],
    ["q=ab&role=nobody", 400],
    ["q=ab&cursor=bm9uZQ", 400],
    ["q=ab&after=2&before=1", 400],
  ])('refuses the query "%s" with %i', async (query, status) => {
    expect((await search(query)).status).toBe(status);
  });
});

test("the page around a message has cursors to older and newer pages, and takes no other filter", async () => {
  const id = stage.session("a", ["one", "two", "three", "four", "five"]);
  const path = `/api/agents/${id}/messages`;
  const list = async (query: string) => stage.request("GET", `${path}?${query}`);
  const { body: all } = await list("");
  expect(all).not.toHaveProperty("newer_cursor");
  const third = all.messages[2]?.id;
  const textsIn = ({ messages }: { messages: { content: string }[] }) =>
    messages.map(({ content }) => content);
  const { body } = await list(`around=${third}&limit=3`);
  expect(textsIn(body)).toEqual(["two", "three", "four"]);
  expect(textsIn((await list(`cursor=${body.next_cursor}`)).body)).toEqual(["one"]);
  const newer = await list(`newer=${body.newer_cursor}`);
  expect([textsIn(newer.body), newer.body.newer_cursor]).toEqual([["five"], null]);
  expect((await list(`around=${third}&q=two`)).status).toBe(400);
  expect((await list(`newer=${body.newer_cursor}&role=user`)).status).toBe(400);
  expect((await list("newer=nothing")).status).toBe(400);
  expect((await list("around=nobody")).status).toBe(404);
});

test("a search compares letters without case and accents, and keeps distinct letters apart", () => {
  const pairs = [
    ["Résumé", "RESUME"],
    ["cafe\u0301", "CAFÉ"],
    ["ΟΔΟΣ", "οδος"],
    ["İstanbul", "istanbul"],
    ["Ёлка", "елка"],
    ["漢字", "漢字"],
  ] as const;
  for (const [a, b] of pairs) expect([a, foldCase(a)]).toEqual([a, foldCase(b)]);
  // Distinct letters, and signs that are no accents.
  for (const [a, b] of [
    ["ø", "o"],
    ["ß", "ss"],
    ["が", "か"],
    ["^", "`"],
  ] as const)
    expect(foldCase(a)).not.toBe(foldCase(b));
});

const letters = [..."abAB .é漢😀İΣς", "e\u0301", "\n"];
const anyQuery = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 4 });
// A text may end with half a character; a query cannot.
const anyText = fc.string({ unit: fc.constantFrom(...letters, "\ud83d"), maxLength: 400 });

test("an excerpt is one short line with the words that match", () => {
  forAll([anyText, anyText, anyQuery], (a, b, q) => {
    const { before, match, after } = excerptOf(a + q + b, q);
    expect(foldCase(match)).toBe(foldCase(q).replace(/\s+/g, " "));
    const line = before + match + after;
    expect(line).not.toContain("\n");
    expect(line.length).toBeLessThan(270);
  });
});

test.each([
  ["한글 테스트", "하", "한"],
  ["がくせい", "か", "が"],
  ["नमस्ते", "नमस", "नमस्"],
])("an excerpt of %s keeps the whole letter of which the query has a part", (text, q, match) => {
  expect(excerptOf(text, q)).toEqual({ before: "", match, after: text.slice(match.length) });
});

test("an excerpt begins and ends between words", () => {
  const text = `${"many words before ".repeat(9)}needle${" many words after".repeat(20)}`;
  const { before, match, after } = excerptOf(text, "NEEDLE");
  expect(before).toMatch(/^… (many|words|before) .{40,80} before $/);
  expect(match).toBe("needle");
  expect(after).toMatch(/^ many .{100,160} (many|words|after) …$/);
});

test("messages of a store of an earlier version are found without accents", () => {
  const database = migratedFrom(8, (old) => {
    old.run(
      `INSERT INTO sessions (id, runtime, native_id, created_at, updated_at, revision, state, facts,
         binding, public) VALUES ('s', 'agent_a', 's', 1, 1, 0, '{}', '{}', '{}', '')`,
    );
    const add = old.query(
      `INSERT INTO messages (id, agent_id, role, content, status, source, generation, folded,
         created_at, updated_at) VALUES (?, 's', 'user', ?, 'observed', '', '', ?, ?, 1)`,
    );
    for (let index = 0; index < 1200; index++)
      add.run(`${index}`, index === 1100 ? "Über den Fluß" : `naïve ${index} …`, null, index);
  });
  const store = new AgentStore({ database, clock: new FakeClock() });
  const filters = { cursor: null, limit: 100, role: null, after: null, before: null };
  const found = (q: string) => store.messages.search(null, { ...filters, q }).messages;
  expect(found("uber").map(({ id }) => id)).toEqual(["1100"]);
  expect(found("NAIVE 7 ").map(({ id }) => id)).toEqual(["7"]);
  expect(found("naive").length).toBe(100);
});
