import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../src/errors.ts";
import { fingerprints } from "../../src/detect/fingerprint.ts";
import { MessageQueue } from "../../src/input/message-queue.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { ActStore } from "../../src/ledger/store/act-store.ts";
import { LEDGER_MIGRATIONS } from "../../src/ledger/store/schema.ts";
import { createLog } from "../../src/lib/log.ts";
import { migrate } from "../../src/store/migrations.ts";
import { dialog, option, type Shown, SimulatedPanes } from "../input/simulated.ts";
import { FakeClock } from "../support/clock.ts";
import { MemoryFile } from "../support/continuations.ts";
import { memoryLedger } from "../support/ledger.ts";
import { pane } from "../support/pane.ts";

// Whatever was asked for in whatever order, and wherever the service was killed: nothing is sent twice,
// nothing beside another, nothing under a guard that does not hold, and nothing acknowledged is lost.

const ID = "%1";
const IDENTITY = "server/%1/100";
const CLIENT = {
  ...{ name: "Pixel 9 at 192.0.2.7", by: { grant: "pixel", name: "Pixel 9" } },
  scope: "type" as const,
};
const AGENT = { id: "agent_a", label: "Claude Code" };
const QUESTIONS = ["Run it?", "Delete it?"];

/** What a person, or the program in the pane, does. Each has words of its own, by its place. */
type Step =
  | { do: "answer"; expects: number }
  | { do: "text"; repeats: number | null }
  | { do: "both" }
  | { do: "wait" }
  | { do: "ask"; question: number; inTheMoment: boolean }
  | { do: "rest" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("answer" as const), expects: fc.nat(1) }),
  fc.record({ do: fc.constant("text" as const), repeats: fc.option(fc.nat(6)) }),
  fc.constant({ do: "both" as const }),
  fc.constant({ do: "wait" as const }),
  fc.record({ do: fc.constant("ask" as const), question: fc.nat(1), inTheMoment: fc.boolean() }),
  fc.constant({ do: "rest" as const }),
);

/** Of a service whose process ends: nothing of it reaches a disk or a pane any more. */
class Killed extends Error {}

/** Counts the points at which a service can be killed, and kills it at one of them. */
class Power {
  points = 0;
  isOff = false;

  constructor(readonly killAt: number) {}

  point(): void {
    if (!this.isOff && ++this.points === this.killAt) this.isOff = true;
    if (this.isOff) throw new Killed();
  }
}

class KillableStore extends ActStore {
  constructor(
    database: Database,
    private readonly power: Power,
  ) {
    super(database);
  }

  /** Before it, and behind it. */
  override write<T>(isSynced: boolean, change: () => T): T {
    this.power.point();
    const result = super.write(isSynced, change);
    this.power.point();
    return result;
  }
}

const idle = (composer: Shown["composer"] = { holds: "nothing", line: 1 }): Shown => ({
  ...{ lines: ["done.", "> "], composer },
  state: pane({ id: ID, kind: "agent_a", status: "idle", agent: AGENT }),
});

function asking(question: number): Shown {
  const asked = dialog(QUESTIONS[question] ?? "", [
    option("1", "Yes", { selected: true }),
    option("2", "No"),
  ]);
  return { ...asked, state: stateOf(asked) };
}

const stateOf = ({ prompt, lines }: Pick<Shown, "prompt" | "lines">) =>
  pane({
    ...{ id: ID, kind: "agent_a", status: "needs_input", agent: AGENT, lines },
    question: prompt?.question ?? null,
    menu: (prompt?.options ?? []).map(({ answer: _, answerWithText: __, ...shown }) => shown),
    legacy_guard: fingerprints(prompt ?? null),
  });

/** One request: it is made again, word by word, after every start. */
interface Request {
  key: string;
  make: (run: Run) => Promise<unknown>;
  isAcknowledged: boolean;
}

interface Run {
  panes: SimulatedPanes;
  messages: MessageQueue;
  ledger: Ledger;
}

