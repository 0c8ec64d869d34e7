import { z } from "zod";
import { About, Act } from "./act.ts";
import { textUpTo } from "./characters.ts";

/** Limit of a target in every request: an action, a star, an override. */
export const MAX_TARGET_CHARS = 512;

/** A pane's id, or its target. */
export const PaneRef = textUpTo(MAX_TARGET_CHARS);

/** Neutral ids of the contract; the brand names are labels (`labels_v1`). */
export const PaneKind = z.enum([
  "agent_a",
  "agent_b",
  "agent_c",
  "agent_d",
  "agent_e",
  "generic",
  "shell",
]);
export type PaneKind = z.infer<typeof PaneKind>;

export const PaneStatus = z.enum(["needs_input", "error", "working", "idle", "offline"]);
export type PaneStatus = z.infer<typeof PaneStatus>;

/** `pane_facts_v1`: why an answer needs a second confirmation. */
export const RiskKind = z.enum([
  "deletes",
  "rewrites_history",
  "root",
  "runs_download",
  "standing_grant",
]);
export type RiskKind = z.infer<typeof RiskKind>;

export const Risk = z.object({
  kinds: z.array(RiskKind),
  /** The dangerous words of the first kind as the screen has them; may be empty. */
  text: z.string(),
});
export type Risk = z.infer<typeof Risk>;

/** `pane_facts_v1`: how much of a prompt is not published. */
export const Truncation = z.object({
  /** Lines of evidence above the published ones. */
  lines: z.number().int(),
  /**
   * Characters of question, evidence and options. Both 0: there is more, nobody knows how much.
   */
  characters: z.number().int(),
});
export type Truncation = z.infer<typeof Truncation>;

export const MenuOption = z.object({
  /** Opaque option identity for guarded input; absent for legacy menus. */
  id: z.string().optional(),
  key: z.string(),
  label: z.string(),
  description: z.string(),
  selected: z.boolean(),
  freeform: z.boolean(),
  /** `pane_facts_v1`: null where the option is no toggle. */
  checked: z.boolean().nullable(),
  /** `pane_facts_v1`: the risk of this option alone. */
  risk: Risk.optional(),
  /** `pane_facts_v1`: true where it refuses what is asked, whatever the prompt's risk is. */
  declines: z.boolean().optional(),
  /** `cards_v1`: true where its agent recommends it. */
  suggested: z.boolean().optional(),
});
export type MenuOption = z.infer<typeof MenuOption>;

export const HierarchyNode = z.object({
  kind: z.string(),
  id: z.string(),
  label: z.string(),
  position: z.number().nullable(),
});
export type HierarchyNode = z.infer<typeof HierarchyNode>;

export const PaneCapabilities = z.object({
  capture: z.boolean(),
  input: z.enum(["legacy", "guarded_v1"]),
  literal_text: z.boolean(),
  menu_select: z.boolean(),
  keys: z.array(z.string()),
  broadcast: z.boolean(),
  create: z.boolean(),
  delete: z.boolean(),
  native_agent_state: z.boolean(),
});
export type PaneCapabilities = z.infer<typeof PaneCapabilities>;

/** `legacy_guard_v1`: identifies the prompt on the screen; all are null without a prompt. */
export const LegacyGuard = z.object({
  /** `sha256:<hex>` of question and evidence. */
  prompt_fingerprint: z.string().nullable(),
  /** `sha256:<hex>` of the options, independent of the focus. */
  options_fingerprint: z.string().nullable(),
  selected: z.string().nullable(),
});
export type LegacyGuard = z.infer<typeof LegacyGuard>;

/** The provider's own report of an agent in a pane: evidence, never identity or permission. */
export const NativeAgent = z.object({
  present: z.boolean(),
  /** The provider's label of the program, such as `claude`, or one that a person set. */
  kind: z.string().nullable(),
  name: z.string().nullable(),
  status: z.enum(["idle", "working", "blocked", "done", "unknown"]),
  state_change_seq: z.number().int().nullable(),
  interactive_ready: z.boolean().nullable(),
});
export type NativeAgent = z.infer<typeof NativeAgent>;

/** Identifies a prompt in `POST /api/input`; its members are opaque. */
export const ActionGuard = z.object({
  endpoint_revision: z.string(),
  /** `sha256:<hex>` */
  prompt_fingerprint: z.string(),
  options_fingerprint: z.string(),
});
export type ActionGuard = z.infer<typeof ActionGuard>;

/** `pane_facts_v1`: the recognised program, which may have no kind in the contract. */
export const PaneAgent = z.object({ id: z.string(), label: z.string() });
export type PaneAgent = z.infer<typeof PaneAgent>;

