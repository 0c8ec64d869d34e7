import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { AppError } from "../../src/errors.ts";
import { fingerprints } from "../../src/detect/prompt.ts";
import type { StoredQueue } from "../../src/input/message-lists.ts";
import { ScheduledSends } from "../../src/input/scheduled-sends.ts";
import { FirstMessages } from "../../src/input/first-messages.ts";
import { MessageQueue } from "../../src/input/message-queue.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { ActStore } from "../../src/ledger/store/act-store.ts";
import { LEDGER_MIGRATIONS } from "../../src/ledger/store/open-store.ts";
import { createLog } from "../../src/lib/log.ts";
import { migrate } from "../../src/store/database.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { QueueRequest } from "../../src/protocol/queue.ts";
import { AGENT, CLIENT, draft, ID, idle } from "../input/agent-pane.ts";
import { dialog, type SimulatedScreen, SimulatedPanes } from "../input/simulated.ts";
import { option } from "../support/detect-input.ts";
import { FakeClock } from "../support/clock.ts";
import { MemoryFile, memoryLedger } from "../support/in-memory.ts";
import { pane } from "../support/pane.ts";
import { forAllInTime } from "../support/laws.ts";
import { sampled } from "../support/thorough.ts";

// For any requests in any order, and any point at which the service is killed: nothing is sent
// twice, beside another text or under a failed guard, and nothing acknowledged is lost.

const QUESTIONS = ["Run it?", "Delete it?"];

/** What a person or the program does. The words of each step are unique. */
type Step =
  /** In words by the option that takes them, else by the first. `isAsked`: it came just before. */
  | { do: "answer"; expects: number; isAsked: boolean; inWords: boolean }
  | { do: "text"; repeats: number | null }
  | { do: "both" }
  | { do: "wait" }
  /** Somebody types at the desk. */
  | { do: "draft" }
  /** A limit stops the agent; later it is over. */
  | { do: "limit" }
  | { do: "continue" }
  | { do: "first" }
  /** The multiplexer does not say whether what follows has arrived, for the rest of this run. */
  | { do: "hide" }
  /** The pane's machine is away, or the disk full, until the same step comes again. */
  | { do: "away" }
  | { do: "full" }
  /** The service ends in order, and starts again. */
  | { do: "restart" }
  /** Another process has the pane under its id, as after a restart of tmux. */
  | { do: "respawn" }
  /** The wall clock is set. */
  | { do: "jump"; seconds: number }
  /** A text whose key is for this run alone. */
  | { do: "bound" }
  /** To all panes that ask nothing, of which there is one. */
  | { do: "cast" }
  /** Two devices send one request at once. */
  | { do: "twice" }
  /** Two people answer one prompt. */
  | { do: "race"; question: number }
  /** An earlier key with other words. */
  | { do: "reuse"; of: number }
  | { do: Change; message: number }
  | { do: "ask"; question: number; inTheMoment: boolean }
  /** The agent is free, or was at the last pass: something has come up since. */
  | { do: "rest"; surprise: Surprise };
type Change = "edit" | "move" | "send" | "delete";
type Surprise = "question" | "draft" | "process" | null;

type Plain =
  | ("both" | "wait" | "draft" | "limit" | "continue" | "first" | "hide")
  | ("away" | "full" | "restart" | "respawn" | "bound" | "twice" | "cast");

const plain = (...each: Plain[]) => fc.constantFrom(...each.map((one) => ({ do: one })));

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    ...{ do: fc.constant("answer" as const), expects: fc.nat(1) },
    ...{ isAsked: fc.boolean(), inWords: fc.boolean() },
  }),
  fc.record({ do: fc.constant("text" as const), repeats: fc.option(fc.nat(6)) }),
  plain("both", "draft", "limit", "hide"),
  { arbitrary: plain("wait", "continue", "first"), weight: 3 },
  {
    arbitrary: plain("away", "full", "restart", "respawn", "bound", "twice", "cast"),
    weight: 3,
  },
  fc.record({ do: fc.constant("jump" as const), seconds: fc.integer({ min: -4000, max: 4000 }) }),
  fc.record({ do: fc.constant("race" as const), question: fc.nat(1) }),
  fc.record({ do: fc.constant("reuse" as const), of: fc.nat(6) }),
  fc.record({
    do: fc.constantFrom<Change[]>("edit", "move", "send", "delete"),
    message: fc.nat(6),
  }),
  fc.record({ do: fc.constant("ask" as const), question: fc.nat(1), inTheMoment: fc.boolean() }),
  {
    arbitrary: fc.record({
      do: fc.constant("rest" as const),
      surprise: fc.constantFrom<Surprise[]>("question", "draft", "process", null),
    }),
    weight: 2,
  },
);

