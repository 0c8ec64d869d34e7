import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { StateFrame } from "../../src/protocol/frames.ts";
import type { ContinueThen, PaneState } from "../../src/protocol/pane.ts";
import { type LiveService, startLiveService } from "../support/live-service.ts";
import { send } from "../support/live-workspace.ts";
import { type RecordedAgent, RecordedStage } from "../support/recorded-stage.ts";
import { readScreen } from "../support/screens.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const CAST = { name: "shop", runtime: "agent-a", recording: "question-single" } as const;
const screens = {
  limited: readScreen("claude", "limit-cancelled-v2.1.330").styled,
  other: readScreen("claude", "idle-finished").styled,
};

const DAY = 86_400;
/** Seconds of a day, in UTC: before the time in the recorded limit. */
const NINE = 9 * 3600;

/** The system's clock, set forward to the next nine o'clock. */
class LaterClock implements Clock {
  #seconds = (NINE - (systemClock.now() % DAY) + DAY) % DAY;
  now = () => systemClock.now() + this.#seconds;
  monotonic = () => systemClock.monotonic() + this.#seconds;
  advance(seconds: number): void {
    this.#seconds += seconds;
  }
}

let clock: LaterClock;
let stage: RecordedStage;
let agent: RecordedAgent;
let service: LiveService;
let folder: string;
beforeEach(async () => {
  clock = new LaterClock();
  folder = await temporary("continue");
  stage = await RecordedStage.open();
  const keys = { limited: { Enter: "other" } };
  agent = await stage.enter({ ...CAST, at: "question", screens, keys });
  agent.show("limited");
  await startService();
});
afterEach(async () => {
  await service.stop();
  await stage.close();
});

async function startService(): Promise<void> {
  const configPath = join(folder, "panewatch.yaml");
  await Bun.write(configPath, "");
  service = await startLiveService({
    tmux: stage.tmux,
    configPath,
    flags: { ...stage.homes, poll_interval: 0.2 },
    clock,
  });
}

const see = (holds: (pane: PaneState) => boolean): Promise<PaneState> =>
  until(async () => {
    const { panes } = StateFrame.parse(await (await fetch(`${service.url}/api/state`)).json());
    return panes.find((pane) => pane.id === stage.paneOf(CAST.name) && holds(pane)) ?? null;
  });

/** Lets the limit end and time pass, until the scheduled send has ended. */
async function fateOf(pane: PaneState): Promise<ContinueThen> {
  clock.advance((pane.parked?.until ?? 0) - clock.now() + 130);
  return until(async () => {
    clock.advance(2);
    const { continue_then: then } = await see(() => true);
    return then === null || then.state === "set" ? null : then;
  });
}

async function setOn(): Promise<PaneState> {
  const pane = await see(({ parked }) => parked !== null);
  const body = { id: pane.id, on: true, until: pane.parked?.until };
  await send(service.url, "POST", "/api/continue", body);
  return see(({ continue_then: then }) => then?.state === "set");
}

const typedText = () => stage.arrivals.map(({ data }) => data).join("");

test("in a real pane a scheduled send is typed once after the limit, by a restarted service", async () => {
  const pane = await setOn();
  expect(pane.parked).toMatchObject({ reason: "usage limit", continues: false });
  await service.stop();
  await startService();
  await see(({ continue_then: then, parked }) => then?.state === "set" && parked !== null);
  expect(await fateOf(pane)).toMatchObject({ state: "sent", reason: null });
  expect(typedText()).toBe("continue\r");
  await service.stop();
  await startService();
  for (let pass = 0; pass < 3; pass++) {
    agent.show("limited");
    await see(({ parked }) => parked !== null);
    clock.advance(60);
    agent.show("other");
    await see(({ parked }) => parked === null);
  }
  expect((await see(() => true)).continue_then?.state).toBe("sent");
  expect(typedText()).toBe("continue\r");
});
