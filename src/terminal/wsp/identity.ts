import { z } from "zod";
import type { FailureCategory, WireSessions, WireStatus } from "./wire.ts";
import { type WspRequest, SENT } from "./requests.ts";

/** A release of the tool, as far as anything is known of it. */
export interface Release {
  version: string;
  protocol: number;
  /** The recorded calls and the laws of guarded input passed over its own executable. */
  isVerified: boolean;
  /** An event stream begins with all that the server remembers. */
  replaysEvents: boolean;
}

interface KnownProtocol extends Pick<Release, "protocol" | "replaysEvents"> {
  verified: readonly string[];
}

const PROTOCOLS: readonly KnownProtocol[] = [
  { protocol: 20, verified: ["0.8.2"], replaysEvents: true },
  // Of 0.9.0 to 0.9.3, by what is written of them: none of their executables was tried.
  { protocol: 22, verified: [], replaysEvents: false },
];

function releaseOf(version: string, protocol: number): Release | null {
  const known = PROTOCOLS.find((each) => each.protocol === protocol);
  if (!known) return null;
  const { verified, replaysEvents } = known;
  return { version, protocol, isVerified: verified.includes(version), replaysEvents };
}

/** `0.8.2 (protocol 20)`, for people who have another one. */
const VERIFIED = PROTOCOLS.flatMap(({ protocol, verified }) =>
  verified.map((version) => `${version} (protocol ${protocol})`),
).join(", ");

export function isSameRelease(a: Pick<Release, "version" | "protocol">, b: typeof a): boolean {
  return a.version === b.version && a.protocol === b.protocol;
}

const EVENTS = ["events.subscribe", "pane.agent_status_changed"];
/** Used where the schema names them. */
const OPTIONAL = ["agent.send_keys", "pane.process_info"];
/** Without these there is nothing to watch or answer with. */
const METHODS = SENT.map(({ method }) => method).filter((name) => !OPTIONAL.includes(name));

