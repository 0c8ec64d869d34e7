import { beforeEach, describe, expect, test } from "bun:test";
import type { ScheduledSends } from "../../src/input/scheduled-sends.ts";
import type { Composer } from "../../src/detect/finding.ts";
import { AppError } from "../../src/errors.ts";
import { createLog } from "../../src/lib/log.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { FakeClock } from "../support/clock.ts";
import { MemoryFile, memoryScheduledSends } from "../support/in-memory.ts";
import {
  CLIENT,
  draft,
  EMPTY,
  ID,
  idle,
  IDENTITY,
  settled,
  sightOf,
  UNCLEAR,
  working,
} from "./agent-pane.ts";
import { dialog, type SimulatedScreen, SimulatedPanes } from "./simulated.ts";
import { option } from "../support/detect-input.ts";

const NOTICE = "You've hit your 5-hour limit · resets 1am (UTC)";
const RESET_IN = 7200;
/** A minute after the reset, plus half of the random minute. */
const DUE_IN = RESET_IN + 90;

let clock: FakeClock;
let file: MemoryFile;
let panes: SimulatedPanes;
let until: number;
/** The part of the random minute, from 0 to 1. */
let random: number;
let log: string[];
let scheduledSends: ScheduledSends;

beforeEach(async () => {
  clock = new FakeClock();
  file = new MemoryFile();
  log = [];
  random = 0.5;
  panes = new SimulatedPanes();
  until = clock.now() + RESET_IN;
  shows(limited());
  panes.program(ID, (input) => (input === "<Enter>" ? working() : limited(draft(input))));
  scheduledSends = await service();
});

/** Starts the next run of the service, over the same file. */
async function service(): Promise<ScheduledSends> {
  const { queue } = panes;
  const next = memoryScheduledSends({
    ...{ file, queue, clock },
    log: createLog((line) => log.push(line)),
    random: () => random,
  });
  await next.open();
  return next;
}

test("opening asks for a pass if there is a stored scheduled send, and else not", async () => {
  const { queue } = panes;
  let passes = 0;
  const open = () => memoryScheduledSends({ file, queue, clock, changed: () => passes++ }).open();
  await open();
  expect(passes).toBe(0);
  await setOn();
  await open();
  expect(passes).toBe(1);
});

test("a request during the start waits until the stored scheduled sends are read", async () => {
  const read = Promise.withResolvers<null>();
  file.read = () => read.promise;
  const { queue } = panes;
  const next = memoryScheduledSends({ file, queue, clock });
  const opened = next.open();
  const set = next.set({ id: ID, on: true, until, text: "continue" }, CLIENT);
  read.resolve(null);
  await opened;
  expect(await set).toMatchObject({ state: "set" });
});

function shows(screen: SimulatedScreen): void {
  panes.show(ID, screen);
}

function limited(composer: Composer | null = EMPTY): SimulatedScreen {
  const parked = { reason: "5-hour limit", until, continues: false };
  const screen = idle(composer, { status: "error", evidence: [NOTICE], parked });
  return { ...screen, lines: [NOTICE, "", "> "] };
}

function published(): PaneState {
  return panes.state(ID);
}

async function pass(seconds = 1, members: Partial<PaneState> = {}): Promise<void> {
  clock.advance(seconds);
  scheduledSends.follow({ sights: [sightOf(panes, ID, members)], hasFailed: false });
  await settled();
}

/** Makes a pass after `after` seconds, and `count` more. */
async function passes(count = 15, after = 1): Promise<void> {
  await pass(after);
  for (let each = 0; each < count; each++) await pass();
}

const setOn = (members: { until?: number; text?: string } = {}) =>
  scheduledSends.set({ id: ID, on: true, until, text: "continue", ...members }, CLIENT);

const notSent = (reason: string) =>
  expect(scheduledSends.of(IDENTITY)).toMatchObject({ state: "not_sent", reason });

