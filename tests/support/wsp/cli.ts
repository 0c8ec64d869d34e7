import { join } from "node:path";
import type { Request } from "./answers.ts";
import type { Fault, Session } from "./session.ts";
import { parseArguments } from "./words.ts";

export interface Call {
  args: string[];
  env: Readonly<Record<string, string | undefined>>;
}

export interface Outcome {
  code: number;
  stdout: string | Uint8Array;
  stderr: string;
}

export interface Machine {
  binary: string;
  version: string;
  protocol: number;
  schema: unknown;
  sessions: ReadonlyMap<string, Session>;
  /** By socket path, for `HERDR_SOCKET_PATH`. */
  sessionAt(socketPath: string): Session | null;
  /** Whether the process of this call still runs. */
  isRunning(call: Call): boolean;
  violations: string[];
}

const EMPTY_RESPONSE = "Error: Custom { kind: Other, error: EmptyResponse }\n";
const NO_JSON =
  'Error: Custom { kind: Other, error: Json(Error("expected value", line: 1, column: 1)) }\n';
const OVERSIZED_BYTES = 17 * 1024 * 1024;
/** All calls of the service: it checks a session, reads panes without reaching a program, and sends. */
const CALLS = [
  /^(?:--version|(?:status|session list|api schema) --json|api snapshot)$/,
  /^pane (?:get|process-info --pane) \w+:\w+$/,
  /^pane read \w+:\w+ --source detection(?: --format text(?: --lines 200)?)?$/,
  /^pane read \w+:\w+ --source recent-unwrapped (?:--lines \d+ --format ansi|--format ansi --lines \d+)$/,
  /^(?:pane send-(?:text|keys)|agent send-keys) \S+ /,
];

/** Whether the service makes this call; `--session` may stand anywhere in it. */
export function isOfService({ args, env }: Call): boolean {
  const parsed = parseArguments(args, env.HERDR_SESSION);
  return parsed.kind === "usage" || CALLS.some((call) => call.test(parsed.words.join(" ")));
}

/** Runs one command of the tool against the sessions of this machine. */
export async function runCall(machine: Machine, call: Call): Promise<Outcome> {
  const { args, env } = call;
  const parsed = parseArguments(args, env.HERDR_SESSION);
  if (parsed.kind === "usage") return usage(parsed.stderr);
  const [word = "", sub = "", ...rest] = parsed.words;
  if (!isOfService(call)) {
    machine.violations.push(parsed.words.join(" "));
    return usage(`not played: ${word} ${sub}\n`);
  }
  const place = placeOf(env, parsed.session);
  if (word === "--version") return done(`herdr ${machine.version}\n`);
  if (word === "status") return status(machine, place);
  if (word === "session") return sessionList(machine, env);
  if (sub === "schema") return done(`${JSON.stringify(machine.schema)}\n`);
  return request(machine, place, { ...commandOf(word, sub, rest), call });
}

interface Place {
  name: string | null;
  socket: string;
  attach: string;
}

interface Command {
  id: string;
  request: Request;
  /** The part of the answer that is printed. */
  prints: "answer" | "text" | "nothing";
}

function configDir(env: Call["env"]): string {
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, "herdr");
  return env.HOME ? join(env.HOME, ".config", "herdr") : "/tmp/herdr";
}

export function socketPathOf(env: Call["env"], name: string): string {
  const dir = configDir(env);
  return name === "default" ? join(dir, "herdr.sock") : join(dir, "sessions", name, "herdr.sock");
}

function placeOf(env: Call["env"], flag: string | null): Place {
  const fromSocket = flag === null ? env.HERDR_SOCKET_PATH : undefined;
  if (fromSocket) return { name: null, socket: fromSocket, attach: "herdr" };
  const name = flag ?? env.HERDR_SESSION ?? "default";
  const isDefault = name === "default";
  return {
    name: isDefault ? null : name,
    socket: socketPathOf(env, name),
    attach: isDefault ? "herdr" : `herdr session attach ${name}`,
  };
}

async function status(machine: Machine, place: Place): Promise<Outcome> {
  const session = machine.sessionAt(place.socket);
  const isUp = session?.state === "running" || session?.state === "frozen";
  if (session && isUp) {
    const failed = await ping(session);
    if (failed) return failed;
  }
  const client = {
    version: machine.version,
    channel: "stable",
    protocol: machine.protocol,
    binary: machine.binary,
    session: place.name,
  };
  const server = {
    status: isUp ? "running" : "not_running",
    running: isUp,
    version: isUp ? session.version : null,
    protocol: isUp ? session.protocol : null,
    capabilities: isUp ? session.capabilities : null,
    compatible: isUp ? session.protocol === machine.protocol : null,
    socket: place.socket,
    session: place.name,
    restart_needed: isUp ? session.protocol !== machine.protocol : false,
  };
  const update = { restart_needed: server.restart_needed };
  return done(`${JSON.stringify({ client, server, update })}\n`);
}

function sessionList(machine: Machine, env: Call["env"]): Outcome {
  const names = ["default", ...[...machine.sessions.keys()].filter((name) => name !== "default")];
  const sessions = names.map((name) => {
    const socket = socketPathOf(env, name);
    const state = machine.sessions.get(name)?.state;
    return {
      default: name === "default",
      name,
      running: state === "running" || state === "frozen",
      session_dir: socket.slice(0, -"/herdr.sock".length),
      socket_path: socket,
    };
  });
  return done(`${JSON.stringify({ sessions })}\n`);
}

