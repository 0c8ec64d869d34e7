import { beforeEach, expect, test } from "bun:test";
import { type JobFate, type Job, UnattendedSender } from "../../src/input/unattended.ts";
import type { Composer } from "../../src/detect/finding.ts";
import { AppError } from "../../src/errors.ts";
import { createLog } from "../../src/lib/log.ts";
import { FakeClock } from "../support/clock.ts";
import { draft, EMPTY, settled, sightOf } from "./agent-pane.ts";
import { type SimulatedScreen, SimulatedPanes } from "./simulated.ts";

// What all kinds of jobs share: how ends are written, and that panes do not delay one another.

const job = (id: string): Job => ({ id, identity: `server/${id}/100`, text: `to ${id}` });
const line = (composer: Composer): SimulatedScreen => ({ lines: ["", "", "> "], composer });

let panes: SimulatedPanes;
let clock: FakeClock;
let waiting: Job[];
let ended: string[];
let begin: () => Promise<void>;
let write: () => Promise<void>;
let written: PromiseWithResolvers<void>;
let unattended: Jobs;

class Jobs extends UnattendedSender<Job> {
  protected readonly kind = "message";
  protected readonly againSeconds = 5;
  protected waiting = () => waiting;
  protected look = () => "send" as const;
  protected accept = () => null;
  protected begin = () => begin();

  protected async end({ id }: Job, { state }: JobFate): Promise<void> {
    ended.push(`${id} ${state}`);
    await write();
    if (state !== "unsent") waiting = waiting.filter((one) => one.id !== id);
  }
}

beforeEach(() => {
  panes = new SimulatedPanes();
  clock = new FakeClock();
  waiting = [job("%1"), job("%2")];
  ended = [];
  begin = write = async () => {};
  written = Promise.withResolvers();
  for (const { id } of waiting) {
    panes.show(id, line(EMPTY));
    panes.program(id, (text) => line(text === "<Enter>" ? EMPTY : draft(text)));
  }
  unattended = new Jobs({ queue: panes.queue, clock, log: createLog(() => {}) });
});

async function pass(seconds = 1): Promise<void> {
  clock.advance(seconds);
  const sights = ["%1", "%2"].map((id) => sightOf(panes, id));
  unattended.follow({ sights, hasFailed: false });
  await settled();
}

test.each([
  ["sent", () => (begin = () => written.promise), []],
  ["recorded as ended", () => (write = () => written.promise), ["%1 sent", "%2 sent"]],
])("a job is %s once, however many passes come meanwhile", async (_, holdUp, soFar) => {
  holdUp();
  for (let each = 0; each < 20; each++) await pass();
  expect(ended.toSorted()).toEqual(soFar);
  written.resolve();
  await pass();
  expect(panes.inputs().toSorted()).toEqual(["<Enter>", "<Enter>", "to %1", "to %2"]);
});

test("a job ends as unknown if the pane cannot be read after Enter", async () => {
  waiting.splice(1);
  panes.program("%1", (text) => {
    if (text !== "<Enter>") return line(draft(text));
    panes.lose("%1");
    return null;
  });
  await pass();
  expect([panes.inputs(), ended]).toEqual([["to %1", "<Enter>"], ["%1 unknown"]]);
});

test.each([
  ["conflict", 21],
  ["storage", 3],
] as const)(
  "a job that cannot begin because of a %s error is tried %i times in 20 seconds",
  async (kind, times) => {
    waiting.splice(1);
    let tries = 0;
    begin = () => {
      tries += 1;
      return Promise.reject(new AppError(kind, "no"));
    };
    for (let each = 0; each <= 20; each++) await pass();
    expect(tries).toBe(times);
  },
);

test("an end that cannot be written is retried every ten seconds, and delays only its own pane", async () => {
  const [first] = waiting.splice(1);
  write = () => Promise.reject(new Error("read only"));
  await pass();
  for (let each = 0; each < 9; each++) await pass();
  expect(ended).toEqual(["%1 sent"]);
  if (first) waiting.push(first);
  write = async () => {};
  await pass(0.5);
  expect(ended).toEqual(["%1 sent", "%2 sent"]);
  await pass(0.5);
  expect(ended).toEqual(["%1 sent", "%2 sent", "%1 sent"]);
  expect(panes.inputs().filter((input) => input === "to %1")).toHaveLength(1);
});
