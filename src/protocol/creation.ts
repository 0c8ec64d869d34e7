import { z } from "zod";

export const RuntimeId = z.enum(["shell", "agent_b", "agent_a", "agent_e", "agent_c", "agent_d"]);
export type RuntimeId = z.infer<typeof RuntimeId>;

export const CreationRoot = z.object({ label: z.string(), path: z.string() });
export type CreationRoot = z.infer<typeof CreationRoot>;

export const CreationState = z.object({
  enabled: z.boolean(),
  reason: z.string().nullable(),
  roots: z.array(CreationRoot),
  recent_directories: z.array(
    z.object({ name: z.string(), path: z.string(), root_label: z.string() }),
  ),
  runtimes: z.array(
    z.object({
      id: RuntimeId,
      label: z.string(),
      available: z.boolean(),
      reason: z.string().nullable(),
    }),
  ),
});
export type CreationState = z.infer<typeof CreationState>;

export const DirectoryListing = z.object({
  path: z.string(),
  root: CreationRoot,
  parent: z.string().nullable(),
  directories: z.array(z.object({ name: z.string(), path: z.string() })),
  truncated: z.boolean(),
});
export type DirectoryListing = z.infer<typeof DirectoryListing>;

export const MAX_FIRST_MESSAGE = 8000;
/** Sent to an agent once it accepts text; a shell is sent nothing. */
const first_message = z.string().min(1).max(MAX_FIRST_MESSAGE).optional();
/** Another machine than this one; a split is made on its parent's. */
const host = z.string().optional();
const created = { cwd: z.string(), runtime: RuntimeId, first_message, host };
export const CreatedName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const name = CreatedName.nullable();
export const PaneId = z.string().regex(/^%\d{1,10}$/);
/** All characters that tmux allows. */
const SessionName = z.string().regex(/^[^\p{Cc}:.]{1,1000}$/u);
/** A member that its type does not have is refused. */
export const CreateRequest = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("session"), ...created, name }),
  z.strictObject({ type: z.literal("window"), parent_session: SessionName, ...created, name }),
  z.strictObject({
    type: z.literal("pane"),
    parent_pane_id: PaneId,
    ...created,
    split: z.enum(["side_by_side", "stacked"]),
    size_percent: z.number().int().min(10).max(90).default(50),
  }),
]);
export type CreateRequest = z.infer<typeof CreateRequest>;

/** The members of a request that name its machine, readable in an invalid request too. */
export const CreationHost = z.object({ host: z.string(), parent_pane_id: z.string() }).partial();

export const CreateReply = z.object({ pane_id: z.string(), target: z.string() });
export type CreateReply = z.infer<typeof CreateReply>;

export const FirstMessageFate = z.object({
  state: z.enum(["waiting", "sent", "not_sent"]),
  /** Why it was not sent: the second half of a sentence. */
  reason: z.string().nullable(),
});
export type FirstMessageFate = z.infer<typeof FirstMessageFate>;

export const ResumeState = z.object({
  command: z.string(),
  /** Folder in which it is started; null where it is not known. */
  cwd: z.string().nullable(),
  /** Why it cannot be resumed: the second half of a sentence; null: it can. */
  reason: z.string().nullable(),
});
export type ResumeState = z.infer<typeof ResumeState>;
