import { join } from "node:path";
import type { Request } from "./answers.ts";
import { SCHEMA_SUMMARY } from "./schema.ts";
import type { Fault, Session } from "./session.ts";
import { readFlags } from "./read-flags.ts";
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

/** What a call sees of the machine that it runs on. */
export interface Machine {
  binary: string;
  version: string;
  protocol: number;
  schema: unknown;
  sessions: ReadonlyMap<string, Session>;
  /** By socket path, for `HERDR_SOCKET_PATH`. */
  sessionAt(socketPath: string): Session | null;
  violations: string[];
  /** One connection to a server: takes its time, and a frozen one never comes back. */
  connect(session: Session): Promise<void>;
}

const EMPTY_RESPONSE = "Error: Custom { kind: Other, error: EmptyResponse }\n";
const NO_VALUE =
  'Error: Custom { kind: Other, error: Json(Error("expected value", line: 1, column: 1)) }\n';
const CUT_OFF =
  'Error: Custom { kind: Other, error: Json(Error("EOF while parsing a string", line: 1, column: 27)) }\n';
const OVERSIZED_BYTES = 17 * 1024 * 1024;
const GROUPS = ["pane", "tab", "workspace", "agent", "api", "session", "status"];

/** Runs one command of the tool against the sessions of this machine. */
export async function runCall(machine: Machine, { args, env }: Call): Promise<Outcome> {
  const parsed = parseArguments(args, env.HERDR_SESSION);
  if (parsed.kind === "usage") return usage(parsed.stderr);
  const [word = "", sub = "", ...rest] = parsed.words;
  if (word === "--version" || word === "-V") return done(`herdr ${machine.version}\n`);
  const place = placeOf(env, parsed.session);
  if (word === "status") return status(machine, place, parsed.words.slice(1));
  if (word === "session") return sessionList(machine, env, sub, rest);
  if (word === "api" && sub === "schema")
    return done(rest[0] === "--json" ? `${JSON.stringify(machine.schema)}\n` : SCHEMA_SUMMARY);
  if (!GROUPS.includes(word))
    return usage(`unknown command: ${word}\nrun 'herdr --help' for usage\n`);
  const command = commandOf(word, sub, rest);
  if ("usage" in command) return usage(command.usage);
  return request(machine, place, command);
}

interface Place {
  name: string | null;
  socket: string;
  attach: string;
}

