import { RunError, type RunResult } from "../../lib/run.ts";
import { type Namespace, THIS_MACHINE } from "../namespace.ts";
import { type Captures, type ListedPane, ProviderError, type PaneCapture } from "../provider.ts";
import {
  captureBatches,
  captureLines,
  LIGHT_PIECES,
  listLine,
  lookLine,
  newMark,
} from "./commands.ts";
import {
  complaint,
  lightPieces,
  meansGone,
  meansNoPanes,
  NO_PANES,
  type ParsedListing,
  type ParsedRow,
  parseFrames,
  parseListing,
  saysGone,
} from "./parse.ts";
import type { CommandLine, Tmux } from "./tmux.ts";

/** A command or a path can change without changing a light field: the whole listing is read so often. */
const WHOLE_EVERY_SECONDS = 5;

const LIST_LIMITS = { timeoutMs: 5000, maxBytes: 16 * 1024 * 1024 };
const CAPTURE_LIMITS = { timeoutMs: 10_000, maxBytes: 64 * 1024 * 1024 };

const decoder = new TextDecoder();

/** A size that no pane has. */
const NEVER_LISTED = { height: 0, alternate: false };

/**
 * Lists panes and reads their screens. While nothing changes, only the light fields are asked for
 * (commands and paths cost tmux as much as all others together), and an answer that differs from the
 * one before only in its mark is not parsed again.
 */
export class MuxReader {
  readonly #tmux: Pick<Tmux, "run" | "feed" | "newMark" | "batchRows">;
  readonly #namespace: Namespace;
  /** Monotonic seconds. */
  readonly #now: () => number;
  #last: ParsedListing = NO_PANES;
  /** The pieces of the next light listing, if nothing changes. */
  #expected: readonly string[] = [];
  #isQuiet = false;
  #wholeAt = -Infinity;
  readonly #facts = new WeakMap<ListedPane, ParsedRow>();

  constructor(
    tmux: Pick<Tmux, "run" | "feed" | "newMark" | "batchRows">,
    namespace = THIS_MACHINE,
    now = () => performance.now() / 1000,
  ) {
    this.#tmux = tmux;
    this.#namespace = namespace;
    this.#now = now;
  }

  /** The last whole listing; an equal one is the same object. */
  get last(): ParsedListing {
    return this.#last;
  }

  factsOf(pane: ListedPane): ParsedRow | undefined {
    return this.#facts.get(pane);
  }

