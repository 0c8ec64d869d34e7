import { RunError, type RunResult } from "../../lib/run.ts";
import type { Namespace } from "../namespace.ts";
import type { Capture, ListedPane } from "../provider.ts";
import { captureBatches, captureLines, lookLine, newMark } from "./commands.ts";
import type { Listings } from "./listings.ts";
import { complaint, saysGone, meansGone, parseFrames } from "./parse.ts";
import type { CommandLine, Tmux } from "./tmux.ts";

interface Seen {
  pane: ListedPane;
  capture: Capture;
}

interface PaneReaderDeps {
  listings: Listings;
  screens: ScreenReader;
  run(line: CommandLine, signal: AbortSignal): Promise<RunResult>;
  namespace: Namespace;
}

/** Reads one pane as it is at this moment: one that is listed already by a single command line. */
export class PaneReader {
  readonly #deps: PaneReaderDeps;

  constructor(deps: PaneReaderDeps) {
    this.#deps = deps;
  }

  /** Null when it is gone. @throws Error when it cannot be read */
  async look(id: string, lines: number, signal: AbortSignal): Promise<Seen | null> {
    const { listings, run, namespace } = this.#deps;
    const known = listings.last.panes.find((pane) => pane.id === id);
    if (!known) return this.#lookAfresh(id, lines, signal);
    const marks = { listing: newMark(), screen: newMark() };
    const { code, stdout, stderr } = await run(lookLine(marks, known, lines, namespace), signal);
    const cut = Buffer.from(stdout).indexOf(`${marks.screen}\n`);
    if (cut < 0) return this.#lookAfresh(id, lines, signal);
    const listed = { code: 0, stdout: stdout.subarray(0, cut), stderr };
    const pane = listings.parse(listed, marks.listing).panes[0];
    if (!pane || (code !== 0 && meansGone(stderr))) return null;
    // What is above the screen depends on these: a pane that has another size now is read again.
    if (pane.height !== known.height || pane.alternate !== known.alternate)
      return this.#captured(pane, lines, signal);
    const frames = parseFrames(stdout.subarray(cut), marks.screen);
    const [text] = frames;
    if (code !== 0 || frames.length !== 2 || text == null)
      throw new Error(`cannot capture ${id}: ${complaint(stderr, code)}`);
    return { pane, capture: captureOf(text) };
  }

  async #lookAfresh(id: string, lines: number, signal: AbortSignal): Promise<Seen | null> {
    const pane = await this.#deps.listings.one(id, signal);
    return pane && this.#captured(pane, lines, signal);
  }

  async #captured(pane: ListedPane, lines: number, signal: AbortSignal): Promise<Seen | null> {
    const capture = (await this.#deps.screens.capture([pane], lines, signal)).get(pane.id);
    if (capture instanceof Error) throw capture;
    return capture ? { pane, capture } : null;
  }
}

const CAPTURE_TIMEOUT_MS = 10_000;
const MAX_CAPTURE_BYTES = 64 * 1024 * 1024;

type Lines = number | "screen";

const captureOf = (text: string): Capture => ({ text, display: null });

export class ScreenReader {
  readonly #tmux: Tmux;
  readonly #namespace: Namespace;

  constructor(tmux: Tmux, namespace: Namespace) {
    this.#tmux = tmux;
    this.#namespace = namespace;
  }

  /** A pane that vanished is absent from the map; one whose capture failed maps to an Error. */
  async capture(
    panes: readonly ListedPane[],
    lines: Lines,
    signal: AbortSignal,
  ): Promise<Map<string, Capture | Error>> {
    const found = new Map<string, Capture | Error>();
    for (const batch of captureBatches(panes, lines, this.#tmux.batchRows))
      await this.#captureBatch(batch, lines, signal, found);
    return found;
  }

  async #captureBatch(
    batch: readonly ListedPane[],
    lines: Lines,
    signal: AbortSignal,
    found: Map<string, Capture | Error>,
  ): Promise<void> {
    const mark = newMark();
    const result = await this.#runCapture(mark, batch, lines, signal);
    if (result === "too_large") return this.#captureHalves(batch, lines, signal, found);
    const { code, stdout, stderr } = result;
    const frames = parseFrames(stdout, mark);
    const isWhole = frames.length === batch.length + 1;
    if (!isWhole || (frames.slice(0, -1).includes(null) && stderr === ""))
      throw new Error(`cannot capture panes: ${complaint(stderr, code)}`);
    batch.forEach((pane, index) => {
      const text = frames[index] ?? null;
      if (text !== null) found.set(pane.id, captureOf(text));
      else if (!saysGone(this.#namespace.ownId(pane.id), stderr))
        found.set(pane.id, new Error(`cannot capture ${pane.id}: ${complaint(stderr, code)}`));
    });
  }

  async #runCapture(mark: string, panes: readonly ListedPane[], lines: Lines, signal: AbortSignal) {
    try {
      return await this.#tmux.feed(captureLines(mark, panes, lines, this.#namespace), {
        timeoutMs: CAPTURE_TIMEOUT_MS,
        maxBytes: MAX_CAPTURE_BYTES,
        signal,
      });
    } catch (error) {
      if (error instanceof RunError && error.kind === "too_large") return "too_large";
      throw error;
    }
  }

  // One screen full of attributes can be huge: find it, and let the others through.
  async #captureHalves(
    panes: readonly ListedPane[],
    lines: Lines,
    signal: AbortSignal,
    found: Map<string, Capture | Error>,
  ): Promise<void> {
    const [only] = panes;
    if (only && panes.length === 1) {
      found.set(only.id, new Error(`cannot capture ${only.id}: its screen is too large`));
      return;
    }
    const middle = Math.ceil(panes.length / 2);
    await this.#captureBatch(panes.slice(0, middle), lines, signal, found);
    await this.#captureBatch(panes.slice(middle), lines, signal, found);
  }
}
