import type { Capture, CapturedPane, ListedPane } from "../provider.ts";

/** Every quiet screen is compared so often, whatever the listing says of it. */
const SWEEP_SECONDS = 5;
/** Output moves the activity in every tmux that is known: where that proves true, this often will do. */
const CALM_SWEEP_SECONDS = 15;
/** So many sweeps in a row that found nothing prove it. */
const CALM_AFTER = 3;

/** What a listing tells about the screen of a pane. */
export interface ScreenFacts {
  /** Two listings of one pane with equal marks and no recent activity have the same screen. */
  mark: string;
  /** Epoch seconds, whole, of the last output in its window; 0 when unknown. */
  activity: number;
}

export interface QuietPanesDeps {
  facts(pane: ListedPane): ScreenFacts | undefined;
  /** The visible screens alone, which costs a fraction of reading their history too. */
  screens(panes: readonly ListedPane[], signal: AbortSignal): Promise<Map<string, Capture | Error>>;
}

/** Which screens need no capture: by the listing in each pass, and by their own look once in a while. */
export class QuietPanes {
  readonly #deps: QuietPanesDeps;
  #sweptAt = 0;
  /** Sweeps in a row that found nothing. */
  #inVain = 0;

  constructor(deps: QuietPanesDeps) {
    this.#deps = deps;
  }

  async unchanged(
    panes: readonly CapturedPane[],
    at: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const quiet = panes.filter(({ pane, captured, at: then }) =>
      isQuiet(this.#deps.facts(pane), this.#deps.facts(captured), then),
    );
    const everySeconds = this.#inVain < CALM_AFTER ? SWEEP_SECONDS : CALM_SWEEP_SECONDS;
    if (Math.abs(at - this.#sweptAt) < everySeconds) return idsOf(quiet);
    // All at once: one process every few seconds instead of one each.
    const screens = quiet.length === 0 ? null : await this.#deps.screens(panesOf(quiet), signal);
    const same = quiet.filter(({ pane, text }) => endsWith(text, screens?.get(pane.id)));
    this.#sweptAt = at;
    if (screens) this.#inVain = same.length === quiet.length ? this.#inVain + 1 : 0;
    return idsOf(same);
  }
}

/**
 * Whether the screen is surely the captured one, as far as a listing can tell. The activity time is
 * in whole seconds and of the whole window: output in the second of the capture counts as later.
 */
export function isQuiet(
  now: ScreenFacts | undefined,
  captured: ScreenFacts | undefined,
  capturedAt: number,
): boolean {
  if (!now || !captured || now.activity === 0) return false;
  return now.mark === captured.mark && now.activity < capturedAt - 1;
}

const panesOf = (panes: readonly CapturedPane[]) => panes.map(({ pane }) => pane);

function idsOf(panes: readonly CapturedPane[]): Set<string> {
  return new Set(panes.map(({ pane }) => pane.id));
}

function endsWith(text: string, screen: Capture | Error | undefined): boolean {
  return screen !== undefined && !(screen instanceof Error) && text.endsWith(screen.text);
}
