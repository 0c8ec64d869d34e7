import { z } from "zod";
import { MAX_PATH_CHARS } from "../../lib/inside.ts";
import { parseJson } from "../../lib/json.ts";
import { ProviderError } from "../provider.ts";

/** Why there is no answer that can be trusted; also the `last_error` of the health. */
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

/** Ids given out by a server; no other text of it is ever used as an argument. */
const WorkspaceId = z.string().regex(/^w[0-9A-Z]{1,8}$/);
const TabId = z.string().regex(/^w[0-9A-Z]{1,8}:t[0-9A-Z]{1,8}$/);
const PaneId = z.string().regex(/^w[0-9A-Z]{1,8}:p[0-9A-Z]{1,8}$/);
const TerminalId = z.string().regex(/^term_[0-9a-z]{1,64}$/);

/** Whoever runs in a pane names itself, its agent and its folder: as much of it as of tmux. */
const Name = z.string().transform((name) => name.slice(0, MAX_PATH_CHARS));
const Text = Name.nullish();

const NativeStatus = z.enum(["idle", "working", "blocked", "done", "unknown"]);

export const WirePane = z.object({
  pane_id: PaneId,
  terminal_id: TerminalId,
  workspace_id: WorkspaceId,
  tab_id: TabId,
  revision: z.number().int().nonnegative(),
  // A later server may have a state that is not known here.
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
  workspaces: z.array(z.object({ workspace_id: WorkspaceId, label: Name })),
  tabs: z.array(
    z.object({
      tab_id: TabId,
      workspace_id: WorkspaceId,
      label: Name,
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

export const WireRead = z.object({ read: z.object({ pane_id: PaneId, text: z.string() }) });
export const WirePong = z.object({
  type: z.literal("pong"),
  version: z.string(),
  protocol: z.number(),
});
const WireError = z.object({ error: z.object({ code: z.string(), message: z.string() }) });
const WireAnswer = z.object({ id: z.string(), result: z.record(z.string(), z.unknown()) });

/** @throws WspFailure `malformed` */
export function jsonOf(text: string, what: string): unknown {
  const value = parseJson(text);
  if (value === undefined) throw new WspFailure("malformed", `${what}: the output is not JSON`);
  return value;
}

/** @throws WspFailure `malformed`, naming the member that is wrong */
export function parse<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const at = error.issues[0]?.path.join(".") || "the answer";
  throw new WspFailure("malformed", `${what}: ${at} has an unexpected form`);
}

export function resultOf(text: string, what: string, id: string): Record<string, unknown> {
  const answer = parse(WireAnswer, jsonOf(text, what), what);
  if (answer.id !== id)
    throw new WspFailure("malformed", `${what}: the answer belongs to another request`);
  return answer.result;
}

const CATEGORIES: Readonly<Record<string, FailureCategory>> = {
  server_not_running: "session_unavailable",
  server_unavailable: "session_unavailable",
  protocol_mismatch: "incompatible",
};

export class WspRefusal extends WspFailure {
  readonly code: string;
  readonly text: string;

  constructor(what: string, { code, message }: { code: string; message: string }) {
    super(CATEGORIES[code] ?? "command_failed", `${what}: ${code}`);
    this.code = code;
    this.text = message;
  }
}

/** The refusal in an answer, or in the tool's stderr on exit 1; null where it is another text. */
export function refusalIn(what: string, answer: string): WspRefusal | null {
  const parsed = WireError.safeParse(parseJson(answer));
  return parsed.success ? new WspRefusal(what, parsed.data.error) : null;
}

export function isGone(error: unknown): boolean {
  return error instanceof WspRefusal && error.code === "pane_not_found";
}

export interface WspRequest {
  /** Over the socket. */
  method: string;
  params: Record<string, unknown>;
  /** The same as arguments of the executable. */
  words: readonly string[];
}

/** The first arguments of the executable are the method, unless `command` names others. */
function request(
  method: string,
  params: Record<string, unknown>,
  args: readonly string[],
  command = method.replaceAll("_", "-").split("."),
): WspRequest {
  return { method, params, words: [...command, ...args] };
}

export const REQUESTS = {
  snapshot: () => request("session.snapshot", {}, [], ["api", "snapshot"]),
  pane: (pane: string) => request("pane.get", { pane_id: pane }, [pane]),
  processes: (pane: string) => request("pane.process_info", { pane_id: pane }, ["--pane", pane]),
  // Only reads that never reach the program: the detection buffer, and the history with its colours.
  // The history as plain text would scroll an idle agent on the alternate screen by typing into it.
  detection: (pane: string) =>
    request("pane.read", { pane_id: pane, source: "detection" }, [pane, "--source", "detection"]),
  history: (pane: string, lines: number) =>
    request("pane.read", { pane_id: pane, source: "recent_unwrapped", lines, format: "ansi" }, [
      ...[pane, "--source", "recent-unwrapped", "--lines", String(lines), "--format", "ansi"],
    ]),
  text: (pane: string, text: string) =>
    request("pane.send_text", { pane_id: pane, text }, [pane, text]),
  keys: (pane: string, keys: readonly string[]) =>
    request("pane.send_keys", { pane_id: pane, keys }, [pane, ...keys]),
  /** The server checks the foreground process as it sends, and refuses keys that would reach a shell. */
  agentKeys: (pane: string, keys: readonly string[]) =>
    request("agent.send_keys", { target: pane, keys }, [pane, ...keys]),
};

/** One of each method, to be compared with a schema. */
export const USED_REQUESTS: readonly WspRequest[] = [
  REQUESTS.snapshot(),
  REQUESTS.pane(""),
  REQUESTS.history("", 0),
  REQUESTS.text("", ""),
  REQUESTS.keys("", []),
  REQUESTS.agentKeys("", []),
  REQUESTS.processes(""),
];