/** Thrown at each point after the kill, so that nothing more reaches a disk or a pane. */
class Killed extends Error {}

/** Counts the points at which a service can be killed, and kills it at one of them. */
class Power {
  points = 0;
  isOff = false;

  constructor(public killAt: number) {}

  point(): void {
    if (!this.isOff && ++this.points === this.killAt) this.isOff = true;
    if (this.isOff) throw new Killed();
  }
}

const diskFull = () => Object.assign(new Error("no space is left"), { code: "ENOSPC" });

class KillableStore extends ActStore {
  constructor(
    database: Database,
    private readonly power: Power,
    private readonly isFull: () => boolean,
  ) {
    super(database);
  }

  /** The next run uses the same database. */
  override close(): void {}

  /** May be killed before the write and after it. */
  override write<T>(isSynced: boolean, change: () => T): T {
    this.power.point();
    if (this.isFull()) throw diskFull();
    const result = super.write(isSynced, change);
    this.power.point();
    return result;
  }
}

const identityOf = (pid: number) => `server/${ID}/${pid}`;

const DRAFT = idle(draft("own words"));
const UNTIL_SECONDS = 5;
/** A minute behind the end of the limit, and until it is settled. */
const DUE_SECONDS = UNTIL_SECONDS + 75;

const limited = (until: number, composer?: SimulatedScreen["composer"]): SimulatedScreen => ({
  ...idle(composer, {
    ...{ status: "error", evidence: ["hit your limit"] },
    parked: { reason: "limit", until, continues: false },
  }),
  lines: ["You've hit your limit", "", "> "],
});

const FIELD = "Type something";

/** @param words in the field, which has the focus then; null: another option has it */
function asking(question: number, words: string | null = null): SimulatedScreen {
  const answerWithText = [
    { do: "type", text: "2" },
    { do: "verify" },
    { do: "text" },
    { do: "key", key: "Enter" },
  ] as const;
  const hasFocus = words !== null;
  const asked = dialog(QUESTIONS[question] ?? "", [
    option("1", "Yes", { selected: !hasFocus }),
    option("2", words || FIELD, { selected: hasFocus, freeform: true, answerWithText }),
  ]);
  return { ...asked, state: stateOf(asked) };
}

const stateOf = ({ prompt, lines }: Pick<SimulatedScreen, "prompt" | "lines">) =>
  pane({
    ...{ id: ID, kind: "agent_a", status: "needs_input", agent: AGENT, lines },
    question: prompt?.question ?? null,
    menu: (prompt?.options ?? []).map(({ answer: _, answerWithText: __, ...shown }) => shown),
    legacy_guard: fingerprints(prompt ?? null),
  });

/** A request, which is repeated after every start. */
interface Request {
  key: string;
  make: (run: Run) => Promise<unknown>;
  isAcknowledged: boolean;
}

interface Run {
  panes: SimulatedPanes;
  messages: MessageQueue;
  scheduledSends: ScheduledSends;
  first: FirstMessages;
  ledger: Ledger;
}

/** Two runs of a service over one disk and one pane; the first is killed at a point. */
class History {
  readonly clock = new FakeClock();
  readonly files = { messages: new MemoryFile(), scheduledSends: new MemoryFile() };
  readonly database = new Database(":memory:", { strict: true });
  readonly requests: Request[] = [];
  /** What reached the pane, in order; texts are told apart by their words. */
  readonly arrived: string[] = [];
  /** Each answer with the prompt that was shown then. */
  readonly answers: { expected: string; shown: string }[] = [];
  /** Texts that were typed into a wrong screen. */
  readonly wrong: string[] = [];
  /** Keys whose outcome nobody expects any more. */
  readonly takenBack: string[] = [];
  /** Messages that a person sends at once, with the keys of those requests. */
  readonly sentBy = new Map<string, string[]>();
  /** The text of the last acknowledged continuation, and those requested since. */
  continued: string[] = [];
  shown: SimulatedScreen = idle();
  isAway = false;
  isFull = false;
  /** Of the process in the pane, and as the last pass has listed it. */
  readonly pid = { now: 100, listed: 100 };
  #inTheMoment: SimulatedScreen | null = null;
  #expected: string | null = null;
  power: Power;
  run!: Run;

  constructor(killAt: number) {
    migrate(this.database, LEDGER_MIGRATIONS);
    this.power = new Power(killAt);
  }

  get points(): number {
    return this.power.points;
  }

