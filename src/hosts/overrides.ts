import type { PaneOverride } from "../protocol/config.ts";

/**
 * The overrides of one machine's panes: others would be offline there. A target of a host is
 * `host:session:window.pane`; tmux allows no colon in a session's name, so that no target of this
 * machine has two.
 */
export function overridesOf(
  overrides: readonly PaneOverride[],
  machine: string | null,
): PaneOverride[] {
  return overrides.filter(({ target }) => {
    const [first = "", ...rest] = target.split(":");
    return (rest.length === 2 ? first : null) === machine;
  });
}
