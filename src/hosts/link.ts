import { randomBytes } from "node:crypto";
import { type PipedProgram, spawnPiped } from "../lib/line-process.ts";
import { type Clock, momentOf } from "../lib/clock.ts";
import { Semaphore } from "../lib/lock.ts";
import { type Limits, RunError, type RunResult } from "../lib/run.ts";
import { LinkOutputParser, type LinkOutput } from "./link-output.ts";
import { remoteRequest, remoteScript, type RequestKind } from "./remote-shell.ts";
import {
  refusalDetail,
  isDue,
  type LinkEvent,
  type LinkState,
  nextLinkState,
  OFF,
  type Refusal,
  sshRefusal,
} from "./link-state.ts";

/** ssh gives up after 10 s by itself; a shell that is never ready does not. */
const READY_WITHIN_MS = 15_000;
/**
 * Of silence, before an answer is given up: the host is away within 10 s in any case. As a whole it
 * may take this and a millisecond for each of its bytes: nobody is live by a byte a second.
 */
const SILENT_FOR_MS = 8000;
const MAX_MESSAGES_CHARS = 16 * 1024;
/** How often it is looked whether an attempt is due, or the clock has jumped: a machine woke up. */
const LOOK_EVERY_MS = 1000;
const JUMP_SECONDS = 5;
const TIMES_KEPT = 9;

export interface LinkDeps {
  command: readonly string[];
  /** Why a host whose tmux is of this version is not watched, or null; "" is no tmux. */
  versionFault: (version: string) => Refusal | null;
  clock: Clock;
  random: () => number;
  onChange: () => void;
}

interface Waiting {
  id: number;
  kind: RequestKind;
  limits: Limits;
  done: PromiseWithResolvers<RunResult>;
  writtenMs: number;
}

interface Channel {
  program: PipedProgram;
  answers: LinkOutputParser;
  mark: string;
  messages: string;
  isReady: boolean;
  /** Written and not answered, oldest first. */
  waiting: Waiting[];
  /** What is answered aside, on stderr, one at a time: one that hangs fails alone. */
  asides: { answers: LinkOutputParser; lock: Semaphore; waiting: Map<number, Waiting> };
  /** Of the question that is answered now, or of the ready mark. */
  timer: Timer;
  /** Of that question: since when it is waited for, and what was heard since. */
  sinceMs: number;
  heardBytes: number;
  /** By how many seconds the clock there is ahead of our monotonic one; null until it has told. */
  aheadBy: number | null;
}

/** A kept shell on another machine: connects, answers questions, and comes back by itself. */
export class Link {
  readonly #deps: LinkDeps;
  #state: LinkState = OFF;
  #channel: Channel | null = null;
  #lastId = 0;
  #version: string | null = null;
  #times: number[] = [];
  #looking: Timer | null = null;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Questions can be asked; whether tmux answers them is another matter. */
  get isReady(): boolean {
    return this.#channel?.isReady ?? false;
  }

  get version(): string | null {
    return this.#version;
  }

  /** Frames the answers of programs, as long as this link stands: nobody there can know it. */
  get mark(): string {
    return this.#channel?.mark ?? "";
  }