/** Two runs of a service over one disk and one pane; the first is killed at a point. */
class History {
  readonly clock = new FakeClock();
  readonly file = new MemoryFile();
  readonly database = new Database(":memory:", { strict: true });
  readonly requests: Request[] = [];
  /** What reached the pane, in order; texts are told apart by their words. */
  readonly arrived: string[] = [];
  /** What was answered, and what was asked then. */
  readonly answers: { expected: string; shown: string }[] = [];
  shown: Shown = idle();
  #inTheMoment: Shown | null = null;
  #expected: string | null = null;
  #power: Power;
  run!: Run;

  constructor(killAt: number) {
    migrate(this.database, LEDGER_MIGRATIONS);
    this.#power = new Power(killAt);
  }

  get points(): number {
    return this.#power.points;
  }

  async start(power = this.#power): Promise<void> {
    this.#power = power;
    const ledger = memoryLedger({
      open: async () => new KillableStore(this.database, power),
      incarnation: crypto.randomUUID(),
      clock: this.clock,
    });
    await ledger.open();
    const panes = new SimulatedPanes(ledger);
    panes.show(ID, this.shown);
    panes.beforeSend = () => {
      power.point();
      if (this.#inTheMoment) panes.show(ID, (this.shown = this.#inTheMoment));
      this.#inTheMoment = null;
    };
    panes.program(ID, (input) => {
      const next = this.#program(input);
      // It has arrived, whether or not the service hears of that.
      panes.show(ID, (this.shown = next));
      power.point();
      return next;
    });
    const file = {
      read: () => this.file.read(),
      moveAside: () => this.file.moveAside(),
      write: async (value: unknown) => {
        power.point();
        await this.file.write(value);
        power.point();
      },
    };
    const messages = new MessageQueue({
      ...{ file, ledger, queue: panes.queue, clock: this.clock, changed: () => {} },
      hub: {
        get current() {
          return { panes: [panes.state(ID)] };
        },
      },
      ...{ isHere: () => true, log: createLog(() => {}) },
    });
    this.run = { panes, messages, ledger };
    await messages.open();
  }

  async take(step: Step, place: number): Promise<void> {
    const key = `k${place}`;
    if (step.do === "answer") return this.#answer(key, step.expects);
    if (step.do === "text") {
      const first = step.repeats === null ? undefined : this.requests[step.repeats];
      return first ? this.#ask(first) : this.#ask(this.#text(key));
    }
    if (step.do === "both") {
      const both = [this.#text(`${key}a`), this.#text(`${key}b`)];
      await Promise.all(both.map((one) => this.#ask(one)));
    }
    if (step.do === "wait")
      return this.#ask(
        this.#request(key, ({ messages }) =>
          messages.act(
            { operation: "add", id: ID, text: `message ${key}.`, idempotency_key: key },
            CLIENT,
          ),
        ),
      );
    if (step.do === "ask") {
      if (step.inTheMoment) this.#inTheMoment = asking(step.question);
      else this.#draw(asking(step.question));
    }
    if (step.do === "rest") await this.rest();
  }

  /** The agent is free, and passes go by. */
  async rest(): Promise<void> {
    this.#inTheMoment = null;
    this.#draw(idle());
    const { panes, messages, ledger } = this.run;
    for (let each = 0; each < 5; each++) {
      this.clock.advance(1);
      const state = panes.state(ID);
      const sights = [{ identity: IDENTITY, id: ID, target: state.target, state, isShown: true }];
      try {
        ledger.follow({ sights });
        messages.follow({ sights, hasFailed: false });
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      for (let turn = 0; turn < 200; turn++) await Promise.resolve();
    }
  }

  /** Every request once more, as clients do whose reply was lost. */
  async askAgain(): Promise<void> {
    for (const request of this.requests) await this.#ask(request);
  }

  #draw(shown: Shown): void {
    this.shown = shown;
    this.run.panes.show(ID, shown);
  }

  #program(input: string): Shown {
    this.arrived.push(input);
    const { prompt } = this.shown;
    if (prompt) {
      const shown = String(fingerprints(prompt).prompt_fingerprint);
      this.answers.push({ expected: this.#expected ?? "nothing", shown });
      return idle();
    }
    return input === "<Enter>" ? idle() : idle({ holds: "draft", text: input, line: 1 });
  }

  async #answer(key: string, expects: number): Promise<void> {
    const expected = fingerprints(asking(expects).prompt ?? null);
    const request = this.#request(key, async ({ panes }) => {
      this.#expected = expected.prompt_fingerprint;
      await panes.legacy
        .select({ id: ID, key: "1", expected, idempotency_key: key }, CLIENT)
        .finally(() => (this.#expected = null));
    });
    await this.#ask(request);
  }

  #text(key: string): Request {
    const words = `words ${key}.`;
    const expected = { prompt_fingerprint: null };
    return this.#request(key, ({ panes }) =>
      panes.legacy.text(
        { id: ID, text: words, enter: true, expected, idempotency_key: key },
        CLIENT,
      ),
    );
  }