interface Command {
  id: string;
  request: Request;
  /** What of the answer is printed. */
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

async function status(machine: Machine, place: Place, words: readonly string[]): Promise<Outcome> {
  const part = words[0] === "server" || words[0] === "client" ? words[0] : null;
  const flags = part === null ? words : words.slice(1);
  if (flags.length > 1 || (flags.length === 1 && flags[0] !== "--json"))
    return usage("herdr status commands:\n");
  const session = machine.sessionAt(place.socket);
  const isUp = session?.state === "running" || session?.state === "frozen";
  if (part !== "client" && session && isUp) {
    await machine.connect(session);
    const failed = failureOf(session.takeFault("cli", { method: "ping", params: {} }));
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
  if (part === "client") return done(`${JSON.stringify(client)}\n`);
  if (part === "server") return done(`${JSON.stringify(server)}\n`);
  const update = { restart_needed: server.restart_needed };
  return done(`${JSON.stringify({ client, server, update })}\n`);
}

function sessionList(
  machine: Machine,
  env: Call["env"],
  sub: string,
  rest: readonly string[],
): Outcome {
  if (sub !== "list") {
    machine.violations.push(`session ${sub}`);
    return usage("herdr session commands:\n");
  }
  if (rest[0] !== "--json") return usage("only the JSON form is modelled\n");
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

function commandOf(
  group: string,
  sub: string,
  rest: readonly string[],
): Command | { usage: string } {
  const [first] = rest;
  const id = `cli:${group}:${sub}`;
  const one = (method: string, param: string): Command | { usage: string } =>
    rest.length === 1
      ? { id, request: { method, params: { [param]: first } }, prints: "answer" }
      : { usage: `usage: herdr ${group} ${sub} <${param}>\n` };
  const list = (method: string): Command | { usage: string } => {
    if (rest.length === 0) return { id, request: { method, params: {} }, prints: "answer" };
    if (first === "--workspace" && rest.length === 2 && group !== "workspace")
      return { id, request: { method, params: { workspace_id: rest[1] } }, prints: "answer" };
    return { usage: `usage: herdr ${group} ${sub}\n` };
  };
  switch (`${group} ${sub}`) {
    case "api snapshot":
      return rest.length === 0
        ? { id, request: { method: "session.snapshot", params: {} }, prints: "answer" }
        : { usage: "usage: herdr api snapshot\n" };
    case "workspace list":
    case "tab list":
    case "pane list":
      return list(`${group}.list`);
    case "agent list":
      return list("agent.list");
    case "workspace get":
      return one("workspace.get", "workspace_id");
    case "tab get":
      return one("tab.get", "tab_id");
    case "pane get":
      return one("pane.get", "pane_id");
    case "agent get":
      return one("agent.get", "target");
    case "pane process-info":
      return first === "--pane" && rest.length === 2
        ? {
            id: "cli:pane:process_info",
            request: { method: "pane.process_info", params: { pane_id: rest[1] } },
            prints: "answer",
          }
        : { usage: "herdr pane commands:\n" };
    case "pane read":
      return readFlags(rest);
    case "pane send-text": {
      const [pane, ...texts] = rest;
      if (texts.length === 0) return { usage: "usage: herdr pane send-text <pane_id> <text>\n" };
      const params = { pane_id: pane, text: texts.join(" ") };
      return {
        id: "cli:request",
        request: { method: "pane.send_text", params },
        prints: "nothing",
      };
    }
    case "pane send-keys": {
      const [pane, ...keys] = rest;
      if (keys.length === 0)
        return { usage: "usage: herdr pane send-keys <pane_id> <key> [key ...]\n" };
      const params = { pane_id: pane, keys };
      return {
        id: "cli:request",
        request: { method: "pane.send_keys", params },
        prints: "nothing",
      };
    }
    case "agent send-keys": {
      const [target, ...keys] = rest;
      if (keys.length === 0)
        return { usage: "usage: herdr agent send-keys <target> <key> [key ...]\n" };
      return {
        id,
        request: { method: "agent.send_keys", params: { target, keys } },
        prints: "answer",
      };
    }
    default:
      return { usage: `herdr ${group} commands:\n` };
  }
}

// Two connections, as the tool makes them: a ping that compares the protocols, then the request.
async function request(machine: Machine, place: Place, command: Command): Promise<Outcome> {
  const session = machine.sessionAt(place.socket);
  if (!session || session.state === "stopped" || session.state === "killed") {
    const message = `no herdr server is running at ${place.socket}; run \`${place.attach}\` to start or attach it`;
    return ownError(command.id, "server_not_running", message);
  }
  await machine.connect(session);
  const ping = failureOf(session.takeFault("cli", { method: "ping", params: {} }));
  if (ping) return ping;
  if (session.protocol !== machine.protocol)
    return ownError(command.id, "protocol_mismatch", mismatch(session, machine.protocol));
  await machine.connect(session);
  const fault = session.takeFault("cli", command.request);
  if (fault === "hang") await never();
  if (fault !== null && typeof fault === "object" && "delayMs" in fault)
    await Bun.sleep(fault.delayMs);
  if (fault === "close") return failed(EMPTY_RESPONSE);
  if (fault !== null && typeof fault === "object" && "error" in fault)
    return serverError(command.id, fault.error);
  const answered = session.answer(command.request);
  if (fault === "hang_after") await never();
  if (fault === "close_after") return failed(EMPTY_RESPONSE);
  if (fault === "garbage") return failed(NO_VALUE);
  if (fault === "half") return failed(CUT_OFF);
  if ("error" in answered) return serverError(command.id, answered.error);
  const whole = printed(command, answered.result);
  if (fault === "cut") {
    const text = String(whole.stdout);
    return { ...whole, stdout: text.slice(0, text.length / 2) };
  }
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

/** The tool prints what a server said with its keys in alphabetical order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

function mismatch({ name, protocol }: Session, own: number): string {
  const head = `client protocol ${own} is`;
  if (protocol > own)
    return `${head} older than server protocol ${protocol}; upgrade the Herdr client before using this command`;
  return `${head} newer than server protocol ${protocol}; restart the Herdr server before using this command. Stop the old server to use the new version.\nStopping exits pane processes.\nRun \`herdr session stop ${name}\`, then run \`herdr session attach ${name}\` again.`;
}

function failureOf(fault: Fault | null): Outcome | null {
  if (fault === null) return null;
  if (fault === "garbage") return failed(NO_VALUE);
  return failed(EMPTY_RESPONSE);
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
