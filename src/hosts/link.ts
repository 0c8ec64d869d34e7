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

/** ssh itself gives up after 10 s, but a shell may never become ready. */
const READY_WITHIN_MS = 15_000;
/**
 * Silence after which an answer is given up, so that a host is away within 10 s. A whole answer may take
 * this long and a millisecond for each byte: a host that sends a byte a second is not live.
 */
const SILENT_FOR_MS = 8000;
const MAX_MESSAGES_CHARS = 16 * 1024;
/** How often to check whether an attempt is due, or the clock has jumped because the machine slept. */
const CHECK_EVERY_MS = 1000;
const JUMP_SECONDS = 5;
/** Round trips, of which the median counts. */
const TIMES_KEPT = 9;

export interface LinkDeps {
  command: readonly string[];
  /** Why a tmux of this version cannot be watched, or null; "" means no tmux. */
  versionFault: (version: string) => Refusal | null;
  clock: Clock;
  random: () => number;
  onChange: () => void;
}

interface PendingRequest {
  id: number;
  kind: RequestKind;
  limits: Limits;
  done: PromiseWithResolvers<RunResult>;
  writtenMs: number;
}

interface Channel {
  program: PipedProgram;
  parser: LinkOutputParser;
  mark: string;
  messages: string;
  isReady: boolean;
  /** Written and not answered, oldest first. */
  pending: PendingRequest[];
  /** Requests aside, answered on stderr one at a time: one that hangs fails alone. */
  asides: { parser: LinkOutputParser; lock: Semaphore; pending: Map<number, PendingRequest> };
  /** Of the request that is answered next, or of the ready mark. */
  timer: Timer;
  /** Since when that request is awaited, and how much was received since. */
  sinceMs: number;
  receivedBytes: number;
  /** Seconds by which the clock there is ahead of our monotonic one; null until it is known. */
  aheadBy: number | null;
}

/** A shell on another machine that is kept open: it connects, answers requests, and reconnects by itself. */
export class Link {
  readonly #deps: LinkDeps;
  #state: LinkState = OFF;
  #channel: Channel | null = null;
  #lastId = 0;
  #version: string | null = null;
  #times: number[] = [];
  #timer: Timer | null = null;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** The shell takes requests; tmux may still not answer. */
  get isReady(): boolean {
    return this.#channel?.isReady ?? false;
  }

  get version(): string | null {
    return this.#version;
  }

  /** A secret of this connection, which frames listings; "" without one. */
  get mark(): string {
    return this.#channel?.mark ?? "";
  }

