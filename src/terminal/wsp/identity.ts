import type { WireSessions, WireStatus } from "./parse.ts";
import type { FailureCategory } from "./failure.ts";

export const TOOL_VERSION = "0.8.2";
export const PROTOCOL = 20;

/** Without these there is nothing to watch or answer with. */
const METHODS = ["session.snapshot", "pane.get", "pane.read", "pane.send_text", "pane.send_keys"];
const EVENTS = ["events.subscribe", "pane.agent_status_changed"];
/** Used where the schema names them. */
const OPTIONAL = ["agent.send_keys", "pane.process_info"];

/** One thing that was looked at, in the words of a startup refusal. */
export interface Finding {
  check: string;
  /** Null when all is well. */
  fault: { found: string; remedy: string; category: FailureCategory } | null;
  /** What is shown when all is well. */
  found: string;
}

export interface SocketFile {
  path: string;
  /** Device, inode and time of change: an inode alone is given out again at once. */
  mark: string;
}

/** What is looked at of a socket file; null where nothing is there. */
export interface FileFacts {
  isSocket: boolean;
  uid: number;
  /** Permission bits. */
  mode: number;
  mark: string;
}

/** Whom the service talks to, once every check has passed. */
export interface Identity {
  socket: SocketFile;
  /** Optional methods that the schema names. */
  methods: ReadonlySet<string>;
  hasEvents: boolean;
}

const CHECKS = {
  version: "version",
  server: "server",
  session: "session",
  list: "session list",
  socket: "socket",
  schema: "schema",
} as const;

const passed = (check: string, found: string): Finding => ({ check, fault: null, found });

function failed(check: string, category: FailureCategory, found: string, remedy: string): Finding {
  return { check, found, fault: { found, remedy, category } };
}

/** `version` is what `--version` says, asked only where the status does not tell. */
export function checkVersion(status: WireStatus, version: string | null): Finding {
  const client = status.client.version ?? version ?? "none";
  const server = status.server.version ?? null;
  const found = `client ${client}, server ${server ?? "unknown"}`;
  const isRight = client === TOOL_VERSION && (server === null || server === TOOL_VERSION);
  if (!isRight)
    return failed(
      CHECKS.version,
      "incompatible",
      found,
      `version ${TOOL_VERSION} of the tool and of the session's server is needed`,
    );
  const { client: own, server: other } = status;
  if (own.protocol !== PROTOCOL || (other.running && other.protocol !== PROTOCOL))
    return failed(
      CHECKS.version,
      "incompatible",
      `client protocol ${own.protocol ?? "none"}, server protocol ${other.protocol ?? "none"}`,
      `protocol ${PROTOCOL} is needed on both sides`,
    );
  return passed(CHECKS.version, `${found}, protocol ${PROTOCOL}`);
}

export function checkServer({ server }: WireStatus, session: string): Finding {
  if (!server.running)
    return failed(
      CHECKS.server,
      "session_unavailable",
      `session ${session} does not run`,
      `start it with: herdr --session ${session}`,
    );
  if (server.compatible !== true)
    return failed(
      CHECKS.server,
      "incompatible",
      "the tool calls the session's server incompatible",
      `restart the session with version ${TOOL_VERSION}`,
    );
  return passed(CHECKS.server, `session ${session} runs`);
}

/** The tool names the session that it was asked for; the default one it calls null. */
export function checkSession({ client, server }: WireStatus, session: string): Finding {
  const wanted = session === "default" ? null : session;
  const names = [client.session ?? null, server.session ?? null];
  if (names.some((name) => name !== wanted))
    return failed(
      CHECKS.session,
      "identity_ambiguous",
      `the tool speaks of session ${names.map((name) => name ?? "default").join(" and ")}`,
      `set terminal.wsp.session to the session that is meant`,
    );
  return passed(CHECKS.session, session);
}

export function checkList(
  { sessions }: WireSessions,
  session: string,
  socket: string | null,
): Finding {
  const found = sessions.filter(({ name }) => name === session);
  const [entry] = found;
  if (!entry || found.length !== 1)
    return failed(
      CHECKS.list,
      "identity_ambiguous",
      `session ${session} is listed ${found.length} times`,
      "one running session of that name is needed",
    );
  if (!entry.running)
    return failed(
      CHECKS.list,
      "session_unavailable",
      `session ${session} is listed as stopped`,
      `start it with: herdr --session ${session}`,
    );
  if (entry.default !== (session === "default"))
    return failed(
      CHECKS.list,
      "identity_ambiguous",
      `session ${session} is listed as ${entry.default ? "the default" : "a named"} session`,
      "set terminal.wsp.session to the session that is meant",
    );
  if (entry.socket_path !== socket)
    return failed(
      CHECKS.list,
      "identity_ambiguous",
      `the list gives the socket ${entry.socket_path}, the status ${socket ?? "none"}`,
      "unset HERDR_SOCKET_PATH where the session was started, and start it again",
    );
  return passed(CHECKS.list, `once, running, ${entry.socket_path}`);
}

export function checkSocket(path: string, file: FileFacts | null, uid: number): Finding {
  const bad = (found: string, remedy: string) =>
    failed(CHECKS.socket, "socket_invalid", `${path} ${found}`, remedy);
  const restart = "start the session again so that it makes its own socket";
  if (!path.startsWith("/")) return bad("is not an absolute path", restart);
  if (!file) return bad("is not there", restart);
  if (!file.isSocket) return bad("is not a socket", restart);
  if (file.uid !== uid)
    return bad(`belongs to user ${file.uid}`, "run panewatch as the user whose session it is");
  if ((file.mode & 0o077) !== 0)
    return bad(
      `has mode ${file.mode.toString(8).padStart(4, "0")}: others may use it`,
      `chmod 600 ${path}`,
    );
  return passed(CHECKS.socket, path);
}

/** A schema names a method in any string or key of it. */
export function checkSchema(schema: unknown): Finding & {
  methods: ReadonlySet<string>;
  hasEvents: boolean;
} {
  const words = new Set<string>();
  collect(schema, words);
  const methods = new Set(OPTIONAL.filter((name) => words.has(name)));
  const hasEvents = EVENTS.every((name) => words.has(name));
  const missing = METHODS.filter((name) => !words.has(name));
  const known = { methods, hasEvents };
  if (missing.length > 0)
    return {
      ...failed(
        CHECKS.schema,
        "incompatible",
        `it does not name ${missing.join(", ")}`,
        `version ${TOOL_VERSION} of the tool is needed`,
      ),
      ...known,
    };
  const protocol = protocolOf(schema);
  if (protocol !== null && protocol !== PROTOCOL)
    return {
      ...failed(
        CHECKS.schema,
        "incompatible",
        `it is of protocol ${protocol}`,
        `protocol ${PROTOCOL} is needed`,
      ),
      ...known,
    };
  return { ...passed(CHECKS.schema, hasEvents ? "with events" : "without events"), ...known };
}

function collect(value: unknown, words: Set<string>): void {
  if (typeof value === "string") words.add(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, words);
  else if (typeof value === "object" && value !== null)
    for (const [key, member] of Object.entries(value)) {
      words.add(key);
      collect(member, words);
    }
}

function protocolOf(schema: unknown): number | null {
  if (typeof schema !== "object" || schema === null || !("protocol" in schema)) return null;
  return typeof schema.protocol === "number" ? schema.protocol : null;
}
