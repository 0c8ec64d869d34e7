import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ListedPane } from "../../src/terminal/provider.ts";
import { OTHER_TMUX } from "../support/tmux-version.ts";
import { until } from "../support/until.ts";
import { fakeStage, remoteStage, tmuxStage, wspStandInStage, type Stage } from "./stage.ts";

const HOSTILE = [
  "tab\there",
  "two\nlines",
  "semi;colon && $(touch /tmp/x) `id` | > <",
  "#{pane_id} #(date) %H:%M",
  "quote ' \" \\ backslash",
  "emoji 🙂 漢字 é é ‮rtl",
  " leading and trailing ",
  "-t %99 --",
  "x".repeat(400),
];

const OF_TMUX = [
  ["tmux", tmuxStage],
  ["tmux of another machine", remoteStage],
] as const;
/** Stages that do not depend on the version of tmux. */
const OTHERS = [
  ["fake", fakeStage],
  ["herdr's stand-in", wspStandInStage],
] as const;
const STAGES = process.env[OTHER_TMUX] === undefined ? [...OF_TMUX, ...OTHERS] : OF_TMUX;

describe.each(STAGES)("a provider (%s)", (_name, open) => {
  let stage: Stage;
  const signal = new AbortController().signal;
  const list = async () => await stage.provider.list(signal);
  const capture = (panes: readonly ListedPane[], lines = 200) =>
    stage.provider.capture(panes, lines, signal);
  const textOf = async (pane: ListedPane) => {
    const found = (await capture([pane])).get(pane.id);
    return found && "text" in found ? found.text : "";
  };
  const listed = async (id: string) => {
    const pane = (await list()).find((each) => each.id === id);
    if (!pane) throw new Error(`${id} is not listed`);
    return pane;
  };

  beforeEach(async () => {
    stage = await open();
  });
  afterEach(() => stage.end());

  test("without a server the list is empty", async () => {
    expect(await stage.provider.list(signal)).toEqual([]);
  });

  test("a pane is listed with its hierarchy, title, size and identity", async () => {
    const id = await stage.open({ session: "main", window: "build", title: "the title" });
    const pane = await listed(id);
    expect(pane).toMatchObject({ title: "the title", window: "build", alternate: false });
    expect(pane.target).not.toBe("");
    const labels = pane.hierarchy.map((node) => [node.kind, node.label]);
    expect(labels[0]?.[0]).toBe("session");
    expect(labels.at(-3)?.[1]).toBe("main");
    expect(labels.at(-2)?.[1]).toBe("build");
    expect(labels.at(-1)).toEqual(["pane", "the title"]);
    expect(pane.identity).not.toBe("");
    expect(pane.height).toBe(24);
    // 0 where it is known from the drawn screen alone.
    expect([80, 0]).toContain(pane.width);
  });

  test("look gives the same pane and capture as list and capture", async () => {
    await stage.open();
    const id = await stage.open();
    await stage.print(id, "the words");
    const pane = await until(async () => {
      const each = await listed(id);
      return (await textOf(each)).includes("the words") ? each : null;
    });
    const seen = (await capture([pane])).get(id);
    if (!seen || seen instanceof Error) throw new Error("not captured");
    expect(await stage.provider.look(id, 200, signal)).toEqual({ pane, capture: seen });
  });

  test("look finds a pane that no listing has had, and gives null for a closed or unknown pane", async () => {
    const id = await stage.open();
    expect((await stage.provider.look(id, 200, signal))?.pane.id).toBe(id);
    await list();
    const other = await stage.open();
    await list();
    await stage.close(other);
    expect(await stage.provider.look(other, 200, signal)).toBeNull();
    expect(await stage.provider.look("no id of any provider", 200, signal)).toBeNull();
  });

  test("panes with hostile names are all listed, each with its own title", async () => {
    const ids: string[] = [];
    for (const name of HOSTILE)
      ids.push(await stage.open({ session: name, window: name, title: name }));
    const panes = await list();
    expect(panes.map((pane) => pane.id).toSorted()).toEqual(ids.toSorted());
    for (const pane of panes) {
      const name = HOSTILE[ids.indexOf(pane.id)] ?? "";
      // tmux refuses titles with control characters, and from 3.7 on doubles a backslash.
      const title = pane.title.replaceAll("\\\\", "\\").trim();
      if (!/[\t\n]/.test(name)) expect(title).toBe(name.trim());
      expect(pane.height).toBe(24);
    }
  });

  test("a capture has the text of its own pane", async () => {
    const ids = [await stage.open(), await stage.open(), await stage.open()];
    for (const id of ids) await stage.print(id, `this is ${id}`);
    const panes = await list();
    await until(async () => {
      const found = await capture(panes);
      const isThere = ids.every((id) => {
        const one = found.get(id);
        return one && "text" in one && one.text.trimEnd() === `this is ${id}`;
      });
      return isThere || null;
    });
  });

  test("unchanged never names a screen that has changed", async () => {
    const id = await stage.open();
    await stage.print(id, "one");
    const captured = await until(async () => {
      const at = performance.now() / 1000;
      const pane = await listed(id);
      const text = await textOf(pane);
      return text.includes("one") ? { captured: pane, at, text } : null;
    });
    const isUnchanged = async (atLeastAt: number) => {
      const seen = [{ ...captured, pane: await listed(id) }];
      return (await stage.provider.unchanged(seen, atLeastAt, signal)).has(id);
    };
    const before = await isUnchanged(captured.at);
    expect(await textOf(await listed(id))).toBe(captured.text);
    await stage.print(id, "two");
    await until(async () => (await textOf(await listed(id))).includes("two"));
    expect(await isUnchanged(captured.at)).toBe(false);
    expect(await isUnchanged(captured.at + 10)).toBe(false);
    // The listing may be too coarse for a capture of this moment.
    expect(typeof before).toBe("boolean");
  });

  test("a closed pane is absent from a capture, and the other panes are captured", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await stage.open());
    const panes = await list();
    for (const index of [0, 2, 4]) await stage.close(ids[index] ?? "");
    const found = await capture(panes);
    const stayed = stage.readsWithListing ? ids : [ids[1] ?? "", ids[3] ?? ""];
    expect([...found.keys()]).toEqual(stayed);
    expect((await list()).map(({ id }) => id).toSorted()).toEqual(
      [ids[1] ?? "", ids[3] ?? ""].toSorted(),
    );
  });

  test("another process in a pane changes identity or revision, but not the id", async () => {
    const id = await stage.open();
    const before = await listed(id);
    await stage.respawn(id);
    const after = await listed(id);
    expect(after.id).toBe(before.id);
    // With guarded input the revision differs, otherwise the identity.
    const idOf = ({ identity, revision }: ListedPane) => `${identity} ${revision}`;
    expect(idOf(after)).not.toBe(idOf(before));
  });

  test("the panes of a restarted server have other identities", async () => {
    await stage.open();
    const before = await stage.provider.list(signal);
    await stage.stopServer();
    expect(await stage.provider.list(signal)).toEqual([]);
    await stage.open();
    const after = await stage.provider.list(signal);
    expect(after).toHaveLength(1);
    expect(after[0]?.identity).not.toBe(before[0]?.identity ?? "");
  });

  test("a capture of closed panes is no failure while the server lives", async () => {
    const [first, second] = [await stage.open(), await stage.open()];
    await stage.open();
    const panes = (await list()).filter((pane) => pane.id === first || pane.id === second);
    await stage.close(first);
    await stage.close(second);
    expect((await capture(panes)).size).toBe(stage.readsWithListing ? 2 : 0);
    expect(await list()).toHaveLength(1);
  });

  test("an aborted list or capture rejects", async () => {
    await stage.open();
    const panes = await list();
    const stopped = AbortSignal.abort();
    await expect(stage.provider.list(stopped)).rejects.toThrow();
    await expect(stage.provider.capture(panes, 200, stopped)).rejects.toThrow();
  });

  test("a pane has the provider's capabilities, and a revision only with guarded input", async () => {
    const pane = await listed(await stage.open());
    expect(pane.capabilities).toEqual(stage.provider.capabilities);
    expect(pane.revision !== "").toBe(pane.capabilities.input === "guarded_v1");
    expect(pane.native === null || pane.capabilities.native_agent_state).toBe(true);
  });

  test("a send under the identity of another program is refused", async () => {
    const id = await stage.open();
    const { identity } = await listed(id);
    const send = async (guard: string) =>
      stage.provider.send(id, [{ do: "key", key: "Enter" }], { identity: guard, contains: [] });
    expect(await send(identity)).toBe("sent");
    await stage.respawn(id);
    const after = (await listed(id)).identity;
    expect(await send(after)).toBe("sent");
    // A pane that keeps its identity is guarded by its revision, above the provider.
    if (after !== identity) expect(await send(identity)).toBe("refused");
    // A provider may also throw for an identity of a wrong form.
    expect(await send("of no pane").catch(() => "refused")).toBe("refused");
  });

  test("start and stop cause no wake, and events are inactive after stop", async () => {
    let wakes = 0;
    stage.provider.start(() => wakes++);
    expect(stage.provider.events()).toEqual({
      supported: expect.any(Boolean),
      active: expect.any(Boolean),
      minimum_protocol: stage.provider.events().supported ? expect.any(Number) : null,
    });
    await stage.provider.stop();
    expect(stage.provider.events().active).toBe(false);
    expect(wakes).toBe(0);
  });

  test("a capture of no panes is empty", async () => {
    expect((await capture([])).size).toBe(0);
  });
});
