import { z } from "zod";
import { CreationRoot } from "./creation.ts";

export const MAX_HOSTS = 32;

export const HostConfig = z.object({
  name: z.string(),
  /** As ssh takes it: `gpu-1`, `me@10.0.0.7`, `ssh://me@box:2222`. */
  ssh: z.string(),
  watch: z.boolean(),
  /** Directories in which clients may browse and start programs; absent: the home directory. */
  roots: z.array(CreationRoot).optional(),
  /** As `mux.disable_auto_rename`; absent: the option of its tmux stays as it is. */
  disable_auto_rename: z.boolean().optional(),
});
export type HostConfig = z.infer<typeof HostConfig>;

export const HostStatus = z.enum(["live", "connecting", "away", "off"]);
export type HostStatus = z.infer<typeof HostStatus>;

export const HostReason = z.enum([
  "unreachable",
  "unknown_host_key",
  "changed_host_key",
  "refused_key",
  "no_tmux",
  "old_tmux",
  "no_shell",
  "timeout",
  "ended",
]);
export type HostReason = z.infer<typeof HostReason>;

/** A watched machine. All times are epoch seconds. */
export const HostState = z.object({
  name: z.string(),
  kind: z.enum(["local", "ssh"]),
  /** As ssh takes it; null for this machine. */
  ssh: z.string().nullable(),
  watch: z.boolean(),
  status: HostStatus,
  /** Since when it has this status. */
  since: z.number(),
  panes: z.number().int(),
  /** Version of its tmux; null before it is known. */
  version: z.string().nullable(),
  /** Of the link; null while there is none. */
  round_trip_ms: z.number().nullable(),
  /** Time of the last successful pass; 0 when never. */
  read_at: z.number(),
  reason: HostReason.nullable(),
  /** The last line that ssh wrote. */
  detail: z.string().nullable(),
  /** Null: it is tried again only on request. */
  retry_at: z.number().nullable(),
});
export type HostState = z.infer<typeof HostState>;

export const HostsReply = z.object({ hosts: z.array(HostState) });
export type HostsReply = z.infer<typeof HostsReply>;

/** The steps to a watched host, in this order. */
export const HostStepName = z.enum(["resolve", "connect", "host_key", "sign_in", "shell", "tmux"]);
export type HostStepName = z.infer<typeof HostStepName>;

export const HostStep = z.object({
  step: HostStepName,
  ok: z.boolean(),
  /** For a failed step its error, for `tmux` its version. */
  detail: z.string().nullable(),
  /** Since the step before. */
  ms: z.number().int(),
});
export type HostStep = z.infer<typeof HostStep>;

/** The last step is the first that failed. */
export const CheckHostReply = z.object({ steps: z.array(HostStep) });
export type CheckHostReply = z.infer<typeof CheckHostReply>;
