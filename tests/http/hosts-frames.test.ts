import { expect, test } from "bun:test";
import { DeltaFeed, DeltaTexts } from "../../src/http/pane-feed.ts";
import { HostState } from "../../src/protocol/hosts.ts";
import { StateEncoder } from "../../src/terminal/encode.ts";
import { fixture } from "../support/fixture.ts";
import { pane } from "../support/pane.ts";

const HOST = fixture(HostState, {
  ...{ name: "gpu-1", kind: "ssh", ssh: "gpu-1", watch: true, status: "live" },
  ...{ since: 1, panes: 1, version: "3.3a" },
});
const panes = [pane()];
const styles = new Map();
const read = (frames: string[]) => frames.map((frame) => JSON.parse(frame));

test("without another machine no frame has a list of them", () => {
  const feed = new DeltaFeed(new DeltaTexts());
  const [state] = read(feed.framesTo({ sequence: 1, panes, styles }));
  expect(Object.keys(state)).toEqual(["type", "panes"]);
  expect(read(feed.framesTo({ sequence: 2, panes, styles }))).toEqual([{ type: "delta" }]);
  expect(Object.keys(JSON.parse(new StateEncoder().encode({ panes })))).toEqual(["type", "panes"]);
});

test("a delta socket gets the list with the state, and again where it has changed", () => {
  const feed = new DeltaFeed(new DeltaTexts());
  const hosts = [HOST];
  const at = (sequence: number, list: readonly HostState[]) =>
    read(feed.framesTo({ sequence, panes, styles, hosts: list }));
  expect(at(1, hosts)).toMatchObject([{ type: "state", hosts }]);
  expect(at(2, hosts)).toEqual([{ type: "delta" }]);
  const away = [{ ...HOST, status: "away" as const }];
  expect(at(3, away)).toEqual([{ type: "delta", hosts: away }]);
});

test("a full state is written anew where only the list has changed", () => {
  const encoder = new StateEncoder();
  const hosts = [HOST];
  const before = encoder.encode({ panes, hosts });
  expect(encoder.encode({ panes, hosts })).toBe(before);
  const away = [{ ...HOST, status: "away" as const }];
  expect(JSON.parse(encoder.encode({ panes, hosts: away })).hosts).toEqual(away);
});
