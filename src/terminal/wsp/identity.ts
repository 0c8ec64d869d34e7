import { z } from "zod";
import {
  type FailureCategory,
  USED_REQUESTS,
  type WireSessions,
  type WireStatus,
  type WspRequest,
} from "./wire.ts";

export interface Release {
  version: string;
  protocol: number;
  /** Our tests passed with the executable of this release. */
  isVerified: boolean;
}

const PROTOCOLS = [
  { protocol: 20, verified: ["0.8.2"] },
  // 0.9.0 to 0.9.3, by their documentation: none of their executables was tested.
  { protocol: 22, verified: [] as string[] },
];

/** `herdr 0.8.2 (protocol 20) is known to work` */
const KNOWN_TO_WORK = `herdr ${PROTOCOLS.flatMap(({ protocol, verified }) =>
  verified.map((version) => `${version} (protocol ${protocol})`),
).join(", ")} is known to work`;

type Side = Pick<Release, "version" | "protocol">;

export function isSameRelease(a: Side, b: Side): boolean {
  return a.version === b.version && a.protocol === b.protocol;
}

export function untestedWarning({ version }: Release): string {
  return `herdr ${version} has not been tried: panes are shown, answers are off; terminal.wsp.accept: untested lets them through`;
}

export interface SocketFile {
  path: string;
  /** Device, inode and time of change: an inode alone is soon used again. */
  mark: string;
}

export interface Identity {
  release: Release;
  socket: SocketFile;
  methods: ReadonlySet<string>;
  hasEvents: boolean;
}

/** One check of a session, in the words of a startup refusal. */
export interface SessionCheck {
  check: string;
  found: string;
  fault: { remedy: string; category: FailureCategory } | null;
}

/** Broken where the first member holds. */
type Rule = readonly [boolean, FailureCategory, found: string, remedy: string];

/** The first broken rule, else `found`. */
function judge(check: string, found: string, rules: readonly Rule[]): SessionCheck {
  const broken = rules.find(([isBroken]) => isBroken);
  if (!broken) return { check, found, fault: null };
  const [, category, why, remedy] = broken;
  return { check, found: why, fault: { category, remedy } };
}

/**
 * `version`: the output of `--version`, needed only where the status has none. The versions are compared
 * first: that the tool calls its server incompatible says less.
 */
export function checkVersion(
  { client, server }: WireStatus,
  version: string | null,
): SessionCheck & { release: Release | null } {
  const own = { version: client.version ?? version ?? "none", protocol: client.protocol ?? -1 };
  const other = { version: server.version ?? own.version, protocol: server.protocol ?? -1 };
  const found = `client ${describe(own)}, server ${describe(other)}`;
  const known = PROTOCOLS.find(({ protocol }) => protocol === own.protocol);
  const finding = judge("version", found, [
    [!isSameRelease(own, other), "incompatible", found, skewRemedy(own, other)],
    [!known, "incompatible", found, KNOWN_TO_WORK],
    [
      server.compatible !== true,
      "incompatible",
      `the tool calls the session's server incompatible (${found})`,
      "restart the session, so that both are of one build",
    ],
  ]);
  if (!known || finding.fault) return { ...finding, release: null };
  const isVerified = known.verified.includes(own.version);
  return { ...finding, release: { ...own, isVerified } };
}

function describe({ version, protocol }: Side): string {
  return `${version} (protocol ${protocol < 0 ? "none" : protocol})`;
}

function skewRemedy(client: Side, server: Side): string {
  const isBehind =
    client.protocol === server.protocol
      ? client.version.localeCompare(server.version, "en", { numeric: true }) < 0
      : client.protocol < server.protocol;
  return isBehind
    ? `the tool is behind: install herdr ${server.version}, or set terminal.wsp.binary to it`
    : `the session's server is behind: restart the session with herdr ${client.version}`;
}

export function checkServer({ server }: WireStatus, session: string): SessionCheck {
  const start = `start it with: herdr --session ${session}`;
  return judge("server", `session ${session} runs`, [
    [!server.running, "session_unavailable", `session ${session} does not run`, start],
  ]);
}

/** The tool calls the default session null. */
export function checkSession({ client, server }: WireStatus, session: string): SessionCheck {
  const names = [client.session, server.session].map((name) => name ?? "default");
  return judge("session", session, [
    [
      names.some((name) => name !== session),
      "identity_ambiguous",
      `the tool speaks of session ${names.join(" and ")}`,
      "set terminal.wsp.session to the session that is meant",
    ],
  ]);
}

