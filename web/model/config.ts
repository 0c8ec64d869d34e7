import type { ConfigReply } from "../../src/protocol/config.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";
import { isPlaceholder, type Pane } from "./pane.ts";

/**
 * The configuration with what the first screens read of it in its promised shape: one member that is
 * not as it should be costs itself, and not the queue. The rest stays as it came, for the views that
 * show it.
 */
export function readConfig(reply: ConfigReply): ConfigReply {
  const info: Readonly<Record<string, unknown>> = { ...reply._info };
  const { server_instance_id: instance, allowed_keys: keys } = info;
  const read = {
    ...reply._info,
    labels: textsOf(info["labels"]),
    allowed_keys: Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [],
    capabilities: isRecord(info["capabilities"]) ? info["capabilities"] : {},
  } as ConfigReply["_info"]; // Its members are those of the reply, or empty.
  const _info = typeof instance === "string" ? read : omitInstance(read);
  const { poll_interval } = reply;
  return Number.isFinite(poll_interval)
    ? { ...reply, _info }
    : { ...reply, _info, poll_interval: 1 };
}

/** Version of a capability as it is announced: absent in it means 1, not announced is 0. */
export function versionOf(capability: unknown): number {
  if (!isRecord(capability) || capability["supported"] === false) return 0;
  const { version } = capability;
  if (version === undefined) return 1;
  return typeof version === "number" ? version : 0;
}

function omitInstance(info: ConfigReply["_info"]): ConfigReply["_info"] {
  const { server_instance_id: _, ...rest } = info;
  return rest as ConfigReply["_info"]; // Read as one that did not say it.
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((item): item is [string, string] => typeof item[1] === "string"),
  );
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export type Handshake = "verified" | "unverified" | "incompatible";

/** First published server that speaks this protocol. */
const OLDEST = [0, 1, 0] as const;

/** Judges `_info` of `GET /api/config`. Missing metadata is an old server, malformed metadata is not ours. */
export function judgeServer(info: Readonly<Record<string, unknown>>): Handshake {
  const { version, compatibility } = info;
  if (version === undefined && compatibility === undefined) return "unverified";
  const parsed = version === undefined ? null : parseVersion(version);
  if (version !== undefined && parsed === null) return "incompatible";
  if (compatibility === undefined) return "unverified";
  if (!isRecord(compatibility) || typeof compatibility.protocol_version !== "number")
    return "incompatible";
  if (compatibility.protocol_version !== PROTOCOL_VERSION) return "incompatible";
  if (parsed === null) return "unverified";
  return isOlder(parsed, OLDEST) ? "incompatible" : "verified";
}

function parseVersion(value: unknown): readonly number[] | null {
  if (typeof value !== "string") return null;
  const match = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(value);
  return match === null ? null : match.slice(1, 4).map(Number);
}

function isOlder(version: readonly number[], than: readonly number[]): boolean {
  for (const [i, part] of than.entries()) {
    const own = version[i] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}

/** What this page can do with the agent workspace of a server. */
export type WorkspaceFacts =
  /** On, and of a version that this page knows. */
  | { readonly step: "on"; readonly hasReview: boolean }
  /** The server can do it, and it is switched off. */
  | { readonly step: "off" }
  /** Switched on, and about to run: a server that has only just begun opens its store. */
  | { readonly step: "starting" }
  /** It cannot be switched on, or does not run although it is: with the server's reason. */
  | { readonly step: "unavailable"; readonly reason: string }
  /** This server has none, or one of a version that this page does not know. */
  | { readonly step: "none" };

const VERSION = 1;

/** A capability without a version is version 1; an unknown one is as good as none. */
const isKnown = (capability: object): boolean => {
  const version: unknown = Reflect.get(capability, "version") ?? VERSION;
  return version === VERSION;
};

export function workspaceOf(config: ConfigReply | null): WorkspaceFacts {
  const capabilities = config?._info.capabilities;
  const context = capabilities?.agent_context_v1;
  if (!config || !context || !isKnown(context)) return { step: "none" };
  const wanted = config.experimental_agent_workspace_enabled;
  if (!wanted || !context.enabled) {
    const reason = context.degraded_reason ?? "";
    if (reason !== "") return { step: "unavailable", reason };
    return { step: wanted ? "starting" : "off" };
  }
  if (context.mode !== "log_observer") return { step: "none" };
  const review = capabilities.agent_review_v1;
  return { step: "on", hasReview: review?.enabled === true && isKnown(review) };
}

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