/**
 * `styled_lines_v1`: one run of `lines[i]`. Offsets are UTF-16 code units of the plain line.
 * `style` is a space-separated list of: `b` bold, `d` dim, `i` italic, `u` underline, `s` strike,
 * `r` inverse, `fN`/`gN` foreground/background palette 0-255, `f#rrggbb`/`g#rrggbb` direct colour.
 */
export const StyleRun = z.object({ start: z.number(), length: z.number(), style: z.string() });
export type StyleRun = z.infer<typeof StyleRun>;

/** At most the end of the year 9999: dates beyond cannot be displayed. */
export const EpochSeconds = z.number().min(0).max(253_402_300_799);

/** `parked_v1`: a usage limit has ended the agent's turn. */
export const Parked = z.object({
  /** The program's own words: `5-hour limit`, `weekly limit`, `usage limit`. */
  reason: z.string(),
  /** Epoch seconds of its reset; null where the program does not tell. */
  until: EpochSeconds.nullable(),
  /** The program announces that it continues by itself then. */
  continues: z.boolean(),
});
export type Parked = z.infer<typeof Parked>;

/** `continue_v1`: a text that the server sends once when a limit is over. */
export const ContinueThen = z.object({
  /** `set`: it waits for its time. `sent` and `not_sent` are final. */
  state: z.enum(["set", "sent", "not_sent"]),
  /** Epoch seconds when it will be sent, was sent, or was given up. */
  at: z.number(),
  text: z.string(),
  /** Why it was not sent; null otherwise. */
  reason: z.string().nullable(),
});
export type ContinueThen = z.infer<typeof ContinueThen>;

/** `queue_v1`: messages that wait for a pane, without their texts (`GET /api/queue`). */
export const QueueSummary = z.object({
  /** Differs after each change of the list. */
  revision: z.number().int(),
  count: z.number().int(),
  /**
   * Why they wait although the agent does not work: it asks, failed, met a limit, has text in its
   * input line, that line is not recognised, or the first message may have arrived already.
   */
  held: z.enum(["asks", "error", "parked", "typed", "unclear", "unknown"]).nullable(),
  /** Another program runs in the pane now: none of them will be sent. */
  lost: z.boolean(),
  /** The program queues text that is typed while it works. */
  sends_now: z.boolean(),
});
export type QueueSummary = z.infer<typeof QueueSummary>;

export const PaneState = z.object({
  id: z.string(),
  target: z.string(),
  name: z.string(),
  kind: PaneKind,
  status: PaneStatus,
  title: z.string(),
  question: z.string().nullable(),
  menu: z.array(MenuOption),
  preview: z.array(z.string()),
  lines: z.array(z.string()),
  updated: z.number(),
  changed: z.boolean(),
  window: z.string(),
  starred: z.boolean(),
  interacted: z.number(),
  provider: z.string(),
  hierarchy: z.array(HierarchyNode),
  capabilities: PaneCapabilities,
  native_agent: NativeAgent.nullable(),
  action_guard: ActionGuard.nullable(),
  actionable: z.boolean(),
  stale: z.boolean(),
  // Additions: pane_facts_v1, legacy_guard_v1, explain_v1.
  agent: PaneAgent.nullable(),
  command: z.string(),
  cwd: z.string(),
  status_since: z.number(),
  prompt_since: z.number().nullable(),
  evidence: z.array(z.string()),
  /** `cards_v1`: the subject of its question in one line; null while it works, or where unknown. */
  about: About.nullable(),
  /** `pane_facts_v1`: null where the whole prompt is published. */
  cut: Truncation.nullable(),
  /** `pane_facts_v1`: judged by the whole question and evidence. */
  risk: Risk.nullable(),
  /** Null on placeholders, and where input is guarded by `action_guard`. */
  legacy_guard: LegacyGuard.nullable(),
  /** `pane_done_v1`: when the agent finished, until a person has looked; otherwise null. */
  finished_at: z.number().nullable(),
  parked: Parked.nullable(),
  /** `context_v1`: how full its context is, where the screen shows it. */
  context_percent: z.number().nullable(),
  continue_then: ContinueThen.nullable(),
  queued: QueueSummary.nullable(),
  /** `act_ledger_v1`: the newest act of the last minute. */
  act: Act.nullable(),
  /** `cards_v1`: the session that is certainly in the pane; null without the agent workspace. */
  agent_id: z.string().nullable(),
  reason: z.string(),
  /** `hosts_v1`: name of its host, null for this machine; absent without hosts. */
  host: z.string().nullable().optional(),
});
export type PaneState = z.infer<typeof PaneState>;