export function checkList(
  { sessions }: WireSessions,
  session: string,
  socket: string | null,
): SessionCheck {
  const entries = sessions.filter(({ name }) => name === session);
  const [entry] = entries;
  const kind = entry?.default ? "the default" : "a named";
  const path = entry?.socket_path;
  return judge("session list", `once, running, ${path}`, [
    [
      entries.length !== 1,
      "identity_ambiguous",
      `session ${session} is listed ${entries.length} times`,
      "one running session of that name is needed",
    ],
    [
      entry?.running !== true,
      "session_unavailable",
      `session ${session} is listed as stopped`,
      `start it with: herdr --session ${session}`,
    ],
    [
      entry?.default !== (session === "default"),
      "identity_ambiguous",
      `session ${session} is listed as ${kind} session`,
      "set terminal.wsp.session to the session that is meant",
    ],
    [
      path !== socket,
      "identity_ambiguous",
      `the list gives the socket ${path}, the status ${socket ?? "none"}`,
      "unset HERDR_SOCKET_PATH where the session was started, and start it again",
    ],
  ]);
}

export interface FileFacts {
  isSocket: boolean;
  uid: number;
  mode: number;
  mark: string;
}

export function checkSocket(path: string, file: FileFacts | null, uid: number): SessionCheck {
  const restart = "start the session again so that it makes its own socket";
  const mode = file?.mode ?? 0;
  const octal = mode.toString(8).padStart(4, "0");
  const rule = (isBroken: boolean, found: string, remedy = restart): Rule => [
    isBroken,
    "socket_invalid",
    `${path} ${found}`,
    remedy,
  ];
  return judge("socket", path, [
    rule(!path.startsWith("/"), "is not an absolute path"),
    rule(file === null, "is not there"),
    rule(file?.isSocket === false, "is not a socket"),
    rule(
      file?.uid !== uid,
      `belongs to user ${file?.uid}`,
      "run panewatch as the user whose session it is",
    ),
    rule((mode & 0o077) !== 0, `has mode ${octal}: others may use it`, `chmod 600 ${path}`),
  ]);
}

const EVENTS = ["events.subscribe", "pane.agent_status_changed"];
/** Methods that are used only where the schema names them. */
const OPTIONAL = ["agent.send_keys", "pane.process_info"];
const REQUIRED = USED_REQUESTS.map(({ method }) => method).filter(
  (name) => !OPTIONAL.includes(name),
);

const ProtocolNote = z.object({ protocol: z.number() });

/** A schema has a method if any string or key in it is its name. */
export function checkSchema(
  schema: unknown,
  { protocol, isVerified }: Release,
): SessionCheck & Pick<Identity, "methods" | "hasEvents"> {
  const words = wordsIn(schema);
  const hasEvents = EVENTS.every((name) => words.has(name));
  const missing = REQUIRED.filter((name) => !words.has(name));
  const stated = ProtocolNote.safeParse(schema).data?.protocol ?? protocol;
  const others = isVerified ? [] : changedMethods(schema);
  const faults: readonly (readonly [boolean, string])[] = [
    [missing.length > 0, `it does not name ${missing.join(", ")}`],
    [stated !== protocol, `it is of protocol ${stated}`],
    [others.length > 0, `${others.join(", ")} takes something else than is sent`],
  ];
  const finding = judge(
    "schema",
    hasEvents ? "with events" : "without events",
    faults.map(([isBroken, found]) => [isBroken, "incompatible", found, KNOWN_TO_WORK]),
  );
  return { ...finding, methods: new Set(OPTIONAL.filter((name) => words.has(name))), hasEvents };
}

function wordsIn(value: unknown): ReadonlySet<string> {
  const words = new Set<string>();
  JSON.stringify(value, (key, member: unknown) => {
    words.add(key);
    if (typeof member === "string") words.add(member);
    return member;
  });
  return words;
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

const Members = z.record(z.string(), z.unknown());
const Node = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  anyOf: z.array(z.unknown()).optional(),
  properties: Members.optional(),
  required: z.array(z.string()).optional(),
});

/**
 * Methods whose parameters differ from those that are sent: more are required, or one is unknown or has
 * another type. Results are not compared: each is checked as it comes.
 */
export function changedMethods(schema: unknown): string[] {
  const methods = Requests.safeParse(schema).data?.schemas.request.oneOf ?? [];
  return USED_REQUESTS.flatMap(({ method, params }) => {
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

/** As a JSON schema names it. */
function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? "integer" : "string";
}

function typesOf(schema: unknown, value: unknown): string[] {
  const { type = [], anyOf = [] } = resolve(schema, value);
  return [type, ...anyOf.map((each) => typesOf(schema, each))].flat();
}

/** Follows references such as `#/schemas/request/$defs/PaneTarget`. */
function resolve(schema: unknown, value: unknown): z.infer<typeof Node> {
  const node = Node.safeParse(value).data ?? {};
  if (!node.$ref?.startsWith("#/")) return node;
  const path = node.$ref.slice(2).split("/");
  const target = path.reduce((at, name) => Members.safeParse(at).data?.[name], schema);
  return resolve(schema, target);
}
