import { expect, jest, test } from "bun:test";
import { reusePanes } from "../../web/model/reuse.ts";
import { option } from "../support/fixture-panes.ts";
import { pane } from "../support/pane.ts";
import { serverOf } from "../support/page-server.ts";

test("panes that a view also shows are asked for until that view lets go of them", () => {
  const { panes } = serverOf();
  const card = panes.showAlso(["%1"]);
  const sheet = panes.showAlso(["%2", "%1"]);
  expect(panes.alsoShown.value).toEqual(["%1", "%2"]);
  sheet();
  // The card below the sheet still shows it.
  expect(panes.alsoShown.value).toEqual(["%1"]);
  card();
  card();
  expect(panes.alsoShown.value).toEqual([]);
});

test("a change that is being saved overlays every snapshot until it is saved or refused", () => {
  jest.useFakeTimers();
  try {
    const { panes } = serverOf();
    const starred = () => panes.find("%1")?.starred;
    const tell = (isStarred: boolean, title: string) =>
      panes.take({
        panes: [pane({ id: "%1", starred: isStarred, title })],
        styles: new Map(),
        cards: [],
      });
    tell(false, "first");
    const saved = panes.overlay("%1", { starred: true });
    tell(false, "of a pass before it was saved");
    expect(starred()).toBe(true);
    saved(true);
    tell(false, "begun before, published after the reply");
    expect(starred()).toBe(true);
    jest.advanceTimersByTime(2000);
    expect(starred()).toBe(false);

    const refused = panes.overlay("%1", { starred: true });
    expect(starred()).toBe(true);
    refused(false);
    expect(starred()).toBe(false);
  } finally {
    jest.useRealTimers();
  }
});

const asking = (id: string, question: string) =>
  pane({ id, status: "needs_input", question, menu: [option("1", "Yes")], lines: ["one", "two"] });

test("an unchanged pane keeps its object, a changed one is the new object", () => {
  const [kept, old] = [asking("%1", "Go on?"), asking("%2", "Which?")];
  const fresh = [asking("%2", "Which one?"), structuredClone(kept), asking("%3", "New?")];
  const shown = reusePanes([kept, old], fresh);
  expect(shown.map((one, i) => [one === kept, one === fresh[i]])).toEqual([
    ...[
      [false, true],
      [true, false],
      [false, true],
    ],
  ]);
  expect(reusePanes(shown, structuredClone(fresh))).toBe(shown);
});

test("a difference in any member of a pane, however deep, makes a new object", () => {
  const before = asking("%1", "Go on?");
  for (const change of [
    { lines: ["one", "other"] },
    { preview: ["other"] },
    { starred: true },
    { menu: [{ ...option("1", "Yes"), selected: true }] },
    { capabilities: { ...before.capabilities, broadcast: !before.capabilities.broadcast } },
  ]) {
    const after = { ...before, ...change };
    expect(reusePanes([before], [after])[0]).toBe(after);
  }
});
