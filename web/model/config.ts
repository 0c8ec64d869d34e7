import type { ConfigReply } from "../../src/protocol/config.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { isPlaceholder, type Pane } from "./pane.ts";
import { stringMembers } from "./stored.ts";

/**
 * Checks the members that the first screens read, so that a malformed one costs itself and not the
 * queue. All others stay as they came.
 */
export function readConfig(reply: ConfigReply): ConfigReply {
  const { _info: info, poll_interval } = reply;
  const { server_instance_id: instance, allowed_keys: keys, capabilities, labels } = info;
  const read: object = {
    ...info,
    server_instance_id: typeof instance === "string" ? instance : undefined,
    labels: stringMembers(labels),
    allowed_keys: Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [],
    capabilities: isRecord(capabilities) ? capabilities : {},
  };
  const _info = read as ConfigReply["_info"]; // Its members are those of the reply, or empty.
  return { ...reply, _info, poll_interval: Number.isFinite(poll_interval) ? poll_interval : 1 };
}

/** 0 where it is not announced; a capability without a version is version 1. */
export function versionOf(capability: unknown): number {
  if (!isRecord(capability) || capability["supported"] === false) return 0;
  const { version = 1 } = capability;
  return typeof version === "number" ? version : 0;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Whether `_info` of `GET /api/config` is of a server that this page can talk to (0.1.0 or later).
 * Missing metadata means an old server, malformed metadata another program.
 */
export function isCompatible(info: Readonly<Record<string, unknown>>): boolean {
  const { version, compatibility } = info;
  if (version !== undefined && !/^\d+\.\d+\.\d+([-+].*)?$/.test(String(version))) return false;
  if (compatibility === undefined) return true;
  const { protocol_version: protocol, minimum_mobile_version: mobile } = Object(compatibility);
  const isOurs = protocol === PROTOCOL_VERSION && typeof mobile === "string";
  return isOurs && !/^0\.0\./.test(String(version));
}

export type WorkspaceFacts =
  /** Of a version that this page knows. */
  | { readonly step: "on"; readonly hasReview: boolean }
  | { readonly step: "off" }
  /** Switched on; the server has just started and still opens its store. */
  | { readonly step: "starting" }
  /** Not possible, or broken; `reason` is the server's. */
  | { readonly step: "unavailable"; readonly reason: string }
  /** The server has no workspace, or a version that this page does not know. */
  | { readonly step: "none" };

export function workspaceOf(config: ConfigReply | null): WorkspaceFacts {
  const capabilities = config?._info.capabilities;
  const context = capabilities?.agent_context_v1;
  if (!config || !context || versionOf(context) !== 1) return { step: "none" };
  const wanted = config.experimental_agent_workspace_enabled;
  if (!wanted || !context.enabled) {
    const reason = context.degraded_reason ?? "";
    if (reason !== "") return { step: "unavailable", reason };
    return { step: wanted ? "starting" : "off" };
  }
  if (context.mode !== "log_observer") return { step: "none" };
  const review = capabilities.agent_review_v1;
  return { step: "on", hasReview: review?.enabled === true && versionOf(review) === 1 };
}

export function areAllOff(panes: readonly Pane[]): boolean {
  const live = panes.filter(({ id }) => !isPlaceholder(id));
  return live.length > 0 && live.every(({ actionable }) => !actionable);
}

/** Whether the server has listed panes since it started: before that a missing pane is not gone. */
export const hasListed = (panes: readonly Pane[], config: ConfigReply | null): boolean =>
  panes.some(({ id }) => !isPlaceholder(id)) ||
  config?._info.capabilities.terminal_provider_v1?.health.last_success_at !== 0;

/**
 * Why no pane at all can be acted on, told once instead of by each pane. Null as soon as one can:
 * the configuration may be older than the snapshot.
 */
export function outageOf(panes: readonly Pane[], config: ConfigReply | null) {
  const provider = config?._info.capabilities.terminal_provider_v1;
  const health = provider?.health;
  if (!provider || !health || health.status === "ready" || !areAllOff(panes)) return null;
  return {
    provider: nameOf(provider, config),
    /** Panes are still read; only answers are off. */
    isReadOnly: panes.some(({ stale, id }) => !stale && !isPlaceholder(id)),
    /** Epoch seconds; 0 for never. */
    lastSuccessAt: health.last_success_at,
    message: health.message ?? health.last_error ?? "",
  };
}

/** The name of a multiplexer that is well and has no panes, hidden ones included; else null. */
export function nothingRuns(panes: readonly Pane[], config: ConfigReply | null): string | null {
  const provider = config?._info.capabilities.terminal_provider_v1;
  const isNone = provider?.health.status === "ready" && provider.health.listed_panes === 0;
  return isNone && panes.length === 0 ? nameOf(provider, config) : null;
}

const nameOf = ({ provider }: { readonly provider: string }, config: ConfigReply | null): string =>
  config?._info.labels?.[provider] ?? provider;
