import { expect, test } from "bun:test";
import { CardOffers } from "../../web/views/queue/acts.tsx";
import type { Client } from "../../web/state/client.ts";
import { COMMANDS, commandFor } from "../../web/views/commands/table.ts";
import { fixturePanes } from "../support/fixture-panes.ts";

test("no two commands have the same keys, except the keys in the lines of a file", () => {
  const keysOf = (isOfFiles: boolean) =>
    COMMANDS.flatMap(({ group, keys, run }) =>
      keys === undefined || run === undefined || (group === "Changes") !== isOfFiles ? [] : [keys],
    );
  const [keys, ofFiles] = [keysOf(false), keysOf(true)];
  expect(keys.length).toBeGreaterThan(30);
  expect(new Set(keys).size).toBe(keys.length);
  expect(ofFiles).toEqual(["j", "k", "n", "p", "r"]);
});

test("a command in the palette can be run, and a command without keys is in the palette", () => {
  for (const { label, icon, keys, run } of COMMANDS) {
    if (icon !== undefined) expect([label, run]).toEqual([label, expect.any(Function)]);
    if (keys === undefined) expect([label, icon]).toEqual([label, expect.any(String)]);
  }
});

test("a key runs the button of its own card, for as long as the button is offered", () => {
  const offers = new CardOffers();
  const done: string[] = [];
  const offer = (card: string, from: string) =>
    offers.offer({ card, act: "later", run: () => void done.push(from) });
  const leaves = [offer("a", "list"), offer("b", "list of b"), offer("a", "foot")];
  offers.find("a", "later")?.();
  leaves[2]?.();
  offers.find("a", "later")?.();
  expect(done).toEqual(["foot", "list"]);
  leaves[0]?.();
  expect([offers.find("a", "later"), offers.find("b", "mark")]).toEqual([null, null]);
});

test("the key s stars a pane only with the scope that allows it", () => {
  const [pane] = fixturePanes();
  const clientOf = (scope: string) =>
    ({
      browser: { router: { openPane: { value: pane?.id } } },
      server: { panes: { latest: () => pane }, may: (needed: string) => needed === scope },
    }) as unknown as Client; // All that the command asks for.
  expect(commandFor("s", clientOf("type"))?.label).toBe("Star");
  expect(commandFor("s", clientOf("answer"))).toBe(null);
});
