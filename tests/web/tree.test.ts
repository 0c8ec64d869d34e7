import { expect, test } from "bun:test";
import { groupPanes } from "../../web/model/filter.ts";
import { pane } from "../support/pane.ts";

const node = (kind: string, id: string, label: string) => ({ kind, id, label, position: null });
const inHerdr = (id: string, workspace: string) =>
  pane({
    id,
    hierarchy: [
      node("session", "session:1", "work"),
      node("workspace", `workspace:${workspace}`, workspace),
      node("tab", "tab:1", "databases"),
      node("pane", `pane:${id}`, "1"),
    ],
  });
const inTmux = (id: string, session: string) =>
  pane({ id, hierarchy: [node("session", `$${session}`, session), node("pane", id, "1")] });

test("panes stand by workspace where there are any, else by session", () => {
  const groups = groupPanes([
    inHerdr("h:1", "api"),
    inHerdr("h:2", "docs"),
    inHerdr("h:3", "api"),
    inTmux("%1", "main"),
  ]);
  expect(groups.map(({ label, ids }) => [label, ...ids])).toEqual([
    ["api", "h:1", "h:3"],
    ["docs", "h:2"],
    ["main", "%1"],
  ]);
});
