import type { LiveConfig, PaneOverride } from "../protocol/config.ts";

/** Gives each machine the overrides of its own panes; others would be offline there. */
export class MachineOverrides {
  readonly #hasHosts: () => boolean;
  readonly #made = new Map<string | null, { of: LiveConfig; settings: LiveConfig }>();

  constructor(hasHosts: () => boolean) {
    this.#hasHosts = hasHosts;
  }

  /** The same object until the settings change; without any host the settings themselves. */
  settingsOf(live: LiveConfig, machine: string | null): LiveConfig {
    if (machine === null && !this.#hasHosts()) return live;
    const known = this.#made.get(machine);
    if (known?.of === live) return known.settings;
    const settings = { ...live, overrides: overridesOf(live.overrides, machine) };
    this.#made.set(machine, { of: live, settings });
    return settings;
  }
}

/**
 * A target of a host is `host:session:window.pane`; tmux allows no colon in a session's name, so
 * that no target of this machine has two.
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
