import { z } from "zod";
import { textUpTo } from "./characters.ts";
import { ActionGuard, ContinueThen, EpochSeconds, PaneRef, PaneState } from "./pane.ts";

export const ALLOWED_KEYS = [
  ...["BSpace", "BTab", "C-a", "C-c", "C-d", "C-e", "C-k", "C-l", "C-n", "C-o", "C-p", "C-r"],
  ...["C-u", "C-w", "C-z", "Down", "End", "Enter", "Escape", "Home", "Left", "PageDown"],
  ...["PageUp", "Right", "Space", "Tab", "Up"],
] as const;

/**
 * `legacy_guard_v1`: the pane's `legacy_guard` as the person saw it, or some members of it. Null
 * means that no prompt was shown; an absent member is not compared.
 */
export const ExpectedPrompt = z.object({
  prompt_fingerprint: z.string().nullable().optional(),
  options_fingerprint: z.string().nullable().optional(),
  /** Compared for Enter and Space, which take the focused option; Enter on a menu requires it. */
  selected: z.string().nullable().optional(),
});
export type ExpectedPrompt = z.infer<typeof ExpectedPrompt>;

/** `legacy_once_v1`: of requests with one key the first is executed; the others get its reply. */
export const IdempotencyKey = z.string().min(1).max(160);

const PaneAction = z.object({
  id: PaneRef,
  expected: ExpectedPrompt.optional(),
  idempotency_key: IdempotencyKey.optional(),
});

export const KeyRequest = PaneAction.extend({ key: z.string() });
export type KeyRequest = z.infer<typeof KeyRequest>;

export const TextRequest = PaneAction.extend({
  text: z.string(),
  enter: z.boolean().default(false),
});
export type TextRequest = z.infer<typeof TextRequest>;

export const SelectRequest = PaneAction.extend({
  key: z.string(),
  /** Text for a freeform option: option and text are one guarded action. */
  text: z.string().optional(),
});
export type SelectRequest = z.infer<typeof SelectRequest>;

export const MAX_BROADCAST_IDS = 200;

export const BroadcastRequest = z.object({
  // One id too many is enough to refuse a request: the others are not parsed.
  ids: z.preprocess(
    (ids) => (Array.isArray(ids) ? ids.slice(0, MAX_BROADCAST_IDS + 1) : ids),
    z.array(PaneRef),
  ),
  text: z.string(),
  enter: z.boolean().default(true),
  /** Leaves out panes that wait at a prompt. */
  skip_waiting: z.boolean().default(false),
  idempotency_key: IdempotencyKey.optional(),
});
export type BroadcastRequest = z.infer<typeof BroadcastRequest>;

/** `continue_v1`. A repeated request changes nothing. */
export const ContinueRequest = z.discriminatedUnion("on", [
  z.object({ id: PaneRef, on: z.literal(false) }),
  z.object({
    id: PaneRef,
    on: z.literal(true),
    /** `parked.until` as the person saw it. */
    until: EpochSeconds,
    text: z.string().min(1).max(500).default("continue"),
  }),
]);
export type ContinueRequest = z.infer<typeof ContinueRequest>;

export const ContinueReply = z.object({
  ok: z.literal(true),
  /** The state after the request; null when it is off. */
  continue_then: ContinueThen.nullable(),
});
export type ContinueReply = z.infer<typeof ContinueReply>;

export const Ok = z.object({ ok: z.literal(true) });

export const BroadcastReply = z.object({
  ok: z.literal(true),
  sent: z.number().int(),
  errors: z.array(z.string()),
});
export type BroadcastReply = z.infer<typeof BroadcastReply>;

/** `detail.code` of a refused action, for programs; its `reason` is for people. See docs/api.md. */
export const RefusalCode = z.enum([
  "unknown_pane",
  "guarded_input_required",
  "key_not_allowed",
  "text_too_long",
  "text_not_literal",
  "too_many_panes",
  "option_unknown",
  "option_takes_no_text",
  "option_not_safe",
  "pane_gone",
  "pane_unreadable",
  "other_program",
  "multiplexer_refused",
  "delivery_unknown",
  "prompt_changed",
  "options_changed",
  "partial_delivery_unknown",
  "idempotency_key_reused",
  "idempotency_key_expired",
  "stopping",
  "fields_do_not_match_operation",
  "key_required",
  "option_id_required",
  "text_required",
  "guard_required",
  "endpoint_stale",
  "endpoint_moved",
  "revision_stale",
  "capability_unavailable",
  "host_away",
  "not_parked",
  "reset_changed",
  "continuing",
  "no_agent",
  "queue_full",
  "unknown_message",
  "message_sending",
  "message_lost",
  "not_free",
  "not_working",
  "draft_there",
  "message_changed",
]);
export type RefusalCode = z.infer<typeof RefusalCode>;

export const GuardConflict = z.object({
  /** `partial_delivery_unknown`: a first part was sent before the change was noticed. */
  reason: z.enum(["prompt_changed", "options_changed", "partial_delivery_unknown"]),
  code: RefusalCode,
  message: z.string().optional(),
  current: PaneState,
});
export type GuardConflict = z.infer<typeof GuardConflict>;

const ShortText = z.string().min(1).max(160);

/** Members of the pane's `action_guard` as the person saw it; they are opaque. */
export const ExpectedGuard = z.strictObject({
  endpoint_revision: ShortText,
  prompt_fingerprint: ShortText.nullish(),
  options_fingerprint: ShortText.nullish(),
});
export type ExpectedGuard = z.infer<typeof ExpectedGuard>;

export const InputRequest = z.strictObject({
  id: ShortText,
  operation: z.enum(["select", "text", "key"]),
  expected: ExpectedGuard,
  idempotency_key: IdempotencyKey,
  option_id: ShortText.nullish(),
  text: textUpTo(8000).nullish(),
  enter: z.boolean().nullish(),
  key: z.string().max(40).nullish(),
});
export type InputRequest = z.infer<typeof InputRequest>;

export const InputReply = z.object({ ok: z.literal(true), delivery: z.literal("accepted") });
export type InputReply = z.infer<typeof InputReply>;

export const InputReason = z.enum([
  "endpoint_stale",
  "endpoint_moved",
  "revision_stale",
  "prompt_changed",
  "options_changed",
  "capability_unavailable",
  "delivery_unknown",
  "partial_delivery_unknown",
]);
export type InputReason = z.infer<typeof InputReason>;

export const InputConflict = z.object({
  reason: InputReason,
  code: RefusalCode,
  message: z.string(),
  /** The guard of the prompt on the screen now; null where it cannot be read. */
  current: ActionGuard.nullable().optional(),
  /** The provider's `last_error`, where it failed before anything was sent. */
  cause: z.string().optional(),
});
export type InputConflict = z.infer<typeof InputConflict>;

export const ImageType = z.enum(["image/png", "image/jpeg", "image/webp", "image/gif"]);
export type ImageType = z.infer<typeof ImageType>;

export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;

export const UploadedImage = z.object({
  id: z.string(),
  path: z.string(),
  /** The path as one POSIX shell token. */
  terminal_text: z.string(),
  mime_type: ImageType,
  size: z.number().int(),
  /** Epoch seconds. */
  expires_at: z.number().int(),
});
export type UploadedImage = z.infer<typeof UploadedImage>;