  get isKilled(): boolean {
    return this.power.isOff;
  }

  async start(): Promise<void> {
    const { power } = this;
    const ledger = memoryLedger({
      open: async () => new KillableStore(this.database, power, () => this.isFull),
      incarnation: crypto.randomUUID(),
      clock: this.clock,
    });
    await ledger.open();
    const panes = new SimulatedPanes(ledger);
    panes.show(ID, this.shown);
    panes.pid = this.pid.now;
    panes.listedAs = () => ({ identity: identityOf(this.pid.listed) });
    panes.beforeRead = () => this.#requireLive();
    panes.beforeSend = () => {
      power.point();
      this.#requireLive();
      if (this.#inTheMoment) panes.show(ID, (this.shown = this.#inTheMoment));
      this.#inTheMoment = null;
    };
    panes.program(ID, (input) => {
      const next = this.#program(input);
      // The input has arrived, even if the service is killed before it knows.
      panes.show(ID, (this.shown = next));
      power.point();
      return next;
    });
    const killable = (file: MemoryFile) => ({
      read: () => file.read(),
      quarantine: () => file.quarantine(),
      write: async (value: unknown) => {
        power.point();
        if (this.isFull) throw diskFull();
        await file.write(value);
        power.point();
      },
    });
    const deps = {
      ...{ ledger, queue: panes.queue, hub: panes.hub, clock: this.clock },
      log: createLog(() => {}),
      ...{ changed: () => {}, random: () => 0 },
    };
    const messages = new MessageQueue({ ...deps, file: killable(this.files.messages) });
    const file = killable(this.files.scheduledSends);
    const scheduledSends = new ScheduledSends({ ...deps, file });
    const first = new FirstMessages(deps);
    this.run = { panes, messages, scheduledSends, first, ledger };
    await scheduledSends.open();
    await messages.open();
  }

  async take(step: Step, place: number): Promise<void> {
    const key = `k${place}`;
    if (step.do === "answer") {
      if (step.isAsked) this.#draw(asking(step.expects));
      return this.#answer(key, step.expects, step.inWords ? `say ${key}.` : undefined);
    }
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
    if (step.do === "edit" || step.do === "move" || step.do === "send" || step.do === "delete")
      return this.#change(key, step.do, `k${step.message}`);
    if (step.do === "bound") {
      const bound = `at:${this.run.ledger.incarnation}:${key}`;
      return this.#ask(this.#text(bound));
    }
    if (step.do === "cast") {
      const cast = { ids: [ID], text: `cast ${key}.`, enter: true, skip_waiting: true };
      return this.#ask(
        this.#request(key, async ({ panes }) => {
          const { sent } = await panes.legacy.broadcast({ ...cast, idempotency_key: key }, CLIENT);
          if (sent === 0) throw new AppError("conflict", "the pane was left out");
        }),
      );
    }
    if (step.do === "twice") {
      const text = this.#text(key);
      await Promise.all([this.#ask(text), this.#ask(text)]);
    }
    if (step.do === "race") {
      this.#draw(asking(step.question));
      const answers = [`${key}a`, `${key}b`].map((each) => this.#answer(each, step.question));
      await Promise.all(answers);
    }
    if (step.do === "reuse") return this.#ask(this.#text(`k${step.of}`, "other words"));
    if (step.do === "away") this.isAway = !this.isAway;
    if (step.do === "full") this.isFull = !this.isFull;
    if (step.do === "jump") this.clock.adjustWall(step.seconds);
    if (step.do === "respawn") this.#respawn();
    if (step.do === "restart") {
      const { panes, messages, scheduledSends, ledger } = this.run;
      await Promise.all([panes.queue.stop(), messages.stop(), scheduledSends.stop()]);
      ledger.close();
      await this.start();
    }
    if (step.do === "first") this.run.first.add(ID, `first of ${place}.`);
    if (step.do === "hide") this.run.panes.outcome = "unknown";
    if (step.do === "draft") this.#draw(DRAFT);
    if (step.do === "limit") this.#draw(limited(this.clock.now() + UNTIL_SECONDS));
    if (step.do === "continue") return this.#continue(`continue at ${place}.`);
    if (step.do === "ask") {
      if (step.inTheMoment) this.#inTheMoment = asking(step.question);
      else this.#draw(asking(step.question));
    }
    if (step.do === "rest") await this.rest(step.surprise);
  }

  /** Runs passes while the agent is free. */
  async rest(surprise: Surprise = null): Promise<void> {
    this.#inTheMoment = null;
    this.#draw(idle());
    const published = this.run.panes.state(ID);
    if (surprise === "question") this.#draw(asking(0));
    if (surprise === "draft") this.#draw(DRAFT);
    if (surprise === "process") this.#respawn();
    await this.#passes(5, surprise && published);
  }

  async #passes(count: number, published: PaneState | null = null): Promise<void> {
    const { panes, messages, scheduledSends, first, ledger } = this.run;
    for (let each = 0; each < count; each++) {
      this.clock.advance(1);
      const seen = published ?? panes.state(ID);
      const state = this.isAway ? { ...seen, stale: true, actionable: false } : seen;
      if (!this.isAway && published === null) this.pid.listed = this.pid.now;
      const identity = identityOf(this.pid.listed);
      const sights = [{ identity, id: ID, target: state.target, state, isShown: true }];
      try {
        ledger.follow({ sights });
        for (const one of [messages, scheduledSends, first])
          one.follow({ sights, hasFailed: false });
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      // Nothing here waits for I/O, so all work is done after one turn of the event loop.
      await setImmediate();
    }
  }

  /** Repeats every request, as clients do after a lost reply. */
  async askAgain(): Promise<void> {
    for (const request of this.requests) await this.#ask(request);
  }

  #draw(shown: SimulatedScreen): void {
    this.shown = shown;
    this.run.panes.show(ID, shown);
  }

  /** A limit stops the agent, words are asked for, and the limit ends. */
  async #continue(text: string): Promise<void> {
    const until = this.clock.now() + UNTIL_SECONDS;
    this.#draw(limited(until));
    if (this.continued.length > 0) this.continued.push(text);
    try {
      const request = { id: ID, on: true as const, until, text };
      const { state } = (await this.run.scheduledSends.set(request, CLIENT)) ?? {};
      if (state === "set" && !this.power.isOff) this.continued = [text];
    } catch (error) {
      if (!(error instanceof AppError || error instanceof Killed || this.power.isOff)) throw error;
    }
    this.clock.advance(DUE_SECONDS);
    await this.#passes(15);
  }

  #respawn(): void {
    this.run.panes.pid = ++this.pid.now;
    this.#draw(idle());
  }

  #requireLive(): void {
    if (this.isAway)
      throw new AppError("conflict", "away", { reason: "host_away", code: "host_away" });
  }

  /** What a person does to a message that waits. */
  async #change(key: string, operation: Change, message_id: string) {
    const lists = this.run.messages.lists.flatMap(({ messages }) => messages);
    const { state } = lists.find(({ id }) => id === message_id) ?? {};
    // One that may have arrived is sent again only by a person who has looked.
    if (operation === "send" && state !== "waiting") return;
    this.takenBack.push(key);
    if (operation === "send")
      this.sentBy.set(message_id, [...(this.sentBy.get(message_id) ?? []), key]);
    if (operation === "edit" || operation === "delete") this.takenBack.push(message_id);
    const members = { edit: { text: `edited ${key} of ${message_id}.` }, move: { before: null } };
    const more = operation === "edit" || operation === "move" ? members[operation] : {};
    const request = { operation, message_id, idempotency_key: key, ...more } as QueueRequest;
    await this.#ask(this.#request(key, ({ messages }) => messages.act(request, CLIENT)));
  }

  #program(input: string): SimulatedScreen {
    this.arrived.push(input);
    // What waits for one process must not reach the next one.
    const waiting = this.files.messages.content as StoredQueue | null;
    const list = waiting?.lists.find(({ messages }) => messages.some(({ text }) => text === input));
    if (list && list.identity !== identityOf(this.pid.now)) this.wrong.push(`${input} elsewhere`);
    const { prompt, composer, state } = this.shown;
    if (input.endsWith(".") && composer?.holds === "draft") this.wrong.push(`${input} in a draft`);
    const isAtLimit = state?.status === "error";
    if (isAtLimit ? /^(?:message|first) /.test(input) : input.startsWith("continue "))
      this.wrong.push(`${input} at ${state?.status}`);
    if (prompt) {
      const shown = String(fingerprints(prompt).prompt_fingerprint);
      this.answers.push({ expected: this.#expected ?? "nothing", shown });
      const field = prompt.options.find(({ selected, key }) => selected && key === "2");
      const question = QUESTIONS.indexOf(prompt.question);
      if (field && input === "<Enter>" && field.label === FIELD) this.wrong.push("an empty answer");
      if (field && input !== "<Enter>") return asking(question, input);
      return input === "2" ? asking(question, "") : idle();
    }
    if (input === "<Enter>") return idle();
    const typed = draft(input);
    const { parked } = state ?? {};
    return parked ? limited(parked.until ?? 0, typed) : idle(typed);
  }

  async #answer(key: string, expects: number, words?: string): Promise<void> {
    const expected = fingerprints(asking(expects).prompt ?? null);
    const request = this.#request(key, async ({ panes }) => {
      this.#expected = expected.prompt_fingerprint;
      await panes.legacy
        .select(
          { id: ID, key: words ? "2" : "1", text: words, expected, idempotency_key: key },
          CLIENT,
        )
        .finally(() => (this.#expected = null));
    });
    await this.#ask(request);
  }

  #text(key: string, said = "words"): Request {
    const words = `${said} ${key}.`;
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
      if (!this.power.isOff) request.isAcknowledged = true;
    } catch (error) {
      const isTold = error instanceof AppError || error instanceof Killed;
      if (!isTold && !this.power.isOff) throw error;
    }
  }
}

