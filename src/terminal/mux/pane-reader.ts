import type { RunResult } from "../../lib/run.ts";
import type { Namespace } from "../namespace.ts";
import type { Capture, ListedPane } from "../provider.ts";
import { lookLine, newMark } from "./commands.ts";
import type { Listings } from "./listings.ts";
import { complaint, meansGone, parseFrames } from "./parse.ts";
import { captureOf, type ScreenReader } from "./screen-reader.ts";
import type { CommandLine } from "./script.ts";

interface Seen {
  pane: ListedPane;
  capture: Capture;
}

export interface PaneReaderDeps {
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
