import type { Capture, CapturedPane, Captures, ListedPane } from "../provider.ts";

/** How often every screen is compared, also those that the listing calls unchanged. */
const SWEEP_SECONDS = 5;
/** The same, once CALM_AFTER sweeps in a row have agreed with the listing. */
const CALM_SWEEP_SECONDS = 15;
const CALM_AFTER = 3;

export interface ScreenFacts {
  /** Equal marks in two listings mean an equal screen, except for output within one second. */
  mark: string;
  /** Monotonic seconds: a capture from then on shows all output that this mark covers. */
  completeAt: number;
}

/** The end of the second that a row names, by our time: the clock of its machine may differ. */
export const completeAt = (seenAt: number): number => seenAt + 1;

interface ScreenReader {
  factsOf(pane: ListedPane): ScreenFacts | undefined;
  /** Visible screens alone: this costs a fraction of reading the history too. */
  capture(panes: readonly ListedPane[], lines: "screen", signal: AbortSignal): Promise<Captures>;
}

/** Which screens need no capture: by the listing in each pass, now and then by the screens themselves. */
export class QuietPanes {
  readonly #reader: ScreenReader;
  #sweptAt = -Infinity;
  #emptySweeps = 0;

  constructor(reader: ScreenReader) {
    this.#reader = reader;
  }

  async unchanged(
    panes: readonly CapturedPane[],
    at: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const reader = this.#reader;
    const quiet = panes.filter(({ pane, captured, at: then }) =>
      isQuiet(reader.factsOf(pane), reader.factsOf(captured), then),
    );
    const everySeconds = this.#emptySweeps < CALM_AFTER ? SWEEP_SECONDS : CALM_SWEEP_SECONDS;
    if (at - this.#sweptAt < everySeconds) return idsOf(quiet);
    // All screens at once: one process every few seconds instead of one for each pane.
    const listed = quiet.map(({ pane }) => pane);
    const screens = listed.length === 0 ? null : await reader.capture(listed, "screen", signal);
    const same = quiet.filter(({ pane, text }) => endsWith(text, screens?.get(pane.id)));
    this.#sweptAt = at;
    if (screens) this.#emptySweeps = same.length === quiet.length ? this.#emptySweeps + 1 : 0;
    return idsOf(same);
  }
}

/** Whether by the listings the screen is surely the captured one. Setting a clock cannot change that. */
export function isQuiet(
  now: ScreenFacts | undefined,
  captured: ScreenFacts | undefined,
  capturedAt: number,
): boolean {
  if (!now || !captured) return false;
  return now.mark === captured.mark && capturedAt >= captured.completeAt;
}

function idsOf(panes: readonly CapturedPane[]): Set<string> {
  return new Set(panes.map(({ pane }) => pane.id));
}

function endsWith(text: string, screen: Capture | Error | undefined): boolean {
  return screen !== undefined && !(screen instanceof Error) && text.endsWith(screen.text);
}
