import type { Capture, CapturedPane, ListedPane } from "../provider.ts";

/** Every quiet screen is compared at least so often, whatever the listing says of it. */
export const SWEEP_SECONDS = 5;

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
    if (Math.abs(at - this.#sweptAt) < SWEEP_SECONDS) return idsOf(quiet);
    // All at once: one process every few seconds instead of one each.
    const screens = quiet.length === 0 ? null : await this.#deps.screens(idle(quiet), signal);
    this.#sweptAt = at;
    return idsOf(quiet.filter(({ pane, text }) => endsWith(text, screens?.get(pane.id))));
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

const idle = (panes: readonly CapturedPane[]) => panes.map(({ pane }) => pane);

function idsOf(panes: readonly CapturedPane[]): Set<string> {
  return new Set(panes.map(({ pane }) => pane.id));
}

function endsWith(text: string, screen: Capture | Error | undefined): boolean {
  return screen !== undefined && !(screen instanceof Error) && text.endsWith(screen.text);
}
