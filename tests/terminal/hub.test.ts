import { expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import type { ScreenLine } from "../../src/detect/screen.ts";
import { createLog } from "../../src/lib/log.ts";
import { Hub, styleRun, type Publication } from "../../src/terminal/hub.ts";
import type { ListedPane } from "../../src/terminal/provider.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { pane } from "../support/pane.ts";

const publication = (members: Partial<Publication> = {}): Publication => ({
  at: 1000,
  panes: [],
  listed: [],
  lines: new Map(),
  sights: [],
  hasFailed: false,
  ...members,
});

async function listed(...sessions: string[]): Promise<readonly ListedPane[]> {
  const provider = new FakeProvider();
  for (const session of sessions) provider.open({ session });
  return (await provider.list(new AbortController().signal)).panes;
}

test("every publication is a new snapshot for every listener, until it leaves", () => {
  const hub = new Hub({ log: createLog(() => {}) });
  const seen: number[] = [];
  const leave = hub.subscribe(({ sequence }) => seen.push(sequence));
  const panes = [pane()];
  hub.publish(publication({ panes }));
  hub.publish(publication({ panes }));
  leave();
  hub.publish(publication());
  expect(seen).toEqual([1, 2]);
  expect(hub.current).toMatchObject({ sequence: 3, panes: [] });
});

test("a listener that throws is logged and costs the others nothing", () => {
  const lines: string[] = [];
  const hub = new Hub({ log: createLog((line) => lines.push(line)) });
  const seen: number[] = [];
  hub.subscribe(() => {
    throw new Error("broken listener");
  });
  hub.subscribe(({ sequence }) => seen.push(sequence));
  hub.publish(publication());
  expect(seen).toEqual([1]);
  expect(lines.join("")).toContain("broken listener");
});

test("a listed pane is found by id or target, and an id wins over a target like it", async () => {
  const hub = new Hub({ log: createLog(() => {}) });
  const panes = await listed("work", "other");
  const impostor = { ...panes[1], target: "%1" } as ListedPane;
  hub.publish(publication({ listed: [...panes.slice(0, 1), impostor] }));
  expect(hub.resolve("%1")).toBe(panes[0] ?? null);
  expect(hub.resolve("work:1.0")).toBe(panes[0] ?? null);
  expect(hub.resolve("%2")).toBe(impostor);
  expect(hub.resolve("other:2.0")).toBeNull();
});

test("styles are the runs of the lines, and the same lines give the same object", () => {
  const hub = new Hub({ log: createLog(() => {}) });
  const { lines } = parseScreen("plain\n\u001b[1;31mred\u001b[0m \u001b[2;48;5;200mdim\u001b[0m");
  const byId = new Map<string, readonly ScreenLine[]>([["%1", lines]]);
  hub.publish(publication({ lines: byId }));
  const before = hub.current.styles.get("%1");
  expect(before).toEqual([
    [],
    [
      { start: 0, length: 3, style: "b f1" },
      { start: 4, length: 3, style: "d g200" },
    ],
  ]);
  hub.publish(publication({ lines: byId }));
  expect(hub.current.styles.get("%1")).toBe(before);
  expect(hub.current.styles.get("%2")).toBeUndefined();
});

test("every attribute has its word", () => {
  const all = { bold: true, dim: true, italic: true, underline: true, strike: true } as const;
  expect(
    styleRun({ start: 0, length: 1, style: { ...all, inverse: true, fg: "#00ff00", bg: 7 } }),
  ).toEqual({ start: 0, length: 1, style: "b d i u s r f#00ff00 g7" });
});