describe("a scheduled send", () => {
  test("a scheduled send is typed once, 90 seconds after the reset, and is reported as sent", async () => {
    expect(await setOn()).toEqual({
      ...{ state: "set", at: until + 90, text: "continue", reason: null },
    });
    await pass(DUE_IN - 1);
    expect(panes.inputs()).toEqual([]);
    await passes();
    expect(panes.inputs()).toEqual(["continue", "<Enter>"]);
    expect(panes.sent.every(({ guarded }) => guarded)).toBe(true);
    expect(scheduledSends.of(IDENTITY)).toMatchObject({ state: "sent", reason: null });
    expect(log.join("")).toContain(`continue: sent, for ${ID}`);
    shows(limited());
    await passes(100);
    expect(panes.inputs()).toHaveLength(2);
  });

  test("a scheduled send is typed ten seconds after the first pass at which it is due", async () => {
    await setOn();
    await pass(until + 90 - clock.now());
    await pass(9.9);
    expect(panes.inputs()).toEqual([]);
    await pass(0.1);
    expect(panes.inputs()).toEqual(["continue", "<Enter>"]);
  });

  test("a scheduled send is refused for a pane that is unpublished or not listed", async () => {
    const set = (id: string) =>
      scheduledSends.set({ id, on: true, until, text: "continue" }, CLIENT);
    await expect(set("%404")).rejects.toThrow("no pane %404");
    panes.published = [];
    await expect(set(ID)).rejects.toThrow(`no pane ${ID}`);
  });

  test("a scheduled send is not entered beside a draft, and the draft is quoted in the reason but not in the log", async () => {
    await setOn();
    panes.program(ID, (input) => limited(draft(`desk ${input}`)));
    await passes(15, DUE_IN - 1);
    expect(panes.inputs()).toEqual(["continue"]);
    notSent(expect.stringContaining("desk continue"));
    expect(panes.log.join("\n")).not.toContain("desk continue");
  });

  test("a scheduled send is sent once though a busy program takes seconds to draw the text away", async () => {
    await setOn();
    let pauses = 0;
    panes.onPause = () => {
      pauses += 1;
      if (pauses === 40) shows(working());
    };
    panes.program(ID, (input) => (input === "<Enter>" ? null : limited(draft(input))));
    await passes(15, DUE_IN);
    expect(panes.inputs()).toEqual(["continue", "<Enter>", "<Enter>"]);
    expect(scheduledSends.of(IDENTITY)?.state).toBe("sent");
  });

  test("a repeated request returns the same scheduled send, and switching off removes it", async () => {
    const first = await setOn({ text: "go on" });
    random = 0.9;
    expect(await setOn({ text: "go on" })).toEqual(first);
    expect(await scheduledSends.set({ id: ID, on: false }, CLIENT)).toBeNull();
    expect(await scheduledSends.set({ id: ID, on: false }, CLIENT)).toBeNull();
    await passes(15, DUE_IN);
    expect(panes.inputs()).toEqual([]);
    expect(file.content).toEqual({ version: 1, items: [] });
  });

  test("stored scheduled sends are continued after a restart, and a started send becomes not_sent", async () => {
    const stored = { text: "go on", until, end: NOTICE.replaceAll(" ", ""), reason: null };
    const other = "server/%8/100";
    file.content = {
      version: 1,
      items: [
        { ...stored, identity: "server/%9/100", id: "%9", state: "set", at: until + 90 },
        { ...stored, identity: IDENTITY, id: ID, state: "set", at: until + 90 },
        { ...stored, identity: other, id: "%8", state: "sending", at: until },
      ],
    };
    scheduledSends = await service();
    expect(scheduledSends.of(other)).toMatchObject({
      ...{ state: "not_sent", reason: "it may have arrived: look at its terminal" },
    });
    await passes(15, DUE_IN);
    expect(panes.inputs()).toEqual(["go on", "<Enter>"]);
    expect(scheduledSends.of(IDENTITY)?.state).toBe("sent");
    expect(scheduledSends.of("server/%9/100")?.state).toBe("set");
  });

  test("no pending send is dropped however many there are; of 200 ended sends the oldest is dropped", async () => {
    const stored = { text: "go on", until, end: "", reason: null };
    const many = (state: string, at: number) =>
      Array.from({ length: 200 }, (_, n) => ({
        ...{ ...stored, identity: `${state}/${n}`, id: `%${n + 1000}`, state, at },
      }));
    const items = [...many("set", until + 90), ...many("sent", clock.now())];
    file.content = { version: 1, items };
    scheduledSends = await service();
    await scheduledSends.set({ id: ID, on: false }, CLIENT);
    expect(file.content).toEqual({ version: 1, items });
    await setOn();
    const states = ["set/0", "set/199", "sent/0", "sent/199", IDENTITY];
    expect(states.map((identity) => scheduledSends.of(identity)?.state).join()).toBe(
      "set,set,sent,sent,set",
    );
    file.content = {
      version: 1,
      items: [...items, { ...stored, ...items[399], identity: "last" }],
    };
    scheduledSends = await service();
    await setOn();
    expect(scheduledSends.of("sent/0")).toBeUndefined();
    expect(scheduledSends.of("set/0")?.state).toBe("set");
  });

  test("a scheduled send does not begin before its start is written, and is tried again", async () => {
    await setOn();
    file.fault = new Error("ENOSPC");
    await passes(15, DUE_IN);
    expect(panes.inputs()).toEqual([]);
    file.fault = null;
    await passes();
    expect(panes.inputs()).toEqual(["continue", "<Enter>"]);
  });

  test.each<[string, () => void]>([
    [
      "the evidence is another text",
      () => shows({ ...limited(), state: { ...published(), evidence: ["Overloaded"] } }),
    ],
    ["the input line holds a draft", () => shows(limited(draft("hm")))],
    ["the input line cannot be read", () => shows(limited(UNCLEAR))],
    ["there is no input line", () => shows(limited(null))],
    ["an overlay covers the screen", () => shows({ ...limited(), keepsPrevious: true })],
    [
      "the agent asks something",
      () =>
        shows({ ...limited(), ...dialog("Upgrade?", [option("1", "Yes", { selected: true })]) }),
    ],
  ])("a scheduled send becomes not_sent if %s", async (_, change) => {
    await setOn();
    change();
    await passes(15, DUE_IN);
    expect(panes.inputs()).toEqual([]);
    notSent("its screen had changed");
    shows(limited());
    await passes(30);
    expect(panes.inputs()).toEqual([]);
  });

  test("a scheduled send is not sent, nor any other send, if it is switched off during the look at its screen", async () => {
    const other = { identity: "another", id: "%9", text: "go on", until, end: "", reason: null };
    const items = [{ ...other, state: "set", at: until + 86_400 }];
    file.content = { version: 1, items };
    scheduledSends = await service();
    await setOn();
    panes.beforeRead = () => void scheduledSends.set({ id: ID, on: false }, CLIENT);
    await passes(15, DUE_IN);
    expect(panes.inputs()).toEqual([]);
    expect(file.content).toEqual({ version: 1, items });
  });

  test("a scheduled send is tried again if its machine goes away during the look at its screen", async () => {
    await setOn();
    const away = { reason: "host_away", code: "host_away", host: "gpu-1" };
    panes.beforeRead = () => {
      throw new AppError("conflict", "the host gpu-1 is away", away);
    };
    await passes(15, DUE_IN);
    expect(scheduledSends.of(IDENTITY)?.state).toBe("set");
    panes.beforeRead = () => {};
    await passes();
    expect(panes.inputs()).toEqual(["continue", "<Enter>"]);
  });

  test("a scheduled send becomes not_sent once the agent works before the reset, but not while the screen is being drawn", async () => {
    await setOn();
    await pass(1, { parked: null });
    await pass(4, { parked: null });
    await pass(1);
    expect(scheduledSends.of(IDENTITY)?.state).toBe("set");
    await pass(1, { parked: null, status: "working" });
    await pass(5, { parked: null, status: "working" });
    notSent("its screen had changed");
  });

  test("a scheduled send waits for a stale pane, and becomes not_sent after six hours", async () => {
    await setOn();
    await pass(DUE_IN, { stale: true, actionable: false });
    for (let hour = 0; hour < 5; hour++) await pass(3600, { stale: true });
    expect(scheduledSends.of(IDENTITY)?.state).toBe("set");
    await pass(3700, { stale: true });
    notSent("its pane was not to be seen");
  });

  test("a scheduled send is not sent by a machine that slept for six hours, and that result is kept for a day", async () => {
    await setOn();
    await pass(DUE_IN + 6 * 3600 - 10);
    await pass(10);
    notSent("hours had passed by then");
    await passes(9);
    expect(panes.inputs()).toEqual([]);
    clock.advance(24 * 3600 - 11);
    notSent("hours had passed by then");
    clock.advance(1);
    expect(scheduledSends.of(IDENTITY)).toBeUndefined();
  });

  test("a scheduled send does not begin at once when the wall clock jumps past its time", async () => {
    await setOn();
    await pass();
    clock.adjustWall(DUE_IN);
    await pass();
    await pass(5);
    clock.adjustWall(-DUE_IN);
    await pass();
    clock.adjustWall(DUE_IN);
    await pass();
    await pass(9);
    expect(panes.inputs()).toEqual([]);
    await pass();
    expect(panes.inputs()).toEqual(["continue", "<Enter>"]);
  });

  test("a scheduled send is not given up at once when the wall clock jumps by days", async () => {
    await setOn();
    await pass();
    clock.adjustWall(30 * 86_400);
    await pass();
    await pass(5);
    clock.adjustWall(-30 * 86_400);
    await pass();
    expect(scheduledSends.of(IDENTITY)?.state).toBe("set");
    await passes(15, DUE_IN);
    expect(panes.inputs()).toEqual(["continue", "<Enter>"]);
  });

  test("a scheduled send is not sent to another process in the same pane", async () => {
    await setOn();
    panes.pid = 101;
    await passes(15, DUE_IN);
    expect(panes.inputs()).toEqual([]);
  });
});

