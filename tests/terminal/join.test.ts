import { describe, expect, test } from "bun:test";
import { createLog } from "../../src/lib/log.ts";
import { Hub, type Publication, type Snapshot } from "../../src/terminal/hub.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { PaneSight } from "../../src/terminal/transitions.ts";
import { NO_LINK } from "../../src/hosts/hosts.ts";
import type { HostState } from "../../src/protocol/hosts.ts";
import { pane } from "../support/pane.ts";

const near = pane({ id: "%1", target: "work:1.1" });
const far = pane({ id: "%1000001", target: "gpu-1:work:1.1" });

const sight = (state: PaneState): PaneSight => ({
  identity: state.id,
  id: state.id,
  target: state.target,
  state,
  isShown: true,
});

const publication = (
  panes: readonly PaneState[],
  members: Partial<Publication> = {},
): Publication => ({
  at: 1000,
  panes,
  listed: [],
  lines: new Map(),
  sights: panes.map(sight),
  hasFailed: false,
  ...members,
});

function stage() {
  const hub = new Hub({ log: createLog(() => {}) });
  const told: Snapshot[] = [];
  hub.subscribe((snapshot) => told.push(snapshot));
  return { hub, told };
}

const changes = ({ transitions }: Snapshot) =>
  transitions.map((each) => `${each.kind} ${each.pane.id}`);

describe("without another machine", () => {
  test("a snapshot is what the pass has published, member for member", () => {
    const { hub } = stage();
    const panes = [near];
    hub.publish(publication(panes));
    expect(hub.current.panes).toBe(panes);
    expect(near).not.toHaveProperty("host");
    expect(hub.local.panes).toBe(panes);
  });
});

describe("with another machine", () => {
  test("panes of both stand in one list, this machine's first, and each names its host", () => {
    const { hub } = stage();
    hub.publish(publication([near]));
    hub.publish(publication([far]), "gpu-1");
    expect(hub.current.panes.map(({ id, host }) => [id, host])).toEqual([
      ["%1", null],
      ["%1000001", "gpu-1"],
    ]);
    expect(hub.local.panes).toEqual([near]);
  });

  test("stand in the order of the machines, whichever was read first", () => {
    const hosts = ["laptop", "build", "gpu-1"].map((name) => ({ ...NO_LINK, name }) as HostState);
    const hub = new Hub({ log: createLog(() => {}), hosts: () => hosts });
    hub.publish(publication([far]), "gpu-1");
    hub.publish(publication([pane({ id: "%2000001" })]), "build");
    hub.publish(publication([near]));
    expect(hub.current.panes.map(({ host }) => host)).toEqual([null, "build", "gpu-1"]);
  });

  test("what did not change is the same object, list and pane", () => {
    const { hub } = stage();
    hub.publish(publication([near]));
    hub.publish(publication([far]), "gpu-1");
    const before = hub.current.panes;
    hub.publish(publication([near]));
    expect(hub.current.panes).toBe(before);
    hub.publish(publication([{ ...near, title: "new" }]));
    expect(hub.current.panes[1]).toBe(before[1] ?? far);
  });

  test("its passes are told only when they bring news; this machine's always are", () => {
    const { hub, told } = stage();
    const parts = publication([far]);
    hub.publish(publication([near]));
    hub.publish(parts, "gpu-1");
    hub.publish(parts, "gpu-1");
    hub.publish({ ...parts, at: 1001 }, "gpu-1");
    expect(told).toHaveLength(2);
    hub.publish(publication([near]));
    expect(told).toHaveLength(3);
  });

  test("what becomes of its panes is told apart, and its first pass is its own", () => {
    const { hub, told } = stage();
    hub.publish(publication([near]));
    hub.publish(publication([]), "gpu-1");
    hub.publish(publication([far]), "gpu-1");
    expect(told.map(changes)).toEqual([["appeared %1"], [], ["appeared %1000001"]]);
    expect(told.at(-1)?.transitions).toMatchObject([{ firstPass: false }]);
  });

  test("a pass of it that failed takes nothing for gone, and says nothing of this machine", () => {
    const { hub, told } = stage();
    const waiting = pane({ ...far, status: "needs_input" });
    hub.publish(publication([near]));
    hub.publish(publication([waiting]), "gpu-1");
    const stale = pane({ ...waiting, stale: true, actionable: false });
    hub.publish({ ...publication([stale]), sights: [sight(waiting)], hasFailed: true }, "gpu-1");
    expect(told.at(-1)).toMatchObject({ hasFailed: true, transitions: [] });
    expect(hub.local.hasFailed).toBe(false);
    hub.publish(publication([waiting]), "gpu-1");
    expect(told.at(-1)?.transitions).toEqual([]);
  });

  test("every machine is told of, and the list is the same until more than a figure moves", () => {
    const box = { ...NO_LINK, name: "gpu-1", kind: "ssh", ssh: "gpu-1", watch: true } as const;
    let hosts: HostState[] = [{ ...box, status: "live", read_at: 1, round_trip_ms: 3 }];
    const hub = new Hub({ log: createLog(() => {}), hosts: () => hosts });
    hub.publish(publication([near]));
    expect(hub.current).not.toHaveProperty("hosts");
    hub.publish(publication([far]), "gpu-1");
    const before = hub.current.hosts;
    expect(before).toEqual(hosts);
    hosts = [{ ...box, status: "live", read_at: 2, round_trip_ms: 4 }];
    hub.publish(publication([near]));
    expect(hub.current.hosts).toBe(before);
    hosts = [{ ...box, status: "away" }];
    hub.publish(publication([near]));
    expect(hub.current.hosts).toEqual(hosts);
  });

  test("when it is not watched any more its panes are gone, and the others stay", () => {
    const { hub, told } = stage();
    hub.publish(publication([near]));
    hub.publish(publication([far]), "gpu-1");
    hub.leave("gpu-1", 1001);
    expect(told.at(-1)?.transitions).toMatchObject([{ kind: "gone", pane: { id: far.id } }]);
    expect(hub.current.panes).toEqual([near]);
    expect(hub.current).not.toHaveProperty("hosts");
    hub.leave("gpu-1", 1002);
    expect(told).toHaveLength(3);
  });
});
