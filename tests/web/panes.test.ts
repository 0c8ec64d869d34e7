import { expect, test } from "bun:test";
import { Panes } from "../../web/state/server/panes.ts";

test("what a view shows of other panes is asked for until that view lets go of it", () => {
  const panes = new Panes({ nowMs: () => 0, nextFrame: (run) => run() });
  const card = panes.showAlso(["%1"]);
  const sheet = panes.showAlso(["%2", "%1"]);
  expect(panes.alsoShown.value).toEqual(["%1", "%2"]);
  sheet();
  // The card below the sheet goes on.
  expect(panes.alsoShown.value).toEqual(["%1"]);
  card();
  card();
  expect(panes.alsoShown.value).toEqual([]);
});