describe("a request for a scheduled send", () => {
  test("a request is refused if the pane is not parked, goes on by itself, or shows another reset time", async () => {
    await expect(setOn({ until: until + 1 })).rejects.toThrow("it tells another time now");
    await expect(setOn({ text: "\x1b[A" })).rejects.toThrow("control characters");
    await expect(setOn({ text: "  " })).rejects.toThrow("needs words");
    await expect(
      scheduledSends.set({ id: "%9", on: true, until, text: "continue" }, CLIENT),
    ).rejects.toThrow("no pane %9");
    shows({ ...limited(), state: { ...published(), actionable: false } });
    await expect(setOn()).rejects.toThrow("no limit holds this pane now");
    shows(limited());
    clock.advance(RESET_IN);
    await expect(setOn()).rejects.toThrow("its limit is over");
    shows(working());
    await expect(setOn()).rejects.toThrow("no limit holds this pane now");
    const atLimit = limited();
    shows({
      ...atLimit,
      state: { ...published(), parked: { reason: "usage limit", until, continues: true } },
    });
    await expect(setOn()).rejects.toThrow("goes on by itself");
  });

  test("a request is refused if scheduled sends cannot be written or could not be read", async () => {
    file.fault = new Error("EROFS");
    await expect(setOn()).rejects.toThrow("cannot be kept");
    expect(scheduledSends.of(IDENTITY)).toBeUndefined();
    scheduledSends = memoryScheduledSends({ queue: panes.queue });
    await expect(setOn()).rejects.toThrow("cannot be read");
  });
});
