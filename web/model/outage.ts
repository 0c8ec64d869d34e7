import type { ConfigReply } from "../../src/protocol/config.ts";
import { isPlaceholder, type Pane } from "./pane.ts";

/** What is the matter with all panes at once: it is told once, not by each of them. */
export interface Outage {
  /** Display name of the multiplexer. */
  readonly provider: string;
  /** Its panes are read, but answers are off. */
  readonly isReadOnly: boolean;
  /** Epoch seconds when all was well last; 0 when never. */
  readonly lastSuccessAt: number;
  /** What was found and what to do; empty where the server does not say. */
  readonly message: string;
}

/** Whether there are panes and none of them may be acted on. */
export function areAllOff(panes: readonly Pane[]): boolean {
  const live = panes.filter(({ id }) => !isPlaceholder(id));
  return live.length > 0 && live.every(({ actionable }) => !actionable);
}

/** Null as soon as one pane may be acted on: the configuration may be older than that. */
export function outageOf(panes: readonly Pane[], config: ConfigReply | null): Outage | null {
  const provider = config?._info.capabilities.terminal_provider_v1;
  const health = provider?.health;
  if (!provider || !health || health.status === "ready" || !areAllOff(panes)) return null;
  return {
    provider: config._info.labels?.[provider.provider] ?? provider.provider,
    isReadOnly: panes.some(({ stale, id }) => !stale && !isPlaceholder(id)),
    lastSuccessAt: health.last_success_at,
    message: health.message ?? health.last_error ?? "",
  };
}

/** The display name of the multiplexer where it is well and has no pane at all, hidden ones included. */
export function nothingRuns(panes: readonly Pane[], config: ConfigReply | null): string | null {
  const provider = config?._info.capabilities.terminal_provider_v1;
  const isNone = provider?.health.status === "ready" && provider.health.listed_panes === 0;
  if (!isNone || panes.length > 0) return null;
  return config?._info.labels?.[provider.provider] ?? provider.provider;
}
