import { computed } from "@preact/signals";
import { expect, test } from "bun:test";
import { Table } from "../../../web/state/server/agents/workspace.ts";

interface Row {
  readonly id: string;
  readonly revision: number;
  readonly text: string;
}
const row = (id: string, revision: number, text = ""): Row => ({ id, revision, text });

test("the newest revision wins, in whichever order replies come", () => {
  const table = new Table<Row>();
  const newer = row("a", 2, "newer");
  expect(table.upsert([newer])).toEqual([newer]);
  expect(table.upsert([row("a", 1, "older")])).toEqual([newer]);
  expect(table.get("a").value).toBe(newer);
});

test("a row that says nothing new is the very object that it was", () => {
  const table = new Table<Row>();
  const first = row("a", 1, "same");
  table.upsert([first]);
  const [again] = table.upsert([row("a", 1, "same")]);
  expect(again).toBe(first);
});

test("of one revision the later reading counts", () => {
  const table = new Table<Row>();
  table.upsert([row("a", 1, "in a pane"), row("a", 1, "in no pane")]);
  expect(table.get("a").value?.text).toBe("in no pane");
});

test("a row that goes says so to who reads it, and the others stay", () => {
  const table = new Table<Row>();
  table.upsert([row("a", 1), row("b", 1)]);
  const left = computed(() => ["a", "b"].filter((id) => table.get(id).value !== null));
  expect(left.value).toEqual(["a", "b"]);
  table.drop(({ id }) => id === "a");
  expect(left.value).toEqual(["b"]);
});

test("what another run of the server says is newer, whatever revision it counts", () => {
  const table = new Table<Row>();
  table.upsert([row("a", 9, "before")]);
  table.expire();
  expect(table.get("a").value?.text).toBe("before");
  table.upsert([row("a", 1, "after")]);
  table.upsert([row("a", 0, "late")]);
  expect(table.get("a").value?.text).toBe("after");
});
