import { z } from "zod";
import { About, Act } from "./act.ts";
import { textUpTo } from "./characters.ts";

/** Of a target wherever a client names one: in an action, a star, an override. */
export const MAX_TARGET_CHARS = 512;

/** A pane's id, or its target. */
export const PaneRef = textUpTo(MAX_TARGET_CHARS);

/** What runs in a pane, in the contract's neutral ids; brand names are labels (`labels_v1`). */
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

/** `pane_facts_v1`: what is asked once more before it is answered. */
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
  /** The dangerous words of the first kind, as they are written; may be empty. */
  text: z.string(),
});
export type Risk = z.infer<typeof Risk>;

/** `pane_facts_v1`: what the published texts of a prompt lack. */
export const Truncation = z.object({
  /** Lines of evidence above the published ones. */
  lines: z.number().int(),
  /** Characters of question, evidence and options. Both 0: more stands above, how much nobody knows. */
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
  /** `pane_facts_v1`: ticked or not, null where the option is no toggle. */
  checked: z.boolean().nullable(),
  /** `pane_facts_v1`: what only this option does. */
  risk: Risk.optional(),
  /** `pane_facts_v1`: true where it lets nothing happen, whatever the prompt's risk is. */
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

/** `legacy_guard_v1`: what identifies the prompt on the screen; all null when there is none. */
export const LegacyGuard = z.object({
  /** `sha256:<hex>` of question and evidence. */
  prompt_fingerprint: z.string().nullable(),
  /** `sha256:<hex>` of the options, wherever the focus is. */
  options_fingerprint: z.string().nullable(),
  selected: z.string().nullable(),
});
export type LegacyGuard = z.infer<typeof LegacyGuard>;

/** What the provider itself says of the agent in a pane: evidence, never identity or permission. */
export const NativeAgent = z.object({
  /** Whether it sees an agent at all. */
  present: z.boolean(),
  /** The provider's own label of the program: `claude`, or whatever a person reported. */
  kind: z.string().nullable(),
  name: z.string().nullable(),
  status: z.enum(["idle", "working", "blocked", "done", "unknown"]),
  state_change_seq: z.number().int().nullable(),
  interactive_ready: z.boolean().nullable(),
});
export type NativeAgent = z.infer<typeof NativeAgent>;

/** What an answer by `POST /api/input` names as the prompt that was seen; all of it is opaque. */
export const ActionGuard = z.object({
  endpoint_revision: z.string(),
  /** `sha256:<hex>` */
  prompt_fingerprint: z.string(),
  options_fingerprint: z.string(),
});
export type ActionGuard = z.infer<typeof ActionGuard>;

/** `pane_facts_v1`: the program recognised in the pane, whether or not it has a contract kind. */
export const PaneAgent = z.object({ id: z.string(), label: z.string() });
export type PaneAgent = z.infer<typeof PaneAgent>;

/**
 * `styled_lines_v1`: one run of `lines[i]`. Offsets are UTF-16 code units of the plain line.
 * `style` is a space-separated list of: `b` bold, `d` dim, `i` italic, `u` underline, `s` strike,
 * `r` inverse, `fN`/`gN` foreground/background palette 0-255, `f#rrggbb`/`g#rrggbb` direct colour.
 */
export const StyleRun = z.object({ start: z.number(), length: z.number(), style: z.string() });
export type StyleRun = z.infer<typeof StyleRun>;

/** A time that a clock can show: the end of the year 9999 at most. */
export const EpochSeconds = z.number().min(0).max(253_402_300_799);

/** `parked_v1`: a limit of use has ended the agent's turn. */
export const Parked = z.object({
  /** `5-hour limit`, `weekly limit`, `usage limit`: as the program calls it. */
  reason: z.string(),
  /** Epoch seconds of its reset; null where the program does not say. */
  until: EpochSeconds.nullable(),
  /** The program says that it goes on by itself then. */
  continues: z.boolean(),
});
export type Parked = z.infer<typeof Parked>;

/** `continue_v1`: words that are sent once, by themselves, when a limit is over. */
export const ContinueThen = z.object({
  /** `set`: waits for its time. `sent` and `not_sent` are final, and nothing follows. */
  state: z.enum(["set", "sent", "not_sent"]),
  /** Epoch seconds: when it will be sent, was sent, or was given up. */
  at: z.number(),
  text: z.string(),
  /** Why it was not sent; null otherwise. */
  reason: z.string().nullable(),
});
export type ContinueThen = z.infer<typeof ContinueThen>;

/** `queue_v1`: messages that wait for a pane; `GET /api/queue` has their texts. */
export const QueueSummary = z.object({
  /** Of the list: another one with each change. */
  revision: z.number().int(),
  count: z.number().int(),
  /**
   * What holds them beside work: the agent asks something, an error or a limit stands, something is
   * typed into its input line, that line cannot be told, or the first may have arrived already.
   */
  held: z.enum(["asks", "error", "parked", "typed", "unclear", "unknown"]).nullable(),
  /** Its program is another one now: none of them will be sent. */
  lost: z.boolean(),
  /** The agent's program keeps what is typed while it works. */
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
  /** `cards_v1`: the one line of it; null while it works, and where nothing is known. */
  about: About.nullable(),
  /** `pane_facts_v1`: null where the prompt is published whole. */
  cut: Truncation.nullable(),
  /** `pane_facts_v1`: over the whole of question and evidence. */
  risk: Risk.nullable(),
  /** Null on placeholders, and where input is guarded by `action_guard`. */
  legacy_guard: LegacyGuard.nullable(),
  /** `pane_done_v1`: since when an agent that worked is done and nobody has looked; else null. */
  finished_at: z.number().nullable(),
  parked: Parked.nullable(),
  /** `context_v1`: how full its context is, where the screen says so. */
  context_percent: z.number().nullable(),
  continue_then: ContinueThen.nullable(),
  queued: QueueSummary.nullable(),
  /** `act_ledger_v1`: the newest act of the last minute. */
  act: Act.nullable(),
  /** `cards_v1`: the session that is certainly in it; null without the agent workspace. */
  agent_id: z.string().nullable(),
  reason: z.string(),
  /** `hosts_v1`: name of the host that it is on, null for this machine; absent without hosts. */
  host: z.string().nullable().optional(),
});
export type PaneState = z.infer<typeof PaneState>;