function commandOf(group: string, sub: string, words: readonly string[]): Command {
  const id = `cli:${group}:${sub}`;
  const [first = "", ...rest] = words;
  switch (`${group} ${sub}`) {
    case "api snapshot":
      return { id, request: { method: "session.snapshot", params: {} }, prints: "answer" };
    case "pane get":
      return { id, request: { method: "pane.get", params: { pane_id: first } }, prints: "answer" };
    case "pane process-info":
      return {
        id: "cli:pane:process_info",
        request: { method: "pane.process_info", params: { pane_id: rest[0] } },
        prints: "answer",
      };
    case "pane read": {
      const [, source = ""] = rest;
      const lines = Number(rest[rest.indexOf("--lines") + 1]);
      const history = source === "detection" ? {} : { lines, format: "ansi" };
      const params = { pane_id: first, source: source.replace("-", "_"), ...history };
      return { id, request: { method: "pane.read", params }, prints: "text" };
    }
    case "pane send-text":
      return sent("pane.send_text", { pane_id: first, text: rest.join(" ") });
    case "pane send-keys":
      return sent("pane.send_keys", { pane_id: first, keys: rest });
    default:
      return {
        id,
        request: { method: "agent.send_keys", params: { target: first, keys: rest } },
        prints: "answer",
      };
  }
}

const sent = (method: string, params: Request["params"]): Command => ({
  ...{ id: "cli:request", request: { method, params }, prints: "nothing" },
});

// The tool makes two connections: a ping to compare the protocols, then the request.
async function request(
  machine: Machine,
  place: Place,
  command: Command & { call: Call },
): Promise<Outcome> {
  const session = machine.sessionAt(place.socket);
  if (!session || session.state === "stopped" || session.state === "killed") {
    const message = `no herdr server is running at ${place.socket}; run \`${place.attach}\` to start or attach it`;
    return ownError(command.id, "server_not_running", message);
  }
  const unanswered = await ping(session);
  // A process that was killed at its ping sends no request.
  if (!machine.isRunning(command.call)) await never();
  if (unanswered) return unanswered;
  if (session.protocol !== machine.protocol)
    return ownError(command.id, "protocol_mismatch", mismatch(session, machine.protocol));
  await session.goesOn();
  const fault = await strike(session, command.request);
  if (fault === "close") return failed(EMPTY_RESPONSE);
  if (fault !== null && typeof fault === "object" && "error" in fault)
    return serverError(command.id, fault.error);
  const answered = session.answer(command.request);
  if (fault === "hang_after") await never();
  if (fault === "close_after") return failed(EMPTY_RESPONSE);
  if (fault === "garbage" || fault === "half") return failed(NO_JSON);
  if ("error" in answered) return serverError(command.id, answered.error);
  const whole = printed(command, answered.result);
  if (fault === "invalid_utf8")
    return { ...whole, stdout: new Uint8Array([0x7b, 0xff, 0xfe, 0x0a]) };
  if (fault === "oversized")
    return { ...whole, stdout: new Uint8Array(OVERSIZED_BYTES).fill(0x20) };
  if (fault === "empty") return { ...whole, stdout: "" };
  if (fault === "wrong_id") return printed({ ...command, id: "cli:other" }, answered.result);
  return whole;
}

function printed({ id, prints }: Command, result: Record<string, unknown>): Outcome {
  if (prints === "nothing") return done("");
  if (prints === "text") {
    const { read } = result;
    const hasText = typeof read === "object" && read !== null && "text" in read;
    return done(hasText ? String(read.text) : "");
  }
  return done(`${JSON.stringify(sorted({ id, result }))}\n`);
}

/** The tool prints answers with their keys in alphabetical order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

function mismatch({ protocol }: Session, own: number): string {
  const age = protocol > own ? "older" : "newer";
  return `client protocol ${own} is ${age} than server protocol ${protocol}; upgrade the Herdr client before using this command`;
}

/** The output where the first connection got a wrong answer. */
async function ping(session: Session): Promise<Outcome | null> {
  await session.goesOn();
  const fault = await strike(session, { method: "ping", params: {} });
  if (fault === null) return null;
  return failed(fault === "garbage" ? NO_JSON : EMPTY_RESPONSE);
}

/** The fault of this request, unless its answer is only late or missing. */
async function strike(session: Session, request: Request): Promise<Fault | null> {
  const fault = session.takeFault(request);
  if (fault === "hang") await never();
  if (fault === null || typeof fault !== "object" || !("delayMs" in fault)) return fault;
  await Bun.sleep(fault.delayMs);
  return null;
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function done(stdout: string): Outcome {
  return { code: 0, stdout, stderr: "" };
}

function failed(stderr: string): Outcome {
  return { code: 1, stdout: "", stderr };
}

function usage(stderr: string): Outcome {
  return { code: 2, stdout: "", stderr };
}

function ownError(id: string, code: string, message: string): Outcome {
  return failed(`${JSON.stringify({ id, error: { code, message } })}\n`);
}

function serverError(id: string, error: { code: string; message: string }): Outcome {
  return failed(`${JSON.stringify({ error, id })}\n`);
}
