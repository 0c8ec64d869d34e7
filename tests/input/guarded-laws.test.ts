import { expect, test } from "bun:test";
import fc from "fast-check";
import { InputReason, type InputRequest } from "../../src/protocol/input.ts";
import {
  permission,
  type Refused,
  runAgent,
  watched,
  type Watched,
} from "../support/wsp/watched.ts";
import type { Pane } from "../support/wsp/world.ts";
import { forAllInTime } from "../support/laws.ts";

/** Events between two answers; some are not published before the next answer. */
const EVENTS = [
  "pass",
  "another prompt",
  "another focus",
  "another agent",
  "another tab",
  "restart",
  "a blink",
  "a mark",
  "an unconfirmed send",
  "a failed pass",
] as const;
type Event = (typeof EVENTS)[number];

const steps = fc.array(
  fc.record({
    before: fc.array(fc.constantFrom(...EVENTS), { maxLength: 3 }),
    repeats: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

/** Records what the program receives, and what is on its screen then. */
class Play {
  readonly received: { bytes: string; facts: string }[] = [];
  #prompts = 0;
  #focus = 1;
  #mark: "●" | " " = "●";
  #blinks = 0;
  #isUnconfirmed = false;
  readonly pane: Pane;

  constructor(readonly stage: Watched) {
    this.pane = stage.pane;
    this.#run();
  }

  /** Everything that a guard covers, which the row above the dialog is not. */
  get facts(): string {
    const { pane } = this;
    const [process] = pane.foreground.processes;
    const screen = pane.screen.detection();
    const dialog = screen.slice(screen.indexOf("\n"));
    return [pane.id, pane.terminalId, pane.tab.id, process?.pid, dialog].join("\n");
  }

  get isUnconfirmed(): boolean {
    return this.#isUnconfirmed;
  }

  async happen(event: Event): Promise<void> {
    const { stage, pane } = this;
    const { world } = stage;
    if (event === "pass") await this.pass();
    if (event === "another prompt") this.#show(++this.#prompts, 1);
    if (event === "another focus") this.#show(this.#prompts, (this.#focus % 3) + 1);
    if (event === "another agent") world.startAgent(pane, "claude", "blocked");
    if (event === "another tab") world.move(pane.id, world.openTab(pane.tab.workspace).id);
    if (event === "a blink") world.setTitle(pane, `${++this.#blinks % 2 ? "!" : "."} Action`);
    if (event === "a mark") {
      this.#mark = this.#mark === "●" ? " " : "●";
      this.#show(this.#prompts, this.#focus);
    }
    if (event === "a failed pass")
      stage.double.session().fail("garbage", { method: "session.snapshot" });
    if (event === "an unconfirmed send" && !this.#isUnconfirmed) {
      this.#isUnconfirmed = true;
      stage.double.session().fail("close_after", { method: "agent.send_keys" });
    }
    if (event === "restart") {
      stage.double.restart();
      world.startAgent(pane, "claude", "blocked");
      this.#show(this.#prompts, this.#focus);
      this.#run();
    }
  }

  confirmed(): void {
    this.#isUnconfirmed = false;
  }

  /** Waits for a pass that begins after this call. */
  async pass(): Promise<void> {
    const { stage } = this;
    const began = stage.hub.current.sequence;
    stage.poller.wake();
    await stage.sees(([state]) => {
      const { sequence, hasFailed } = stage.hub.current;
      return sequence > began + 1 && !hasFailed && state?.stale === false;
    });
  }

  #show(prompt: number, focus: number): void {
    this.#focus = focus;
    this.pane.screen.show(permission(`Do you want to run number ${prompt}?`, focus, this.#mark));
  }

  #run(): void {
    this.pane.program = (_, bytes) => {
      this.received.push({ bytes, facts: this.facts });
      this.#show(++this.#prompts, 1);
    };
  }
}

/** One pass is enough on an idle machine; under load a state may come several passes later. */
const MOST_PASSES = 12;

test("guarded input sends nothing under a guard that no longer holds, and nothing twice", async () => {
  let accepted = 0;
  await forAllInTime([steps], 32, async (story) => {
    await using stage = await watched((each) => {
      runAgent(each, permission("Do you want to run number 0?"), "blocked");
    });
    const play = new Play(stage);
    let last: Partial<InputRequest> | null = null;
    let lastOutcome: unknown = null;
    for (const { before, repeats } of story) {
      await play.pass();
      const state = stage.only();
      const guard = state.action_guard;
      const option = state.menu[0]?.id;
      if (!guard || option === undefined) throw new Error("no prompt is published");
      const facts = play.facts;
      for (const event of before) await play.happen(event);
      const count = play.received.length;
      if (repeats && last) {
        expect(await stage.ask(last)).toEqual(lastOutcome as never);
        expect(play.received.length).toBe(count);
      }
      const holds = play.facts === facts;
      last = {
        ...{ id: state.id, operation: "select", option_id: option, expected: guard },
        idempotency_key: crypto.randomUUID(),
      };
      const outcome = await stage.ask(last);
      lastOutcome = outcome;
      const news = play.received.slice(count);
      // The program has received one key, and only on the screen that was seen.
      expect(news.length).toBeLessThanOrEqual(1);
      for (const { bytes, facts: under } of news) {
        expect(bytes).toBe("1");
        expect(under).toBe(facts);
        expect(holds).toBe(true);
      }
      const isCalm = before.every((event) => ["pass", "a blink", "a mark"].includes(event));
      if (outcome === "accepted") {
        accepted++;
        expect(news).toHaveLength(1);
      } else {
        expect(InputReason.options).toContain(outcome.reason as never);
        const isUncertain = /delivery_unknown$/.test(outcome.reason);
        expect(isUncertain).toBe(news.length === 1);
        if (isCalm && !play.isUnconfirmed) await expectOnce(play, outcome);
      }
      if (news.length === 1) play.confirmed();
    }
    expect(stage.double.violations).toEqual([]);
  });
  expect(accepted).toBeGreaterThan(0);
});

/**
 * Without an event since the pass, an answer is refused for two reasons only: a timeout of the tool
 * on a slow machine, or a revision that only the look before the answer has seen (an earlier
 * program, a title that changed and came back). With the guard of a later pass it is accepted.
 */
async function expectOnce(play: Play, refused: Refused): Promise<void> {
  const isSlow = (it: Refused) =>
    it.reason === "endpoint_stale" && "cause" in it && it.cause === "timeout";
  let outcome: Refused | "accepted" = refused;
  for (let passes = 0; outcome !== "accepted" && passes < MOST_PASSES; passes++) {
    if (isSlow(outcome)) return;
    expect(outcome.reason).toBe("revision_stale");
    await play.pass();
    const { id, action_guard: expected, menu } = play.stage.only();
    const option_id = menu[0]?.id;
    if (!expected || option_id === undefined) throw new Error("no prompt is published");
    const idempotency_key = crypto.randomUUID();
    const request = { id, operation: "select", option_id, expected, idempotency_key } as const;
    outcome = await play.stage.ask(request);
  }
  if (outcome !== "accepted") expect(isSlow(outcome)).toBe(true);
}