  /** @throws Error when tmux failed or its output cannot be trusted */
  async all(signal: AbortSignal): Promise<ParsedListing> {
    const now = this.#now();
    const isRecent = now - this.#wholeAt < WHOLE_EVERY_SECONDS;
    if (this.#isQuiet && isRecent && (await this.#isAsBefore(signal))) return this.#last;
    const mark = this.#tmux.newMark();
    const result = await this.#run(listLine(mark, "whole"), signal);
    const listing = this.#parse(result, mark);
    const expected = lightPieces(listing.rows);
    this.#isQuiet = isEqual(expected, this.#expected) && listing.epoch !== "";
    this.#expected = expected;
    this.#wholeAt = now;
    if (!isEqual([...listing.rows.keys()], [...this.#last.rows.keys()])) this.#last = listing;
    return this.#last;
  }

  #parse({ code, stdout, stderr }: RunResult, mark: string): ParsedListing {
    if (code !== 0) {
      if (stdout.length === 0 && meansNoPanes(stderr)) return NO_PANES;
      throw new Error(`cannot list panes: ${complaint(stderr, code)}`);
    }
    const output = decoder.decode(stdout);
    const listing = parseListing(output, mark, this.#last, this.#now(), this.#namespace);
    for (const row of listing.rows.values()) this.#facts.set(row.pane, row);
    return listing;
  }

  // After any other answer (a failure, no server) the whole listing decides.
  async #isAsBefore(signal: AbortSignal): Promise<boolean> {
    const mark = this.#tmux.newMark();
    const { code, stdout } = await this.#run(listLine(mark, "light"), signal);
    if (code !== 0) return false;
    const pieces = decoder.decode(stdout).split(mark);
    const isWhole = pieces[0] === "" && pieces.at(-1) === "\n";
    return (
      isWhole && pieces.length % LIGHT_PIECES === 2 && isEqual(pieces.slice(1, -1), this.#expected)
    );
  }

  /** By a single command line where the pane still has its listed size; null when it is gone. */
  async look(id: string, lines: number, signal: AbortSignal): Promise<PaneCapture | null> {
    const known = this.#last.panes.find((pane) => pane.id === id) ?? { id, ...NEVER_LISTED };
    const marks = { listing: newMark(), screen: newMark() };
    const result = await this.#run(lookLine(marks, known, lines, this.#namespace), signal);
    const { code, stdout, stderr } = result;
    const cut = Buffer.from(stdout).indexOf(`${marks.screen}\n`);
    const listed = cut < 0 ? result : { code: 0, stdout: stdout.subarray(0, cut), stderr };
    const pane = this.#parse(listed, marks.listing).panes[0];
    if (!pane || (code !== 0 && meansGone(stderr))) return null;
    // The capture of the history depends on these.
    const isSame = pane.height === known.height && pane.alternate === known.alternate;
    const captures = isSame
      ? this.#capturesIn({ code, stdout: stdout.subarray(cut), stderr }, marks.screen, [pane])
      : await this.capture([pane], lines, signal);
    const capture = captures.get(id);
    if (capture instanceof Error) throw capture;
    return capture ? { pane, capture } : null;
  }

  /** `lines`: the most of history and screen together, or the visible screen alone. */
  async capture(
    panes: readonly ListedPane[],
    lines: number | "screen",
    signal: AbortSignal,
  ): Promise<Captures> {
    const captures: Captures = new Map();
    for (const batch of captureBatches(panes, lines, this.#tmux.batchRows))
      for (const each of await this.#captureBatch(batch, lines, signal)) captures.set(...each);
    return captures;
  }

  async #captureBatch(
    batch: readonly ListedPane[],
    lines: number | "screen",
    signal: AbortSignal,
  ): Promise<Captures> {
    const mark = newMark();
    const limits = { ...CAPTURE_LIMITS, signal };
    const result = await this.#tmux
      .feed(captureLines(mark, batch, lines, this.#namespace), limits)
      .catch((error: unknown) => {
        if (error instanceof RunError && error.kind === "too_large") return null;
        throw error;
      });
    if (result) return this.#capturesIn(result, mark, batch);
    const [only] = batch;
    if (only && batch.length === 1)
      return new Map([[only.id, new Error(`cannot capture ${only.id}: it is too large`)]]);
    // A screen full of attributes can be huge: find it, and let the others through.
    const middle = Math.ceil(batch.length / 2);
    const first = await this.#captureBatch(batch.slice(0, middle), lines, signal);
    return new Map([...first, ...(await this.#captureBatch(batch.slice(middle), lines, signal))]);
  }

  /** @throws Error when the output is cut */
  #capturesIn(
    { code, stdout, stderr }: RunResult,
    mark: string,
    panes: readonly ListedPane[],
  ): Captures {
    const frames = parseFrames(stdout, mark);
    const isWhole = frames.length === panes.length + 1;
    if (!isWhole || (frames.slice(0, -1).includes(null) && stderr === ""))
      throw new Error(`cannot capture panes: ${complaint(stderr, code)}`);
    const captures: Captures = new Map();
    panes.forEach(({ id }, index) => {
      const text = frames[index] ?? null;
      if (text !== null) captures.set(id, { text, display: null });
      else if (!saysGone(this.#namespace.ownId(id), stderr))
        captures.set(id, new Error(`cannot capture ${id}: ${complaint(stderr, code)}`));
    });
    return captures;
  }

  async #run(line: CommandLine, signal: AbortSignal): Promise<RunResult> {
    return this.#tmux.run(line, { ...LIST_LIMITS, signal }).catch((cause: unknown) => {
      if (!(cause instanceof RunError) || cause.kind !== "not_found") throw cause;
      throw new ProviderError("unavailable", cause.message, cause.message, { cause });
    });
  }
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
