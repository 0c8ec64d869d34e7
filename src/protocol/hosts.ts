import { z } from "zod";
import { CreationRoot } from "./creation.ts";

export const MAX_HOSTS = 32;

export const HostConfig = z.object({
  name: z.string(),
  /** As ssh takes it: `gpu-1`, `me@10.0.0.7`, `ssh://me@box:2222`. */
  ssh: z.string(),
  watch: z.boolean(),
  /** Directories there that clients may browse and start programs in; absent: the home directory. */
  roots: z.array(CreationRoot).optional(),
  /** As `mux.disable_auto_rename` for the tmux there; absent: it stays as it is. */
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

/** One machine whose panes are watched. All times are epoch seconds. */
export const HostState = z.object({
  name: z.string(),
  kind: z.enum(["local", "ssh"]),
  /** As ssh takes it; null of this machine. */
  ssh: z.string().nullable(),
  watch: z.boolean(),
  status: HostStatus,
  /** Since when it is there, or is not. */
  since: z.number(),
  panes: z.number().int(),
  /** Of its tmux; null while nobody could ask. */
  version: z.string().nullable(),
  /** Of the link, while it stands. */
  round_trip_ms: z.number().nullable(),
  /** Of the last good pass; 0 when never. */
  read_at: z.number(),
  reason: HostReason.nullable(),
  /** The last line of what ssh said. */
  detail: z.string().nullable(),
  /** Null: it is tried again when somebody asks for it. */
  retry_at: z.number().nullable(),
});
export type HostState = z.infer<typeof HostState>;

export const HostsReply = z.object({ hosts: z.array(HostState) });
export type HostsReply = z.infer<typeof HostsReply>;

/** What has to work for a host to be watched, in this order. */
export const HostStepName = z.enum(["resolve", "connect", "host_key", "sign_in", "shell", "tmux"]);
export type HostStepName = z.infer<typeof HostStepName>;

export const HostStep = z.object({
  step: HostStepName,
  ok: z.boolean(),
  /** Of the one that fails, what was said; of tmux its version. */
  detail: z.string().nullable(),
  /** Since the step before it. */
  ms: z.number().int(),
});
export type HostStep = z.infer<typeof HostStep>;

/** Its reply: it ends at the first step that fails. */
export const CheckHostReply = z.object({ steps: z.array(HostStep) });
export type CheckHostReply = z.infer<typeof CheckHostReply>;
