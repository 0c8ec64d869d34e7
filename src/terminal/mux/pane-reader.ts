import { RunError, type RunResult } from "../../lib/run.ts";
import type { Namespace } from "../namespace.ts";
import type { Capture, Captures, ListedPane, ReadPane } from "../provider.ts";
import { captureBatches, captureLines, lookLine, newMark } from "./commands.ts";
import type { Listings } from "./listings.ts";
import { complaint, meansGone, parseFrames, saysGone } from "./parse.ts";
import type { CommandLine, Tmux } from "./tmux.ts";

const CAPTURE_TIMEOUT_MS = 10_000;
const MAX_CAPTURE_BYTES = 64 * 1024 * 1024;

interface PaneReaderDeps {
  listings: Listings;
  tmux: Tmux;
  run(line: CommandLine, signal: AbortSignal): Promise<RunResult>;
  namespace: Namespace;
}

const captureOf = (text: string): Capture => ({ text, display: null });

export class PaneReader {
  readonly #deps: PaneReaderDeps;

  constructor(deps: PaneReaderDeps) {
    this.#deps = deps;
  }

  /** One that is listed already by a single command line; null when it is gone. */
  async look(id: string, lines: number, signal: AbortSignal): Promise<ReadPane | null> {
    const { listings, run, namespace } = this.#deps;
    const known = listings.last.panes.find((pane) => pane.id === id);
    const captured = async (pane: ListedPane | null) => {
      const capture = pane && (await this.capture([pane], lines, signal)).get(id);
      if (capture instanceof Error) throw capture;
      return pane && capture ? { pane, capture } : null;
    };
    if (!known) return captured(await listings.one(id, signal));
    const marks = { listing: newMark(), screen: newMark() };
    const { code, stdout, stderr } = await run(lookLine(marks, known, lines, namespace), signal);
    const cut = Buffer.from(stdout).indexOf(`${marks.screen}\n`);
    if (cut < 0) return captured(await listings.one(id, signal));
    const listed = { code: 0, stdout: stdout.subarray(0, cut), stderr };
    const pane = listings.parse(listed, marks.listing).panes[0];
    if (!pane || (code !== 0 && meansGone(stderr))) return null;
    // What is above the screen depends on these: a pane that has another size now is read again.
    if (pane.height !== known.height || pane.alternate !== known.alternate) return captured(pane);
    const frames = parseFrames(stdout.subarray(cut), marks.screen);
    const [text] = frames;
    if (code !== 0 || frames.length !== 2 || text == null)
      throw new Error(`cannot capture ${id}: ${complaint(stderr, code)}`);
    return { pane, capture: captureOf(text) };
  }

  /** History and screen together up to so many lines, or the visible screen alone. */
  async capture(
    panes: readonly ListedPane[],
    lines: number | "screen",
    signal: AbortSignal,
  ): Promise<Captures> {
    const found: Captures = new Map();
    for (const batch of captureBatches(panes, lines, this.#deps.tmux.batchRows))
      await this.#captureBatch(batch, lines, signal, found);
    return found;
  }

  async #captureBatch(
    batch: readonly ListedPane[],
    lines: number | "screen",
    signal: AbortSignal,
    found: Captures,
  ): Promise<void> {
    const { tmux, namespace } = this.#deps;
    const mark = newMark();
    const limits = { timeoutMs: CAPTURE_TIMEOUT_MS, maxBytes: MAX_CAPTURE_BYTES, signal };
    const result = await tmux
      .feed(captureLines(mark, batch, lines, namespace), limits)
      .catch((error: unknown) => {
        if (error instanceof RunError && error.kind === "too_large") return null;
        throw error;
      });
    const [only] = batch;
    if (result === null && only && batch.length === 1)
      return void found.set(only.id, new Error(`cannot capture ${only.id}: it is too large`));
    if (result === null) {
      // One screen full of attributes can be huge: find it, and let the others through.
      const middle = Math.ceil(batch.length / 2);
      await this.#captureBatch(batch.slice(0, middle), lines, signal, found);
      return this.#captureBatch(batch.slice(middle), lines, signal, found);
    }
    const { code, stdout, stderr } = result;
    const frames = parseFrames(stdout, mark);
    const isWhole = frames.length === batch.length + 1;
    if (!isWhole || (frames.slice(0, -1).includes(null) && stderr === ""))
      throw new Error(`cannot capture panes: ${complaint(stderr, code)}`);
    batch.forEach((pane, index) => {
      const text = frames[index] ?? null;
      if (text !== null) found.set(pane.id, captureOf(text));
      else if (!saysGone(namespace.ownId(pane.id), stderr))
        found.set(pane.id, new Error(`cannot capture ${pane.id}: ${complaint(stderr, code)}`));
    });
  }
}