/**
 * @param kills the point of each run at which it is killed; the run after the last one is not
 * @returns at how many points the first run could have been killed
 */
async function holds(steps: readonly Step[], ...kills: number[]): Promise<number> {
  const history = new History(kills.shift() ?? 0);
  let points = 0;
  const start = () =>
    history.start().catch((error: unknown) => {
      if (!history.isKilled) throw error;
    });
  const restart = async () => {
    while (history.isKilled) {
      points ||= history.points;
      history.power = new Power(kills.shift() ?? 0);
      await start();
      if (!history.isKilled) await history.askAgain();
    }
  };
  await start();
  await restart();
  for (const [place, step] of steps.entries()) {
    await history.take(step, place);
    await restart();
  }
  points ||= history.points;
  history.isAway = history.isFull = false;
  // A message that may have arrived holds its list until a person deletes it.
  for (let each = 0; each < 2 * steps.length + 2; each++) {
    await history.rest();
    await restart();
  }
  history.power.killAt = 0;
  await check(history);
  history.database.close();
  return points;
}

async function check(history: History): Promise<void> {
  const { arrived, answers, wrong, continued, requests, run, files } = history;
  const texts = arrived.filter((input) => input.endsWith("."));
  expect(new Set(texts).size, `twice: ${arrived.join(" ")}`).toBe(texts.length);
  // Each Enter submits the text in front of it, and that alone.
  arrived.forEach((input, at) => {
    if (input === "<Enter>")
      expect(arrived[at - 1], `beside another: ${arrived.join(" ")}`).toEndWith(".");
  });
  for (const { expected, shown } of answers) expect(shown).toBe(expected);
  expect(wrong).toEqual([]);
  // Each continuation has its outcome in the file.
  const outcomes = JSON.stringify(files.scheduledSends.content);
  expect(continued.length === 0 || continued.some((text) => outcomes.includes(text))).toBe(true);
  const rows = await run.ledger.page({ withEvents: false });
  expect(rows.filter((row) => "state" in row && row.state === "sending")).toEqual([]);
  const { acts, unseen } = await run.ledger.fatesOf(requests.map(({ key }) => key));
  for (const { key, isAcknowledged } of requests) {
    const hasArrived = texts.some((text) => text.endsWith(` ${key}.`));
    const keys = [key, ...(history.sentBy.get(key) ?? [])];
    const states = acts.filter((act) => keys.includes(act.key)).map(({ state }) => state);
    const told = states.filter((state) => state !== "refused").length;
    // Other words for a message that may have arrived are sent under its key.
    const isTold = told === 1 || (told === 2 && history.takenBack.includes(key));
    expect(!hasArrived || isTold, `untold: ${key}`).toBe(true);
    if (hasArrived) expect(unseen).not.toContain(key);
    if (!isAcknowledged) continue;
    expect(unseen).not.toContain(key);
    const waits = JSON.stringify(files.messages.content ?? "").includes(`message ${key}.`);
    const isKnown = states.some((state) => ["sent", "confirmed", "unknown"].includes(state));
    const isExpected = !history.takenBack.includes(key);
    expect(waits || isKnown || !isExpected, `lost: ${key}`).toBe(true);
  }
}

test("law: nothing is sent twice, beside a draft or under a failed guard, or lost, wherever the service is killed", async () => {
  await forAllInTime(
    [fc.array(step, { minLength: 1, maxLength: 7 }), fc.nat(60)],
    80,
    async (steps, again) => {
      const points = await holds(steps);
      const each = Array.from({ length: points }, (_, index) => index + 1);
      for (const killAt of sampled(each, 3, steps.length)) await holds(steps, killAt, again);
    },
  );
});
