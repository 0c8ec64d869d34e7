import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { RunError, type run } from "../../../src/lib/run.ts";
import { runCall, socketPathOf, type Call, type Machine, type Outcome } from "./cli.ts";
import { Outbox } from "./outbox.ts";
import { SCHEMA } from "./schema.ts";
import { Session } from "./session.ts";
import { SocketServer } from "./socket-server.ts";

const CLIENT = new URL("./client.js", import.meta.url).pathname;
/**
 * herdr as its recordings show it: an executable, named sessions with their sockets, and a world that a
 * test scripts. The executable only passes its arguments on, so that all is decided in this process.
 */
export class WspDouble implements Machine {
  readonly folder: string;
  readonly binary: string;
  version = "0.8.2";
  protocol = 20;
  schema: unknown = SCHEMA;
  readonly sessions = new Map<string, Session>();
  /** Requests that a watcher must never make. */
  readonly violations: string[] = [];
  /** Every call of the executable, in order. */
  readonly calls: Call[] = [];
  /** Calls that still wait for their answer. */
  readonly running = new Set<Call>();
  readonly #servers = new Map<string, SocketServer>();
  #control: { stop(closeActive?: boolean): void } | null = null;

  private constructor(folder: string) {
    this.folder = folder;
    this.binary = join(folder, "wsp");
  }

  static async start(session = "demo"): Promise<WspDouble> {
    const double = new WspDouble(await mkdtemp(join(tmpdir(), "wsp-")));
    await mkdir(double.configHome, { recursive: true });
    await double.#listen();
    double.openSession(session);
    return double;
  }

  get configHome(): string {
    return join(this.folder, "config");
  }

  /** The environment of the service. */
  get env(): Record<string, string> {
    return { HOME: this.folder, XDG_CONFIG_HOME: this.configHome, PATH: "/usr/bin:/bin" };
  }

  openSession(name: string): Session {
    const session = new Session(name, this.violations);
    this.sessions.set(name, session);
    this.#serve(session);
    return session;
  }

  session(name = "demo"): Session {
    const found = this.sessions.get(name);
    if (!found) throw new Error(`the double has no session ${name}`);
    return found;
  }

  server(name = "demo"): SocketServer {
    const found = this.#servers.get(name);
    if (!found) throw new Error(`no server of ${name} runs`);
    return found;
  }

  socketPath(name = "demo"): string {
    return socketPathOf(this.env, name);
  }

  /** `stopped` removes the socket file, `killed` leaves it. */
  end(name: string, state: "stopped" | "killed"): void {
    this.session(name).state = state;
    this.server(name).stop();
    this.#servers.delete(name);
    rmSync(this.socketPath(name), { force: true });
    if (state === "killed") leaveStaleSocket(this.socketPath(name));
  }

  /** The session's server is started again: the same ids, other terminals, an empty screen. */
  restart(name = "demo"): void {
    const session = this.session(name);
    session.world.restart();
    this.#replaceServer(session);
  }

  /** `live-handoff`: the screens stay, the terminals have new ids, the socket is another file. */
  handOff(name = "demo"): void {
    const session = this.session(name);
    session.world.handOff();
    this.#replaceServer(session);
  }

  freeze(name = "demo"): void {
    this.session(name).state = "frozen";
  }

  thaw(name = "demo"): void {
    this.session(name).thaw();
  }

  isRunning(call: Call): boolean {
    return this.running.has(call);
  }

  /** Becomes another release, by its documentation: it was never run. */
  become(release: { version: string; protocol: number }): void {
    Object.assign(this, release, { schema: { ...SCHEMA, protocol: release.protocol } });
    for (const session of this.sessions.values())
      Object.assign(session, release, { replaysEvents: release.protocol < 22 });
  }

  sessionAt(socketPath: string): Session | null {
    for (const session of this.sessions.values())
      if (this.socketPath(session.name) === socketPath) return session;
    return null;
  }

  async script(): Promise<string> {
    const client = await Bun.file(CLIENT).text();
    const control = join(this.folder, "control");
    return `#!${process.execPath}\n${client}`.replace("CONTROL_PATH", control);
  }

  /** In place of the library's `run`: the executable is called in this process. */
  readonly start: typeof run = async ([name = "", ...args], options) => {
    const { env = this.env, signal, timeoutMs, maxBytes } = options;
    if (!existsSync(name)) throw new RunError("not_found", `${name}: cannot be started`);
    const ended = Promise.withResolvers<never>();
    const end = (kind: RunError["kind"]) => ended.reject(new RunError(kind, `${name}: ${kind}`));
    const onAbort = () => end("aborted");
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const timer = setTimeout(() => end("timeout"), timeoutMs);
    const call: Call = { args, env: pick(env) };
    try {
      const { code, stdout, stderr } = await Promise.race([this.#take(call), ended.promise]);
      const bytes = Buffer.from(stdout);
      if (bytes.length > maxBytes) throw new RunError("too_large", `${name}: too_large`);
      return { code, stdout: bytes, stderr };
    } finally {
      this.running.delete(call);
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  };

  async stop(): Promise<void> {
    this.#control?.stop(true);
    for (const server of this.#servers.values()) server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  #replaceServer(session: Session): void {
    this.#servers.get(session.name)?.stop();
    rmSync(this.socketPath(session.name), { force: true });
    session.state = "running";
    this.#serve(session);
  }

  #serve(session: Session): void {
    const path = this.socketPath(session.name);
    mkdirSync(dirname(path), { recursive: true });
    this.#servers.set(session.name, new SocketServer(path, session));
  }

  async #listen(): Promise<void> {
    const path = join(this.folder, "control");
    this.#control = Bun.listen<{ text: string; call: Call | null; outbox: Outbox }>({
      unix: path,
      socket: {
        open: (socket) => {
          socket.data = { text: "", call: null, outbox: new Outbox() };
        },
        data: (socket, data) => {
          socket.data.text += data.toString("utf8");
          if (!socket.data.text.endsWith("\n") || socket.data.call) return;
          const call: Call = JSON.parse(socket.data.text);
          socket.data.call = call;
          void this.#take(call).then((outcome) => socket.data.outbox.end(socket, framed(outcome)));
        },
        close: (socket) => {
          if (socket.data.call) this.running.delete(socket.data.call);
        },
        drain: (socket) => socket.data.outbox.drain(socket),
        error: () => {},
      },
    });
    await writeFile(this.binary, await this.script());
    await chmod(this.binary, 0o755);
  }

  #take(call: Call): Promise<Outcome> {
    this.calls.push(call);
    this.running.add(call);
    return runCall(this, call);
  }
}

function pick(env: Call["env"]): Call["env"] {
  const { HOME, XDG_CONFIG_HOME, HERDR_SESSION, HERDR_SOCKET_PATH, HERDR_ENV } = env;
  return { HOME, XDG_CONFIG_HOME, HERDR_SESSION, HERDR_SOCKET_PATH, HERDR_ENV };
}

function framed({ code, stdout, stderr }: Outcome): string {
  const bytes = typeof stdout === "string" ? Buffer.from(stdout) : Buffer.from(stdout);
  return `${JSON.stringify({ code, stdout: bytes.toString("base64"), stderr })}\n`;
}

// A socket file without a listener, as a killed server leaves it.
function leaveStaleSocket(path: string): void {
  const child = Bun.spawnSync([
    process.execPath,
    "-e",
    `Bun.listen({ unix: ${JSON.stringify(path)}, socket: { data() {} } }); process.kill(process.pid, "SIGKILL")`,
  ]);
  if (child.exitCode === 0) throw new Error("no stale socket was left");
}