  get roundTripMs(): number | null {
    if (this.#state.status !== "live" || this.#times.length === 0) return null;
    return this.#times.toSorted((a, b) => a - b)[this.#times.length >> 1] ?? null;
  }

  start(): void {
    if (this.#looking) return;
    let last = momentOf(this.#deps.clock);
    this.#looking = setInterval(() => {
      const now = momentOf(this.#deps.clock);
      const slept = now.at - last.at - (now.monotonic - last.monotonic);
      last = now;
      if (Math.abs(slept) > JUMP_SECONDS && this.#state.retryAt !== null)
        this.#take({ is: "asked" });
      if (isDue(this.#state, now)) this.#connect();
    }, LOOK_EVERY_MS);
    this.#connect();
  }

  /** Ends it; nothing of it is left when this returns but a process that is being killed. */
  stop(): void {
    if (!this.#looking) return;
    clearInterval(this.#looking);
    this.#looking = null;
    this.#take({ is: "stopped" });
    this.#end({ reason: "ended", detail: null });
  }

  retry(): void {
    if (!this.#looking) return;
    this.#take({ is: "asked" });
    if (isDue(this.#state, momentOf(this.#deps.clock))) this.#connect();
  }

  /** @throws RunError `not_found`: it was not begun; else nobody knows whether it was run */
  ask(kind: RequestKind, text: string, limits: Limits): Promise<RunResult> {
    const channel = this.#channel;
    const { signal } = limits;
    const never = (why: string) => Promise.reject(new RunError("not_found", why));
    if (!channel?.isReady) return never(`the host is ${this.#state.status}`);
    if (signal?.aborted) return never("stopped before it began");
    const id = ++this.#lastId;
    const done = Promise.withResolvers<RunResult>();
    const waiting = { id, kind, limits, done, writtenMs: performance.now() };
    const onAbort = () => done.reject(new RunError("aborted", "stopped"));
    signal?.addEventListener("abort", onAbort, { once: true });
    const settle = () => signal?.removeEventListener("abort", onAbort);
    done.promise.then(settle, settle);
    if (kind === "aside") void this.#askAside(channel, waiting, text);
    else {
      channel.waiting.push(waiting);
      if (channel.waiting.length === 1) this.#expect(channel);
      channel.program.write(remoteRequest(id, kind, text, lastMoment(waiting, channel.aheadBy)));
    }
    return done.promise;
  }

  async #askAside({ program, asides }: Channel, waiting: Waiting, text: string): Promise<void> {
    const { id, done, limits } = waiting;
    const late = new RunError("timeout", `no answer within ${limits.timeoutMs} ms`);
    const timer = setTimeout(done.reject, limits.timeoutMs, late);
    asides.waiting.set(id, waiting);
    void asides.lock.run(async () => {
      if (!asides.waiting.has(id)) return;
      program.write(remoteRequest(id, "aside", text));
      await done.promise.catch(() => undefined);
    });
    await done.promise.catch(() => undefined);
    clearTimeout(timer);
    asides.waiting.delete(id);
  }

  #connect(): void {
    this.#take({ is: "begun" });
    const mark = randomBytes(9).toString("hex");
    let channel: Channel | null = null;
    try {
      const program = spawnPiped(this.#deps.command, {
        onOutput: (bytes) => channel && this.#hear(channel, bytes),
        onMessages: (bytes) => channel && this.#hearMessages(channel, bytes),
        onEnd: (code) => channel && this.#ended(channel, code),
      });
      const timer = setTimeout(() => undefined, 0);
      const answers = new LinkOutputParser(mark);
      channel = {
        ...{ program, mark, timer, answers, messages: "", isReady: false },
        ...{ waiting: [], sinceMs: 0, heardBytes: 0, aheadBy: null },
        asides: {
          answers: new LinkOutputParser(mark, { isReady: true }),
          lock: new Semaphore(1),
          waiting: new Map(),
        },
      };
      this.#channel = channel;
      this.#timeout(channel, READY_WITHIN_MS);
      program.write(remoteScript(mark));
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      this.#leave({ reason: "unreachable", detail: error.message });
    }
  }

  #hear(channel: Channel, bytes: Uint8Array): void {
    if (channel !== this.#channel) return;
    channel.heardBytes += bytes.length;
    if (channel.waiting.length > 0) channel.timer.refresh();
    for (const said of channel.answers.push(bytes)) {
      this.#understand(channel, said);
      if (channel !== this.#channel) return;
    }
    const [first] = channel.waiting;
    const mostMs = first && mostSilentMs(first) + channel.heardBytes;
    if (mostMs && performance.now() - channel.sinceMs > mostMs)
      this.#end({ reason: "timeout", detail: `no whole answer within ${mostMs} ms` });
  }

  #hearMessages(channel: Channel, bytes: Uint8Array): void {
    if (channel !== this.#channel) return;
    if (!channel.isReady) {
      if (channel.messages.length < MAX_MESSAGES_CHARS)
        channel.messages += new TextDecoder().decode(bytes);
      return;
    }
    for (const said of channel.asides.answers.push(bytes)) {
      if (said.is === "nonsense")
        return this.#end({ reason: "ended", detail: "it says more than was asked" });
      // One that comes too late has been given up.
      const waiting = said.is === "answer" ? channel.asides.waiting.get(said.id) : undefined;
      if (said.is === "answer" && waiting) answer(waiting, said.result);
    }
  }

  #understand(channel: Channel, said: LinkOutput): void {
    const broken = channel.isReady ? "ended" : "no_shell";
    if (said.is === "nonsense") return this.#end({ reason: broken, detail: said.why });
    if (said.is === "ready") return this.#ready(channel, said.version);
    const waiting = channel.waiting.shift();
    if (waiting?.id !== said.id)
      return this.#end({ reason: "ended", detail: "answers are out of order" });
    clearTimeout(channel.timer);
    if (channel.waiting.length > 0) this.#expect(channel);
    // Told when it was begun, which was after it was written.
    if (said.at !== null) channel.aheadBy = said.at - waiting.writtenMs / 1000;
    if (said.is === "late")
      return waiting.done.reject(new RunError("not_found", "it came too late, and was not begun"));
    if (waiting.kind === "tmux" && this.#state.status === "connecting")
      this.#take({ is: "answered" });
    this.#times = [...this.#times, performance.now() - waiting.writtenMs].slice(-TIMES_KEPT);
    answer(waiting, said.result);
  }

  #ready(channel: Channel, version: string): void {
    clearTimeout(channel.timer);
    const fault = this.#deps.versionFault(version);
    if (fault) return this.#end(fault);
    this.#version = version;
    this.#times = [];
    channel.isReady = true;
    this.#deps.onChange();
  }

  #expect(channel: Channel): void {
    const [first] = channel.waiting;
    channel.sinceMs = performance.now();
    channel.heardBytes = 0;
    if (first) this.#timeout(channel, mostSilentMs(first));
  }

  #timeout(channel: Channel, ms: number): void {
    clearTimeout(channel.timer);
    channel.timer = setTimeout(() => {
      if (channel === this.#channel)
        this.#end({ reason: "timeout", detail: `silent for ${ms} ms` });
    }, ms);
  }

  #ended(channel: Channel, code: number): void {
    if (channel !== this.#channel) return;
    const { isReady, messages, answers, asides } = channel;
    const detail = refusalDetail(asides.answers.rest);
    this.#end(isReady ? { reason: "ended", detail } : sshRefusal(code, messages, answers.rest));
  }

  /** Whatever was written and not answered may have been run. */
  #end(refusal: Refusal): void {
    const channel = this.#channel;
    if (!channel) return;
    this.#channel = null;
    clearTimeout(channel.timer);
    channel.program.kill();
    for (const { done } of [...channel.waiting, ...channel.asides.waiting.values()])
      done.reject(new RunError("aborted", "the link ended before the answer was there"));
    this.#leave(refusal);
  }

  #leave(refusal: Refusal): void {
    if (!this.#looking) return;
    this.#take({ is: "ended", refusal, random: this.#deps.random() });
  }

  #take(event: LinkEvent): void {
    const before = this.#state;
    this.#state = nextLinkState(before, event, momentOf(this.#deps.clock));
    if (this.#state !== before) this.#deps.onChange();
  }
}

function answer({ done, limits: { maxBytes } }: Waiting, result: RunResult): void {
  if (result.stdout.length <= maxBytes) done.resolve(result);
  else done.reject(new RunError("too_large", `more than ${maxBytes} bytes of output`));
}

const mostSilentMs = ({ limits }: Waiting): number => Math.min(limits.timeoutMs, SILENT_FOR_MS);

/** Epoch seconds there: by then it is given up here. */
const lastMoment = (waiting: Waiting, aheadBy: number | null): number | null =>
  aheadBy === null ? null : Math.ceil((waiting.writtenMs + mostSilentMs(waiting)) / 1000 + aheadBy);
