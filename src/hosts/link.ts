import { randomBytes } from "node:crypto";
import { startPiped, type PipedProgram } from "../lib/companion.ts";
import type { Clock } from "../lib/clock.ts";
import { RunError, type RunResult } from "../lib/run.ts";
import { momentOf } from "../terminal/moment.ts";
import { Answers, type Said } from "./answers.ts";
import { farQuestion, farScript, type Question } from "./far-shell.ts";
import { detailOf, type Refusal, refusalOf } from "./refusal.ts";
import { follow, isDue, type LinkEvent, OFF, type Standing } from "./standing.ts";

/** ssh gives up after 10 s by itself; a shell that is never ready does not. */
const READY_WITHIN_MS = 15_000;
/** Of silence, before an answer is given up: the host is away within 10 s in any case. */
const SILENT_FOR_MS = 8000;
const MAX_MESSAGES_CHARS = 16 * 1024;
/** How often it is looked whether an attempt is due, or the clock has jumped: a machine woke up. */
const LOOK_EVERY_MS = 1000;
const JUMP_SECONDS = 5;
const TIMES_KEPT = 9;

export interface LinkLimits {
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
}

export interface LinkDeps {
  /** The whole command line of ssh. */
  command: readonly string[];
  /** Why a host whose tmux is of this version is not watched, or null; "" is no tmux. */
  versionFault: (version: string) => Refusal | null;
  clock: Clock;
  random: () => number;
  /** Its standing has become another one. */
  onChange: () => void;
}

interface Waiting {
  id: number;
  limits: LinkLimits;
  done: PromiseWithResolvers<RunResult>;
  writtenMs: number;
}

/** One ssh process, while it stands. */
interface Channel {
  program: PipedProgram;
  answers: Answers;
  mark: string;
  messages: string;
  version: string;
  /** Written and not answered, oldest first. */
  waiting: Waiting[];
  /** Of the question that is answered now, or of the ready mark. */
  timer: Timer;
  /** Set when we end it, before its own end says anything. */
  refusal: Refusal | null;
}