  #request(key: string, make: Request["make"]): Request {
    const request = { key, make, isAcknowledged: false };
    this.requests.push(request);
    return request;
  }

  async #ask(request: Request): Promise<void> {
    try {
      await request.make(this.run);
      if (!this.#power.isOff) request.isAcknowledged = true;
    } catch (error) {
      const isTold = error instanceof AppError || error instanceof Killed;
      if (!isTold && !this.#power.isOff) throw error;
    }
  }
}

/** @returns at how many points the service could have been killed */
async function holds(steps: readonly Step[], killAt: number): Promise<number> {
  const history = new History(killAt);
  await history.start().catch(() => {});
  let isKilled = false;
  const restart = async () => {
    isKilled = true;
    await history.start(new Power(0));
    await history.askAgain();
  };
  if (history.points === killAt) await restart();
  for (const [place, step] of steps.entries()) {
    await history.take(step, place);
    if (!isKilled && history.points === killAt) await restart();
  }
  const { points } = history;
  // What may have arrived holds its list until a person has looked.
  for (let each = 0; each < 2 * steps.length + 2; each++) await history.rest();
  await check(history);
  history.database.close();
  return points;
}

async function check({ arrived, answers, requests, run, file }: History): Promise<void> {
  const texts = arrived.filter((input) => input.endsWith("."));
  expect(new Set(texts).size, `twice: ${arrived.join(" ")}`).toBe(texts.length);
  // Each Enter submits the text in front of it, and that alone.
  arrived.forEach((input, at) => {
    if (input === "<Enter>")
      expect(arrived[at - 1], `beside another: ${arrived.join(" ")}`).toEndWith(".");
  });
  for (const { expected, shown } of answers) expect(shown).toBe(expected);
  const { acts, unseen } = await run.ledger.fatesOf(requests.map(({ key }) => key));
  expect(acts.filter(({ state }) => state === "sending")).toEqual([]);
  for (const { key, isAcknowledged } of requests) {
    const hasArrived = texts.some((text) => text.endsWith(` ${key}.`));
    const states = acts.filter((act) => act.key === key).map(({ state }) => state);
    if (hasArrived)
      expect(
        states.filter((state) => state !== "refused"),
        `untold: ${key}`,
      ).toHaveLength(1);
    if (hasArrived) expect(unseen).not.toContain(key);
    if (!isAcknowledged) continue;
    expect(unseen).not.toContain(key);
    const waits = JSON.stringify(file.content ?? "").includes(`message ${key}.`);
    const isKnown = states.some((state) => ["sent", "confirmed", "unknown"].includes(state));
    expect(waits || isKnown, `lost: ${key}`).toBe(true);
  }
}

test("law: over every history, killed at every point of it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 7 }), async (steps) => {
      const points = await holds(steps, Infinity);
      for (let killAt = 1; killAt <= points; killAt++) await holds(steps, killAt);
    }),
    { numRuns: 25 },
  );
}, 120_000);
