import { describe, expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import { createLog } from "../../src/lib/log.ts";
import { NO_LINK } from "../../src/hosts/host.ts";
import type { HostState } from "../../src/protocol/hosts.ts";
import { Hub, type PublicationOrigin, styleRun, type Snapshot } from "../../src/terminal/hub.ts";
import { listedPane, listedSight, pane, publication } from "../support/pane.ts";

const box = { ...NO_LINK, name: "gpu-1", kind: "ssh", ssh: "gpu-1", watch: true } as const;
const HOSTS: [HostState, HostState] = [
  { ...NO_LINK, name: "laptop", kind: "local", ssh: null, watch: true, status: "live" },
  { ...box, status: "live" },
];

function stage() {
  const hub = new Hub({ log: createLog(() => {}) });
  const snapshots: Snapshot[] = [];
  hub.subscribe((snapshot) => snapshots.push(snapshot));
  return { hub, snapshots };
}

test("every listener gets each publication as a new snapshot until it unsubscribes", () => {
  const { hub } = stage();
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

test("a listener that throws is logged, and the other listeners still get the snapshot", () => {
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

test("a pane is gone for certain once every watched machine was read and none lists it", () => {
  const { hub } = stage();
  const hosts = (
    remote: HostState["status"],
    own: HostState["status"] = "live",
    watch = remote !== "off",
  ): HostState[] => [
    { ...HOSTS[0], watch: own !== "off", status: own },
    { ...box, watch, status: remote },
  ];
  const passOf = (machine: string | null, known: HostState[], hasFailed = false) => {
    hub.publish(publication({ hasFailed }), { machine, hosts: known });
    return hub.isGone("%9");
  };
  expect(hub.isGone("%9")).toBe(false);
  expect(passOf(null, [], true)).toBe(false);
  expect(passOf(null, [])).toBe(true);
  expect(passOf(null, hosts("connecting"))).toBe(false);
  expect(passOf(null, hosts("off"))).toBe(true);
  // The host is configured to be watched, and is not yet, or cannot be.
  expect(passOf(null, hosts("off", "live", true))).toBe(false);
  expect(passOf("gpu-1", hosts("live"), true)).toBe(false);
  expect(passOf("gpu-1", hosts("live"))).toBe(true);
  expect(passOf("gpu-1", hosts("away"), true)).toBe(true);
  const { hub: alone } = stage();
  alone.publish(publication(), { machine: "gpu-1", hosts: hosts("live", "off") });
  expect(alone.isGone("%9")).toBe(true);
  alone.publish(publication({ panes: [pane({ id: "%9" })] }), {
    machine: "gpu-1",
    hosts: hosts("live", "off"),
  });
  expect(alone.isGone("%9")).toBe(false);
});

test("a pane of a paused machine is not taken as gone, a missing pane of another machine is", () => {
  const build: HostState = { ...box, name: "build", ssh: "build", status: "live" };
  const both = [HOSTS[0], build, HOSTS[1]];
  const paused: HostState[] = [HOSTS[0], build, { ...box, watch: false, status: "off" }];
  const shows = (id: string) => publication({ panes: [pane({ id })] });
  const { hub } = stage();
  hub.publish(shows("%1"), { machine: null, hosts: both });
  hub.publish(shows("1!build"), { machine: "build", hosts: both });
  hub.publish(shows("2!gpu"), { machine: "gpu-1", hosts: both });
  hub.leave("gpu-1", { at: 1001, hosts: paused });
  expect(["%9", "1!other", "2!gpu"].map((identity) => hub.isGone(identity))).toEqual([
    ...[true, true, false],
  ]);
  hub.publish(shows("%1"), { machine: null, hosts: both.slice(0, 2) });
  expect(hub.isGone("2!gpu")).toBe(true);
  // The number of a machine is unknown until it was read once.
  const { hub: later } = stage();
  later.publish(shows("%1"), { machine: null, hosts: paused });
  later.publish(shows("1!build"), { machine: "build", hosts: paused });
  expect([later.isGone("%9"), later.isGone("2!gpu")]).toEqual([true, false]);
});

test("a listed pane is found by id or target, and an id wins over a target like it", () => {
  const { hub } = stage();
  const first = listedPane({ id: "%1", target: "work:1.0" });
  const impostor = listedPane({ id: "%2", target: "%1" });
  hub.publish(
    publication({ sights: [first, impostor].map((at) => listedSight(pane(), { pane: at })) }),
  );
  expect(hub.resolve("%1")).toBe(first);
  expect(hub.resolve("work:1.0")).toBe(first);
  expect(hub.resolve("%2")).toBe(impostor);
  expect(hub.resolve("other:2.0")).toBeNull();
});

test("styles are the runs of the lines, and unchanged lines keep their styles object", () => {
  const { hub } = stage();
  const { lines } = parseScreen("plain\n\u001b[1;31mred\u001b[0m \u001b[2;48;5;200mdim\u001b[0m");
  const sights = [listedSight(pane({ id: "%1" }), { lines })];
  hub.publish(publication({ sights }));
  const before = hub.current.styles.get("%1");
  expect(before).toEqual([
    [],
    [
      { start: 0, length: 3, style: "b f1" },
      { start: 4, length: 3, style: "d g200" },
    ],
  ]);
  hub.publish(publication({ sights }));
  expect(hub.current.styles.get("%1")).toBe(before);
  expect(hub.current.styles.get("%2")).toBeUndefined();
});

test("a style with every attribute and both colours is written out", () => {
  const all = { bold: true, dim: true, italic: true, underline: true, strike: true } as const;
  expect(
    styleRun({ start: 0, length: 1, style: { ...all, inverse: true, fg: "#00ff00", bg: 7 } }),
  ).toEqual({ start: 0, length: 1, style: "b d i u s r f#00ff00 g7" });
});

const near = pane({ id: "%1", target: "work:1.1" });
const remote = pane({ id: "%1000001", target: "gpu-1:work:1.1", host: "gpu-1" });
const HERE: PublicationOrigin = { machine: null, hosts: HOSTS };
const THERE: PublicationOrigin = { machine: "gpu-1", hosts: HOSTS };

const appeared = ({ transitions }: Snapshot) =>
  transitions.flatMap(({ before, pane: now }) => (before ? [] : (now?.state.id ?? [])));

describe("a hub with a remote machine", () => {
  test("lists panes in the order of the machines, whichever was read first", () => {
    const { hub } = stage();
    const build = pane({ id: "%2000001", host: "build" });
    const all = [HOSTS[0], { ...box, name: "build", status: "live" as const }, HOSTS[1]];
    hub.publish(publication({ panes: [remote] }), { machine: "gpu-1", hosts: all });
    hub.publish(publication({ panes: [build] }), { machine: "build", hosts: all });
    hub.publish(publication({ panes: [near] }), { machine: null, hosts: all });
    expect(hub.current.panes.map(({ host }) => host)).toEqual([undefined, "build", "gpu-1"]);
    expect(hub.local.panes).toEqual([near]);
  });

  test("keeps the list and the panes that did not change as the same objects", () => {
    const { hub } = stage();
    hub.publish(publication({ panes: [near] }), HERE);
    hub.publish(publication({ panes: [remote] }), THERE);
    const before = hub.current.panes;
    hub.publish(publication({ panes: [near] }), HERE);
    expect(hub.current.panes).toBe(before);
    hub.publish(publication({ panes: [{ ...near, title: "new" }] }), HERE);
    expect(hub.current.panes[1]).toBe(before[1] ?? remote);
  });

  test("publishes a pass of the remote machine only when it brings news, and every local pass", () => {
    const { hub, snapshots } = stage();
    const parts = publication({ panes: [remote] });
    hub.publish(publication({ panes: [near] }), HERE);
    hub.publish(parts, THERE);
    hub.publish(parts, THERE);
    hub.publish({ ...parts, at: 1001 }, THERE);
    expect(snapshots).toHaveLength(2);
    hub.publish(publication({ panes: [near] }), HERE);
    expect(snapshots).toHaveLength(3);
  });

  test("publishes a remote pass in which only the listing or the colours changed", () => {
    const { hub, snapshots } = stage();
    const panes = [remote];
    const drawn = (text: string) => parseScreen(text).lines;
    const hidden = pane({ id: "%1000002", kind: "shell" });
    const shell = listedPane({ id: hidden.id, cwd: "/" });
    const moved = listedPane({ id: hidden.id, cwd: "/srv" });
    const place = listedPane({ id: remote.id });
    const shown = (text: string, listed = { ...place }) =>
      listedSight(remote, { pane: listed, lines: drawn(text) });
    const aside = (at: typeof shell) => listedSight(hidden, { pane: at, isShown: false });
    const first = shown("red", place);
    hub.publish(publication({ panes, sights: [first, aside(shell)] }), THERE);
    hub.publish(publication({ panes, sights: [first, aside(shell)] }), THERE);
    expect(snapshots).toHaveLength(1);
    hub.publish(publication({ panes, sights: [first, aside(moved)] }), THERE);
    expect(hub.resolve(hidden.id)).toBe(moved);
    hub.publish(
      publication({ panes, sights: [shown("\u001b[31mred\u001b[0m"), aside(moved)] }),
      THERE,
    );
    expect(hub.current.styles.get(remote.id)).toEqual([[{ start: 0, length: 3, style: "f1" }]]);
    expect(snapshots).toHaveLength(3);
  });

  test("tells the transitions of remote panes apart from local ones, with a first pass of their own", () => {
    const { hub, snapshots } = stage();
    hub.publish(publication({ panes: [near] }), HERE);
    hub.publish(publication({ panes: [] }), THERE);
    hub.publish(publication({ panes: [remote] }), THERE);
    expect(snapshots.map(appeared)).toEqual([["%1"], [], ["%1000001"]]);
    expect(snapshots.at(-1)?.transitions).toMatchObject([{ isNews: true }]);
  });

  test("takes no remote pane as gone after a failed remote pass, and no local pass as failed", () => {
    const { hub, snapshots } = stage();
    const waiting = pane({ ...remote, status: "needs_input" });
    hub.publish(publication({ panes: [near] }), HERE);
    hub.publish(publication({ panes: [waiting] }), THERE);
    const stale = pane({ ...waiting, stale: true, actionable: false });
    const sights = [listedSight(waiting)];
    hub.publish(publication({ panes: [stale], sights, hasFailed: true }), THERE);
    expect(snapshots.at(-1)).toMatchObject({ hasFailed: true, transitions: [] });
    expect(hub.local.hasFailed).toBe(false);
    hub.publish(publication({ panes: [waiting] }), THERE);
    expect(snapshots.at(-1)?.transitions).toEqual([]);
  });

  test("lists every machine, and keeps the list object while only read times and round trips change", () => {
    const { hub } = stage();
    hub.publish(publication({ panes: [near] }));
    expect(hub.current).not.toHaveProperty("hosts");
    const publish = (hosts: readonly HostState[]) => {
      hub.publish(publication({ panes: [near] }), { machine: null, hosts });
      return hub.current.hosts;
    };
    const before = publish([{ ...box, status: "live", read_at: 1, round_trip_ms: 3 }]);
    expect(before).toMatchObject([{ name: "gpu-1", status: "live", read_at: 1 }]);
    expect(publish([{ ...box, status: "live", read_at: 2, round_trip_ms: 4 }])).toBe(before);
    expect(publish([{ ...box, status: "away" }])).toEqual([{ ...box, status: "away" }]);
  });

  test("drops the panes of a machine that is no longer watched, and keeps the others", () => {
    const { hub, snapshots } = stage();
    hub.publish(publication({ panes: [near] }), HERE);
    hub.publish(publication({ panes: [remote] }), THERE);
    hub.leave("gpu-1", { at: 1001, hosts: [] });
    expect(snapshots.at(-1)?.transitions).toMatchObject([
      { before: { state: { id: remote.id } }, pane: null },
    ]);
    expect(hub.current.panes).toEqual([near]);
    expect(hub.current).not.toHaveProperty("hosts");
    hub.leave("gpu-1", { at: 1002, hosts: [] });
    expect(snapshots).toHaveLength(3);
  });
});