/** One thing that was looked at, in the words of a startup refusal. */
export interface SessionCheck {
  check: string;
  fault: { found: string; remedy: string; category: FailureCategory } | null;
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

export interface Identity {
  release: Release;
  socket: SocketFile;
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

const passed = (check: string, found: string): SessionCheck => ({ check, fault: null, found });

function failed(
  check: string,
  category: FailureCategory,
  found: string,
  remedy: string,
): SessionCheck {
  return { check, found, fault: { found, remedy, category } };
}

/**
 * `version` is what `--version` says, asked only where the status does not tell. The versions come
 * first: that the tool calls its server incompatible says less.
 */
export function checkVersion(
  { client, server }: WireStatus,
  version: string | null,
): SessionCheck & { release: Release | null } {
  const own = { version: client.version ?? version ?? "none", protocol: client.protocol ?? -1 };
  const other = { version: server.version ?? own.version, protocol: server.protocol ?? -1 };
  const found = `client ${named(own)}, server ${named(other)}`;
  const fault = (text: string, remedy: string) => ({
    ...failed(CHECKS.version, "incompatible", text, remedy),
    release: null,
  });
  if (!isSameRelease(own, other)) return fault(found, skewRemedy(own, other));
  const release = releaseOf(own.version, own.protocol);
  if (!release) return fault(found, `herdr ${VERIFIED} is known to work`);
  if (server.compatible !== true)
    return fault(
      `the tool calls the session's server incompatible (${found})`,
      "restart the session, so that both are of one build",
    );
  return { ...passed(CHECKS.version, found), release };
}

type Side = Pick<Release, "version" | "protocol">;

function named({ version, protocol }: Side): string {
  return `${version} (protocol ${protocol < 0 ? "none" : protocol})`;
}

function skewRemedy(client: Side, server: Side): string {
  const isBehind =
    client.protocol === server.protocol
      ? isOlder(client.version, server.version)
      : client.protocol < server.protocol;
  return isBehind
    ? `the tool is behind: install herdr ${server.version}, or set terminal.wsp.binary to it`
    : `the session's server is behind: restart the session with herdr ${client.version}`;
}

function isOlder(a: string, b: string): boolean {
  return a.localeCompare(b, "en", { numeric: true }) < 0;
}

/** Of a release that nobody tried: what follows where it is not accepted. */
export function untried({ version }: Release): string {
  return `herdr ${version} has not been tried: panes are shown, answers are off; terminal.wsp.accept: untested lets them through`;
}

export function checkServer({ server }: WireStatus, session: string): SessionCheck {
  if (server.running) return passed(CHECKS.server, `session ${session} runs`);
  return failed(
    CHECKS.server,
    "session_unavailable",
    `session ${session} does not run`,
    `start it with: herdr --session ${session}`,
  );
}

/** The tool names the session that it was asked for; the default one it calls null. */
export function checkSession({ client, server }: WireStatus, session: string): SessionCheck {
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
): SessionCheck {
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

export function checkSocket(path: string, file: FileFacts | null, uid: number): SessionCheck {
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
export function checkSchema(
  schema: unknown,
  { protocol, isVerified }: Release,
): SessionCheck & { methods: ReadonlySet<string>; hasEvents: boolean } {
  const words = new Set<string>();
  collect(schema, words);
  const methods = new Set(OPTIONAL.filter((name) => words.has(name)));
  const hasEvents = EVENTS.every((name) => words.has(name));
  const known = { methods, hasEvents };
  const fault = (found: string) => ({
    ...failed(CHECKS.schema, "incompatible", found, `herdr ${VERIFIED} is known to work`),
    ...known,
  });
  const missing = METHODS.filter((name) => !words.has(name));
  if (missing.length > 0) return fault(`it does not name ${missing.join(", ")}`);
  const told = protocolOf(schema);
  if (told !== null && told !== protocol) return fault(`it is of protocol ${told}`);
  const others = isVerified ? [] : changedMethods(schema);
  if (others.length > 0) return fault(`${others.join(", ")} takes something else than is sent`);
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

const Requests = z.object({
  schemas: z.object({
    request: z.object({
      oneOf: z.array(
        z.object({
          properties: z.object({ method: z.object({ const: z.string() }), params: z.unknown() }),
        }),
      ),
    }),
  }),
});

const Node = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  anyOf: z.array(z.unknown()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});
type Node = z.infer<typeof Node>;

/**
 * The methods of a schema that take something else than what is sent with them: they need more, or
 * know a parameter not or as another type. Answers are not looked at: each is checked as it comes.
 */
export function changedMethods(schema: unknown): string[] {
  const methods = Requests.safeParse(schema).data?.schemas.request.oneOf ?? [];
  return SENT.flatMap(({ method, params }) => {
    const found = methods.find(({ properties }) => properties.method.const === method);
    return found && !takes(schema, found.properties.params, params) ? [method] : [];
  });
}

function takes(schema: unknown, params: unknown, sent: WspRequest["params"]): boolean {
  const { properties = {}, required = [] } = resolve(schema, params);
  if (required.some((name) => !(name in sent))) return false;
  return Object.entries(sent).every(
    ([name, value]) =>
      name in properties && typesOf(schema, properties[name]).includes(typeOf(value)),
  );
}

/** In the words of a JSON schema. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? "integer" : "string";
}

function typesOf(schema: unknown, value: unknown): string[] {
  const { type = [], anyOf = [] } = resolve(schema, value);
  return [type, ...anyOf.map((each) => typesOf(schema, each))].flat();
}

/** A node of the schema, or the one that it refers to: `#/schemas/request/$defs/PaneTarget`. */
function resolve(schema: unknown, value: unknown): Node {
  const node = Node.safeParse(value).data ?? {};
  if (!node.$ref?.startsWith("#/")) return node;
  const path = node.$ref.slice(2).split("/");
  return resolve(
    schema,
    path.reduce<unknown>(
      (at, name) => z.record(z.string(), z.unknown()).safeParse(at).data?.[name],
      schema,
    ),
  );
}