  get roundTripMs(): number | null {
    if (this.#state.status !== "live" || this.#times.length === 0) return null;
    return this.#times.toSorted((a, b) => a - b)[this.#times.length >> 1] ?? null;
  }

  start(): void {
    if (this.#timer) return;
    let last = momentOf(this.#deps.clock);
    this.#timer = setInterval(() => {
      const now = momentOf(this.#deps.clock);
      const slept = now.at - last.at - (now.monotonic - last.monotonic);
      last = now;
      if (Math.abs(slept) > JUMP_SECONDS && this.#state.retryAt !== null)
        this.#take({ is: "asked" });
      if (isDue(this.#state, now)) this.#connect();
    }, CHECK_EVERY_MS);
    this.#connect();
  }

  /** When it returns, only the ssh process may still be about to end. */
  stop(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
    this.#take({ is: "stopped" });
    this.#end({ reason: "ended", detail: null });
  }

  retry(): void {
    if (!this.#timer) return;
    this.#take({ is: "asked" });
    if (isDue(this.#state, momentOf(this.#deps.clock))) this.#connect();
  }

  /** @throws RunError `not_found`: the request was not begun; any other kind: it may have been run */
  ask(kind: RequestKind, text: string, limits: Limits): Promise<RunResult> {
    const channel = this.#channel;
    const { signal } = limits;
    const never = (why: string) => Promise.reject(new RunError("not_found", why));
    if (!channel?.isReady) return never(`the host is ${this.#state.status}`);
    if (signal?.aborted) return never("stopped before it began");
    const id = ++this.#lastId;
    const done = Promise.withResolvers<RunResult>();
    const request = { id, kind, limits, done, writtenMs: performance.now() };
    const onAbort = () => done.reject(new RunError("aborted", "stopped"));
    signal?.addEventListener("abort", onAbort, { once: true });
    const settle = () => signal?.removeEventListener("abort", onAbort);
    done.promise.then(settle, settle);
    if (kind === "aside") void this.#askAside(channel, request, text);
    else {
      channel.pending.push(request);
      if (channel.pending.length === 1) this.#awaitNext(channel);
      channel.program.write(remoteRequest(id, kind, text, lastMoment(request, channel.aheadBy)));
    }
    return done.promise;
  }

  async #askAside(channel: Channel, request: PendingRequest, text: string): Promise<void> {
    const { program, asides } = channel;
    const { id, done, limits } = request;
    const late = new RunError("timeout", `no answer within ${limits.timeoutMs} ms`);
    const timer = setTimeout(done.reject, limits.timeoutMs, late);
    asides.pending.set(id, request);
    void asides.lock.run(async () => {
      if (!asides.pending.has(id)) return;
      program.write(remoteRequest(id, "aside", text));
      await done.promise.catch(() => undefined);
    });
    await done.promise.catch(() => undefined);
    clearTimeout(timer);
    asides.pending.delete(id);
  }

  #connect(): void {
    this.#take({ is: "begun" });
    const mark = randomBytes(9).toString("hex");
    let channel: Channel | null = null;
    try {
      const program = spawnPiped(this.#deps.command, {
        onOutput: (bytes) => channel && this.#receive(channel, bytes),
        onMessages: (bytes) => channel && this.#receiveMessages(channel, bytes),
        onEnd: (code) => channel && this.#ended(channel, code),
      });
      const timer = setTimeout(() => undefined, 0);
      const parser = new LinkOutputParser(mark);
      channel = {
        ...{ program, mark, timer, parser, messages: "", isReady: false },
        ...{ pending: [], sinceMs: 0, receivedBytes: 0, aheadBy: null },
        asides: {
          parser: new LinkOutputParser(mark, { isReady: true }),
          lock: new Semaphore(1),
          pending: new Map(),
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

  #receive(channel: Channel, bytes: Uint8Array): void {
    if (channel !== this.#channel) return;
    channel.receivedBytes += bytes.length;
    if (channel.pending.length > 0) channel.timer.refresh();
    for (const output of channel.parser.push(bytes)) {
      this.#handle(channel, output);
      if (channel !== this.#channel) return;
    }
    const [first] = channel.pending;
    const mostMs = first && mostSilentMs(first) + channel.receivedBytes;
    if (mostMs && performance.now() - channel.sinceMs > mostMs)
      this.#end({ reason: "timeout", detail: `no whole answer within ${mostMs} ms` });
  }

  #receiveMessages(channel: Channel, bytes: Uint8Array): void {
    if (channel !== this.#channel) return;
    if (!channel.isReady) {
      if (channel.messages.length < MAX_MESSAGES_CHARS)
        channel.messages += new TextDecoder().decode(bytes);
      return;
    }
    for (const output of channel.asides.parser.push(bytes)) {
      if (output.is === "nonsense")
        return this.#end({ reason: "ended", detail: "it says more than was asked" });
      // A late answer belongs to no request any more.
      const request = output.is === "answer" ? channel.asides.pending.get(output.id) : undefined;
      if (output.is === "answer" && request) answer(request, output.result);
    }
  }

  #handle(channel: Channel, output: LinkOutput): void {
    const broken = channel.isReady ? "ended" : "no_shell";
    if (output.is === "nonsense") return this.#end({ reason: broken, detail: output.why });
    if (output.is === "ready") return this.#ready(channel, output.version);
    const request = channel.pending.shift();
    if (request?.id !== output.id)
      return this.#end({ reason: "ended", detail: "answers are out of order" });
    clearTimeout(channel.timer);
    if (channel.pending.length > 0) this.#awaitNext(channel);
    // `at` is when the request was begun there, which was after the write.
    if (output.at !== null) channel.aheadBy = output.at - request.writtenMs / 1000;
    if (output.is === "late")
      return request.done.reject(new RunError("not_found", "it came too late, and was not begun"));
    if (request.kind === "tmux" && this.#state.status === "connecting")
      this.#take({ is: "answered" });
    this.#times = [...this.#times, performance.now() - request.writtenMs].slice(-TIMES_KEPT);
    answer(request, output.result);
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

  #awaitNext(channel: Channel): void {
    const [first] = channel.pending;
    channel.sinceMs = performance.now();
    channel.receivedBytes = 0;
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
    const { isReady, messages, parser, asides } = channel;
    const detail = refusalDetail(asides.parser.rest);
    this.#end(isReady ? { reason: "ended", detail } : sshRefusal(code, messages, parser.rest));
  }

  /** Pending requests fail: they may have been run. */
  #end(refusal: Refusal): void {
    const channel = this.#channel;
    if (!channel) return;
    this.#channel = null;
    clearTimeout(channel.timer);
    channel.program.kill();
    for (const { done } of [...channel.pending, ...channel.asides.pending.values()])
      done.reject(new RunError("aborted", "the link ended before the answer was there"));
    this.#leave(refusal);
  }

  #leave(refusal: Refusal): void {
    if (!this.#timer) return;
    this.#take({ is: "ended", refusal, random: this.#deps.random() });
  }

  #take(event: LinkEvent): void {
    const before = this.#state;
    this.#state = nextLinkState(before, event, momentOf(this.#deps.clock));
    if (this.#state !== before) this.#deps.onChange();
  }
}

function answer({ done, limits: { maxBytes } }: PendingRequest, result: RunResult): void {
  if (result.stdout.length <= maxBytes) done.resolve(result);
  else done.reject(new RunError("too_large", `more than ${maxBytes} bytes of output`));
}

const mostSilentMs = ({ limits }: PendingRequest): number =>
  Math.min(limits.timeoutMs, SILENT_FOR_MS);

/** Epoch seconds there, by which the request is given up here. */
const lastMoment = (request: PendingRequest, aheadBy: number | null): number | null =>
  aheadBy === null ? null : Math.ceil((request.writtenMs + mostSilentMs(request)) / 1000 + aheadBy);
