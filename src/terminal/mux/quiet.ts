import type { Capture, CapturedPane, Captures, ListedPane } from "../provider.ts";

/** Every quiet screen is compared so often, whatever the listing says of it. */
const SWEEP_SECONDS = 5;
/** Once CALM_AFTER sweeps in a row agreed with the listing, sweep this often. */
const CALM_SWEEP_SECONDS = 15;
const CALM_AFTER = 3;

export interface ScreenFacts {
  /** Two listings of one pane with equal marks have the same screen, but for output of one second. */
  mark: string;
  /** Monotonic seconds: a capture from then on shows all output that the mark stands for. */
  completeAt: number;
}

/** All output of the second that a row names is there, by our time: the clock of its machine may differ. */
export const completeAt = (seenAt: number): number => seenAt + 1;

interface ScreenReader {
  factsOf(pane: ListedPane): ScreenFacts | undefined;
  /** The visible screens alone, which costs a fraction of reading their history too. */
  capture(panes: readonly ListedPane[], lines: "screen", signal: AbortSignal): Promise<Captures>;
}

/** Which screens need no capture: by the listing in each pass, and by their own look once in a while. */
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
    // All at once: one process every few seconds instead of one each.
    const listed = quiet.map(({ pane }) => pane);
    const screens = listed.length === 0 ? null : await reader.capture(listed, "screen", signal);
    const same = quiet.filter(({ pane, text }) => endsWith(text, screens?.get(pane.id)));
    this.#sweptAt = at;
    if (screens) this.#emptySweeps = same.length === quiet.length ? this.#emptySweeps + 1 : 0;
    return idsOf(same);
  }
}

/**
 * Whether the screen is surely the captured one, as far as a listing can tell. Only tmux's times are
 * compared with each other, so that no clock that is set makes output look older than a capture.
 */
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
