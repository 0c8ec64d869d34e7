import { z } from "zod";
import { parseJson } from "../../lib/json.ts";
import { ProviderError } from "../provider.ts";

/** Why the tool gave nothing that may be believed; the health's `last_error`. */
export type FailureCategory =
  | "command_failed"
  | "timeout"
  | "oversized"
  | "malformed"
  | "binary_missing"
  | "incompatible"
  | "session_unavailable"
  | "socket_invalid"
  | "identity_ambiguous"
  | "inconsistent";

const AWAY: ReadonlySet<FailureCategory> = new Set(["binary_missing", "session_unavailable"]);

export class WspFailure extends ProviderError {
  constructor(
    readonly category: FailureCategory,
    message: string,
    options?: ErrorOptions,
  ) {
    super(AWAY.has(category) ? "unavailable" : "degraded", category, message, options);
  }
}

/** An id that a server gives out; only such a word ever stands among the arguments. */
const WorkspaceId = z.string().regex(/^w[0-9A-Z]{1,8}$/);
const TabId = z.string().regex(/^w[0-9A-Z]{1,8}:t[0-9A-Z]{1,8}$/);
const PaneId = z.string().regex(/^w[0-9A-Z]{1,8}:p[0-9A-Z]{1,8}$/);
const TerminalId = z.string().regex(/^term_[0-9a-z]{1,64}$/);

const Text = z.string().nullish();

const NativeStatus = z.enum(["idle", "working", "blocked", "done", "unknown"]);

export const WirePane = z.object({
  pane_id: PaneId,
  terminal_id: TerminalId,
  workspace_id: WorkspaceId,
  tab_id: TabId,
  revision: z.number().int().nonnegative(),
  // A state that a later server may have is none that we know.
  agent_status: NativeStatus.catch("unknown"),
  cwd: Text,
  foreground_cwd: Text,
  label: Text,
  agent: Text,
  terminal_title: Text,
  terminal_title_stripped: Text,
  tokens: z.record(z.string(), z.unknown()).nullish(),
  scroll: z.object({ max_offset_from_bottom: z.number(), viewport_rows: z.number() }).nullish(),
});
export type WirePane = z.infer<typeof WirePane>;

const WireAgent = z.object({
  pane_id: PaneId,
  terminal_id: TerminalId,
  name: Text,
  state_change_seq: z.number().int().nullish(),
  interactive_ready: z.boolean().nullish(),
});
export type WireAgent = z.infer<typeof WireAgent>;

export const WireSnapshot = z.object({
  version: z.string(),
  protocol: z.number(),
  workspaces: z.array(z.object({ workspace_id: WorkspaceId, label: z.string() })),
  tabs: z.array(
    z.object({
      tab_id: TabId,
      workspace_id: WorkspaceId,
      label: z.string(),
      number: z.number().int(),
    }),
  ),
  panes: z.array(WirePane),
  agents: z.array(WireAgent),
});
export type WireSnapshot = z.infer<typeof WireSnapshot>;

export const WireStatus = z.object({
  client: z.object({
    version: z.string().nullish(),
    protocol: z.number().nullish(),
    session: z.string().nullish(),
  }),
  server: z.object({
    running: z.boolean(),
    version: z.string().nullish(),
    protocol: z.number().nullish(),
    compatible: z.boolean().nullish(),
    socket: z.string().nullish(),
    session: z.string().nullish(),
  }),
});
export type WireStatus = z.infer<typeof WireStatus>;

export const WireSessions = z.object({
  sessions: z.array(
    z.object({
      name: z.string(),
      default: z.boolean(),
      running: z.boolean(),
      socket_path: z.string(),
    }),
  ),
});
export type WireSessions = z.infer<typeof WireSessions>;

export const WireProcessInfo = z.object({
  process_info: z.object({
    pane_id: PaneId,
    foreground_process_group_id: z.number().int().nullish(),
    foreground_processes: z.array(
      z.object({
        pid: z.number().int(),
        name: z.string().nullish(),
        argv: z.array(z.string()).nullish(),
      }),
    ),
  }),
});
export type WireProcessInfo = z.infer<typeof WireProcessInfo>;

export const WireRead = z.object({ read: z.object({ pane_id: PaneId, text: z.string() }) });
export const WirePong = z.object({
  type: z.literal("pong"),
  version: z.string(),
  protocol: z.number(),
});
const WireError = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const WireAnswer = z.object({ id: z.string(), result: z.record(z.string(), z.unknown()) });

const decoder = new TextDecoder("utf-8", { fatal: true });

/** @throws WspFailure `malformed` for bytes that are no UTF-8 */
export function decodeText(bytes: Uint8Array, what: string): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new WspFailure("malformed", `${what}: the output is not UTF-8`, { cause });
  }
}

/** @throws WspFailure `malformed` for what is no JSON */
export function jsonOf(text: string, what: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new WspFailure("malformed", `${what}: the output is not JSON`);
  return value;
}

/**
 * What of an answer is known; members that are not are left out.
 * @throws WspFailure `malformed`, naming the member that is wrong
 */
export function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const at = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new WspFailure("malformed", `${what}: ${at || "the answer"} has an unexpected form`);
}

/** The result of an envelope that must bear this id, where one is given. */
export function resultOf(value: unknown, what: string, id: string | null): Record<string, unknown> {
  const answer = parse(WireAnswer, value, what);
  if (id !== null && answer.id !== id)
    throw new WspFailure("malformed", `${what}: the answer belongs to another request`);
  return answer.result;
}

const CATEGORIES: Readonly<Record<string, FailureCategory>> = {
  server_not_running: "session_unavailable",
  server_unavailable: "session_unavailable",
  protocol_mismatch: "incompatible",
};

/** The server's own refusal of a request, by its code. */
export class WspRefusal extends WspFailure {
  readonly code: string;
  /** Its own words. */
  readonly said: string;

  constructor(what: string, { code, message }: { code: string; message: string }) {
    super(CATEGORIES[code] ?? "command_failed", `${what}: ${code}`);
    this.code = code;
    this.said = message;
  }
}

/** The refusal in an answer, or in the tool's stderr on exit 1; null where it is another line. */
export function refusalIn(what: string, answer: unknown): WspRefusal | null {
  const parsed = WireError.safeParse(answer);
  return parsed.success ? new WspRefusal(what, parsed.data.error) : null;
}

export function errorIn(what: string, stderr: string): WspRefusal | null {
  return refusalIn(what, parseJson(stderr));
}

/** The server knows no such pane. */
export function isGone(error: unknown): boolean {
  return error instanceof WspRefusal && error.code === "pane_not_found";
}
