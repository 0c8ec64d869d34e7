import { RunError } from "../../lib/run.ts";
import type { Capture, ListedPane } from "../provider.ts";
import type { MuxClient } from "./client.ts";
import { captureBatches, captureCommand, newMark } from "./commands.ts";
import { complaint, meansGone, meansServerLost, parseFrames } from "./parse.ts";

const CAPTURE_TIMEOUT_MS = 10_000;
const MAX_CAPTURE_BYTES = 64 * 1024 * 1024;

/** Of history and screen together, or the visible screen alone. */
export type Lines = number | "screen";

export const captureOf = (text: string): Capture => ({ text, display: null });

/** Captures many panes by few processes. */
export class Screens {
  readonly #client: MuxClient;

  constructor(client: MuxClient) {
    this.#client = client;
  }

  /** A pane that vanished is absent from the map; one whose capture failed maps to an Error. */
  async capture(
    panes: readonly ListedPane[],
    lines: Lines,
    signal: AbortSignal,
  ): Promise<Map<string, Capture | Error>> {
    const found = new Map<string, Capture | Error>();
    for (const batch of captureBatches(panes, lines))
      await this.#captureBatch(batch, lines, signal, found);
    return found;
  }

  // A command list stops at its first failing command: go on behind the pane that failed.
  async #captureBatch(
    batch: readonly ListedPane[],
    lines: Lines,
    signal: AbortSignal,
    found: Map<string, Capture | Error>,
  ): Promise<void> {
    let rest = batch;
    while (rest.length > 0) {
      const mark = newMark();
      const result = await this.#runCapture(mark, rest, lines, signal);
      if (result === "too_large") return this.#captureHalves(rest, lines, signal, found);
      const { code, stdout, stderr } = result;
      const frames = parseFrames(stdout, mark);
      // The last frame is the end of the output, or of the pane that failed.
      const whole = frames.length - 1;
      const isTrusted = code === 0 ? whole === rest.length : whole >= 0 && whole < rest.length;
      if (!isTrusted) throw new Error(`cannot capture panes: ${complaint(stderr, code)}`);
      rest.slice(0, whole).forEach((pane, index) => {
        found.set(pane.id, captureOf(frames[index] ?? ""));
      });
      const failed = rest[whole];
      if (failed && !meansGone(stderr)) {
        if (stderr === "" || meansServerLost(stderr))
          throw new Error(`cannot capture panes: ${complaint(stderr, code)}`);
        found.set(failed.id, new Error(`cannot capture ${failed.id}: ${complaint(stderr, code)}`));
      }
      rest = rest.slice(whole + 1);
    }
  }

  async #runCapture(mark: string, panes: readonly ListedPane[], lines: Lines, signal: AbortSignal) {
    try {
      return await this.#client.run(captureCommand(mark, panes, lines), {
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
