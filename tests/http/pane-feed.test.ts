import { expect, test } from "bun:test";
import { DeltaFeed, DeltaTexts, type FeedSnapshot } from "../../src/http/pane-feed.ts";
import { applyDelta, type Scene, sceneOf } from "../../src/protocol/delta.ts";
import type { DeltaFrame } from "../../src/protocol/frames.ts";
import { HostState } from "../../src/protocol/hosts.ts";
import { StateEncoder } from "../../src/terminal/encode.ts";
import { fixture } from "../support/fixture.ts";
import { pane } from "../support/pane.ts";

const snapshot = (sequence: number): FeedSnapshot => ({
  sequence,
  panes: [pane({ title: `title ${sequence}`, lines: ["above", `line ${sequence}`] })],
  styles: new Map(),
});
const viewOf = (ids: string[]) => ({ ids: new Set(ids), styles: false });
const view = (ids: string[]) => JSON.stringify({ type: "view", ids });

/** A client that applies what its feed gives. */
class Client {
  readonly feed: DeltaFeed;
  #scene: Scene = { panes: [], styles: new Map() };

  constructor(texts: DeltaTexts) {
    this.feed = new DeltaFeed(texts);
  }

  takes(scene: FeedSnapshot): Scene {
    for (const text of this.feed.framesTo(scene)) {
      const frame = JSON.parse(text);
      const next =
        frame.type === "state"
          ? { panes: frame.panes, styles: new Map() }
          : applyDelta(this.#scene, frame as DeltaFrame);
      if (!next) throw new Error("a delta does not fit");
      this.#scene = next;
    }
    return this.#scene;
  }
}

test("a client that skipped a snapshot gets all changes since its last snapshot", () => {
  const texts = new DeltaTexts();
  const [quick, slow] = [new Client(texts), new Client(texts)];
  for (const client of [quick, slow]) client.takes(snapshot(1));
  quick.takes(snapshot(2));
  const newest = snapshot(3);
  const scene = sceneOf({ scene: newest, view: viewOf([]) });
  expect(quick.takes(newest)).toEqual(scene);
  expect(slow.takes(newest)).toEqual(scene);
});

test("clients with the same snapshot and view share the text of a delta", () => {
  const texts = new DeltaTexts();
  const feeds = [new DeltaFeed(texts), new DeltaFeed(texts)];
  for (const feed of feeds) feed.framesTo(snapshot(1));
  let reads = 0;
  const next = snapshot(2);
  const panes = next.panes.map(
    (each) => new Proxy(each, { ownKeys: (of) => (reads++, Reflect.ownKeys(of)) }),
  );
  const [first, second] = feeds.map((feed) => feed.framesTo({ ...next, panes }));
  expect(first).toEqual(second ?? []);
  expect(reads).toBe(1);
});

test("clients with different earlier views get deltas that fit each", () => {
  const texts = new DeltaTexts();
  const [old, fresh] = [new Client(texts), new Client(texts)];
  old.feed.receive(view(["%1"]));
  for (const client of [old, fresh]) client.takes(snapshot(1));
  fresh.feed.receive(view(["%1"]));
  const next = snapshot(2);
  const scene = sceneOf({ scene: next, view: viewOf(["%1"]) });
  expect(old.takes(next)).toEqual(scene);
  expect(fresh.takes(next)).toEqual(scene);
});

const HOST = fixture(HostState, {
  ...{ name: "gpu-1", kind: "ssh", ssh: "gpu-1", watch: true, status: "live" },
  ...{ since: 1, panes: 1, version: "3.3a" },
});
const panes = [pane()];
const styles = new Map();
const read = (frames: string[]) => frames.map((frame) => JSON.parse(frame));

test("without another machine no frame has hosts", () => {
  const feed = new DeltaFeed(new DeltaTexts());
  const [state] = read(feed.framesTo({ sequence: 1, panes, styles }));
  expect(Object.keys(state)).toEqual(["type", "panes"]);
  expect(read(feed.framesTo({ sequence: 2, panes, styles }))).toEqual([{ type: "delta" }]);
  expect(Object.keys(JSON.parse(new StateEncoder().encode({ panes })))).toEqual(["type", "panes"]);
});

test("a delta socket gets the hosts with the state, and again when they change", () => {
  const feed = new DeltaFeed(new DeltaTexts());
  const hosts = [HOST];
  const at = (sequence: number, list: readonly HostState[]) =>
    read(feed.framesTo({ sequence, panes, styles, hosts: list }));
  expect(at(1, hosts)).toMatchObject([{ type: "state", hosts }]);
  expect(at(2, hosts)).toEqual([{ type: "delta" }]);
  const away = [{ ...HOST, status: "away" as const }];
  expect(at(3, away)).toEqual([{ type: "delta", hosts: away }]);
});

test("a full state is encoded again when only the hosts change", () => {
  const encoder = new StateEncoder();
  const hosts = [HOST];
  const before = encoder.encode({ panes, hosts });
  expect(encoder.encode({ panes, hosts })).toBe(before);
  const away = [{ ...HOST, status: "away" as const }];
  expect(JSON.parse(encoder.encode({ panes, hosts: away })).hosts).toEqual(away);
});
