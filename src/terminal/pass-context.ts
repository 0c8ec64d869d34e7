import type { Patterns } from "../detect/pattern-rules.ts";
import type { LiveConfig, PaneOverride } from "../protocol/config.ts";
import type { Moment } from "../lib/clock.ts";

export interface PassSettings extends Pick<
  LiveConfig,
  "capture_lines" | "overrides" | "generic_prompt_patterns" | "error_patterns"
> {
  /** As `PaneState.host`: absent while no other machine is watched. */
  host?: string | null;
}

/** What is the same for all panes of one pass or look, which begins at this moment. */
export interface PassContext extends Moment {
  captureLines: number;
  host: string | null | undefined;
  patterns: Patterns;
  patternsKey: string;
  overrides: ReadonlyMap<string, PaneOverride>;
}

export function passContext(settings: PassSettings, moment: Moment): PassContext {
  const patterns = { prompt: settings.generic_prompt_patterns, error: settings.error_patterns };
  return {
    ...moment,
    captureLines: settings.capture_lines,
    host: settings.host,
    patterns,
    patternsKey: JSON.stringify(patterns),
    overrides: overridesOf(settings.overrides),
  };
}

/** By target, in their order; of two with the same target the first counts. */
function overridesOf(overrides: readonly PaneOverride[]): Map<string, PaneOverride> {
  const byTarget = new Map<string, PaneOverride>();
  for (const override of overrides)
    if (!byTarget.has(override.target)) byTarget.set(override.target, override);
  return byTarget;
}