/** A kept shell on another machine: connects, answers questions, and comes back by itself. */
export class Link {
  readonly #deps: LinkDeps;
  #standing: Standing = OFF;
  #channel: Channel | null = null;
  #lastId = 0;
  #version: string | null = null;
  #times: number[] = [];
  #looking: Timer | null = null;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  get standing(): Standing {
    return this.#standing;
  }

  /** Of tmux there, as the last link that stood said it. */
  get version(): string | null {
    return this.#version;
  }

  /** Frames the answers of programs, as long as this link stands: nobody there can know it. */
  get mark(): string {
    return this.#channel?.mark ?? "";
  }

  /** Median of the last answers; null while nobody answers. */
  get roundTripMs(): number | null {
    if (this.#standing.status !== "live" || this.#times.length === 0) return null;
    return this.#times.toSorted((a, b) => a - b)[this.#times.length >> 1] ?? null;
  }

  start(): void {
    if (this.#looking) return;
    let last = momentOf(this.#deps.clock);
    this.#looking = setInterval(() => {
      const now = momentOf(this.#deps.clock);
      const slept = now.at - last.at - (now.monotonic - last.monotonic);
      last = now;
      if (Math.abs(slept) > JUMP_SECONDS && this.#standing.retryAt !== null)
        this.#take({ is: "asked" });
      if (isDue(this.#standing, now)) this.#connect();
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

  /** Somebody asks for an attempt now. */
  retry(): void {
    if (!this.#looking) return;
    this.#take({ is: "asked" });
    if (isDue(this.#standing, momentOf(this.#deps.clock))) this.#connect();
  }

  /**
   * Hands a text to a program there. Written at once, behind what is being answered.
   * @throws RunError `not_found`: it was not written; else nobody knows whether it was run
   */
  ask(kind: Question, text: string, limits: LinkLimits): Promise<RunResult> {
    const channel = this.#channel;
    if (!channel || this.#standing.status !== "live")
      return Promise.reject(new RunError("not_found", `the host is ${this.#standing.status}`));
    const { signal } = limits;
    if (signal?.aborted)
      return Promise.reject(new RunError("not_found", "stopped before it began"));
    const id = ++this.#lastId;
    const done = Promise.withResolvers<RunResult>();
    const writtenMs = performance.now();
    channel.waiting.push({ id, limits, done, writtenMs });
    if (channel.waiting.length === 1)
      this.#timeout(channel, Math.min(limits.timeoutMs, SILENT_FOR_MS));
    channel.program.write(farQuestion(id, kind, text));
    const onAbort = () => done.reject(new RunError("aborted", "stopped"));
    signal?.addEventListener("abort", onAbort, { once: true });
    const settle = () => signal?.removeEventListener("abort", onAbort);
    done.promise.then(settle, settle);
    return done.promise;
  }

  #connect(): void {
    this.#take({ is: "begun" });
    const mark = randomBytes(9).toString("hex");
    let channel: Channel | null = null;
    try {
      const program = startPiped(this.#deps.command, {
        onOutput: (bytes) => channel && this.#hear(channel, bytes),
        onMessages: (bytes) => {
          if (channel && channel.messages.length < MAX_MESSAGES_CHARS)
            channel.messages += new TextDecoder().decode(bytes);
        },
        onEnd: (code) => channel && this.#ended(channel, code),
      });
      const timer = setTimeout(() => undefined, 0);
      const answers = new Answers(mark);
      const rest = { messages: "", version: "", waiting: [], timer, refusal: null };
      channel = { program, answers, mark, ...rest };
      this.#channel = channel;
      this.#timeout(channel, READY_WITHIN_MS);
      program.write(farScript(mark));
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      this.#leave({ reason: "unreachable", detail: error.message });
    }
  }

  #hear(channel: Channel, bytes: Uint8Array): void {
    if (channel !== this.#channel) return;
    if (channel.waiting.length > 0) channel.timer.refresh();
    for (const said of channel.answers.push(bytes)) {
      this.#understand(channel, said);
      if (channel !== this.#channel) return;
    }
  }

  #understand(channel: Channel, said: Said): void {
    if (said.is === "nonsense") return this.#end({ reason: this.#broken(), detail: said.why });
    if (said.is === "ready") return this.#ready(channel, said.version);
    const waiting = channel.waiting.shift();
    if (waiting?.id !== said.id)
      return this.#end({ reason: "ended", detail: "answers are out of order" });
    clearTimeout(channel.timer);
    const [next] = channel.waiting;
    if (next) this.#timeout(channel, Math.min(next.limits.timeoutMs, SILENT_FOR_MS));
    this.#times = [...this.#times, performance.now() - waiting.writtenMs].slice(-TIMES_KEPT);
    const { maxBytes } = waiting.limits;
    if (said.result.stdout.length <= maxBytes) waiting.done.resolve(said.result);
    else waiting.done.reject(new RunError("too_large", `more than ${maxBytes} bytes of output`));
  }

  #ready(channel: Channel, version: string): void {
    clearTimeout(channel.timer);
    const fault = this.#deps.versionFault(version);
    if (fault) return this.#end(fault);
    this.#version = version;
    this.#times = [];
    this.#take({ is: "ready" });
  }

  #timeout(channel: Channel, ms: number): void {
    clearTimeout(channel.timer);
    channel.timer = setTimeout(() => {
      if (channel === this.#channel)
        this.#end({ reason: "timeout", detail: `silent for ${ms} ms` });
    }, ms);
  }

  #broken(): "ended" | "no_shell" {
    return this.#standing.status === "live" ? "ended" : "no_shell";
  }

  #ended(channel: Channel, code: number): void {
    if (channel !== this.#channel) return;
    const isLive = this.#standing.status === "live";
    const detail = detailOf(channel.messages);
    this.#end(isLive ? { reason: "ended", detail } : refusalOf(code, channel.messages));
  }

  /** Whatever was written and not answered may have been run. */
  #end(refusal: Refusal): void {
    const channel = this.#channel;
    if (!channel) return;
    this.#channel = null;
    clearTimeout(channel.timer);
    channel.program.kill();
    for (const { done } of channel.waiting)
      done.reject(new RunError("aborted", "the link ended before the answer was there"));
    this.#leave(refusal);
  }

  #leave(refusal: Refusal): void {
    if (!this.#looking) return;
    this.#take({ is: "ended", refusal, random: this.#deps.random() });
  }

  #take(event: LinkEvent): void {
    const before = this.#standing;
    this.#standing = follow(before, event, momentOf(this.#deps.clock));
    if (this.#standing !== before) this.#deps.onChange();
  }
}
