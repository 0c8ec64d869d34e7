import { patternMatcher } from "../support/pattern-worker.ts";
import { SETTINGS } from "../support/poller.ts";
import { watching } from "../support/watching.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { TerminalProvider } from "../../src/terminal/provider.ts";
import { openMux } from "../support/mux.ts";
import type { PrivateTmux } from "../support/tmux.ts";
import { FROM_SOURCE } from "../support/child.ts";
import { until } from "../support/until.ts";

export interface InputOptions {
  /** Absent: the tmux of this machine. */
  provider?: TerminalProvider;
  pollInterval?: number;
}

/** Connects a real tmux and the input classes as `app.ts` does. */
export async function startInput(tmux: PrivateTmux, options: InputOptions = {}) {
  const { provider = await openMux(tmux), pollInterval = 0.2 } = options;
  const matcher = patternMatcher();
  const settings = {
    ...{ ...SETTINGS, poll_interval: pollInterval, include_shells: true, error_patterns: [] },
    generic_prompt_patterns: ["\\[y/N\\]", "Overwrite\\?"],
  };
  const { hub, poller, legacy } = await watching(
    provider,
    { matcher, settings: () => settings },
    // A program may be slow: an answered prompt is told apart by its change alone, not by time.
    { pause: Bun.sleep, nowMs: () => 0 },
  );
  return {
    legacy,
    pass: () => poller.pass(),
    /** The first published state of a pane for which this holds. */
    published: (id: string, holds: (state: PaneState) => boolean) =>
      until(() => hub.current.panes.find((pane) => pane.id === id && holds(pane))),
    async stop() {
      await poller.stop();
      matcher.stop();
    },
  };
}

/** So often faster than a person would watch it. */
const PACE = "6";

/** Command line of a sample agent of the demo, under the name by which its program is known. */
export function sample(name: string): string[] {
  return ["bash", "-c", 'exec -a claude "$@"', "bash", ...FROM_SOURCE, "demo-pane", name, PACE];
}
