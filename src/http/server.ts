import { codeOf, StartupError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { isLoopback } from "../lib/address.ts";
import { readProc } from "../lib/procfs.ts";
import type { RequestFacts, SocketSession, StartSocket } from "../slice.ts";
import { CLOSE_GOING_AWAY } from "../protocol/socket.ts";
import { errorReply, refusalReply } from "./errors.ts";

/** A larger frame from a client closes its socket with 1009. */
const MAX_FRAME_BYTES = 64 * 1024;
/** Idle timeout of a connection: without a good token nobody holds a descriptor for long. */
export const IDLE_SECONDS = 15;
/** Idle timeout while a trusted request is answered: creation and usage run programs. */
export const ANSWER_IDLE_SECONDS = 255;
/** No limit here: Bun's refusal would have no body. Endpoints that read one have their own. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

interface ServerDeps {
  host: string;
  port: number;
  fetch(request: Request, facts: RequestFacts): Response | Promise<Response>;
  /** Null when the request is for no socket. */
  socketFor(request: Request, facts: RequestFacts): StartSocket | Response | null;
  isOtherUser?(peer: Peer, ownPort: number): boolean;
  log: Log;
  idleSeconds?: number;
}

interface SocketData {
  start: StartSocket;
  session: SocketSession | null;
}

export interface HttpServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** @throws StartupError when the address cannot be bound. */
export function startServer(deps: ServerDeps): HttpServer {
  const open = new Set<Bun.ServerWebSocket<SocketData>>();
  const server = listen(deps, open);
  return {
    port: server.port ?? deps.port,
    async stop() {
      for (const ws of open) ws.close(CLOSE_GOING_AWAY, "the service stops");
      // Replies to what has just been done leave first: who hears nothing may send it again.
      await Promise.race([server.stop(), Bun.sleep(1_000)]);
      await server.stop(true);
    },
  };
}

function listen(
  deps: ServerDeps,
  open: Set<Bun.ServerWebSocket<SocketData>>,
): Bun.Server<SocketData> {
  const { host, port, idleSeconds = IDLE_SECONDS } = deps;
  try {
    return Bun.serve<SocketData>({
      hostname: host,
      port,
      idleTimeout: idleSeconds,
      maxRequestBodySize: MAX_BODY_BYTES,
      // Bun's own error page shows stacks, and its log the request's target with a socket's token.
      development: false,
      // Outside development Bun would share a taken port with whoever has it.
      reusePort: false,
      error: (error) => errorReply(error, "a request", deps.log),
      fetch: (request, server) => dispatch(request, server, deps),
      websocket: {
        maxPayloadLength: MAX_FRAME_BYTES,
        // Offered; each frame says for itself whether it is deflated.
        perMessageDeflate: true,
        open(ws) {
          open.add(ws);
          ws.data.session = ws.data.start(ws);
        },
        message: (ws, message) => ws.data.session?.receive(message),
        pong: (ws) => ws.data.session?.answered(),
        drain: (ws) => ws.data.session?.drained(),
        close(ws) {
          open.delete(ws);
          ws.data.session?.closed();
        },
      },
    });
  } catch (cause) {
    throw new StartupError(whyNot(cause, host, port), { cause });
  }
}

function dispatch(
  request: Request,
  server: Bun.Server<SocketData>,
  deps: ServerDeps,
): Response | Promise<Response> | undefined {
  // An impossible Host header makes a URL that no code below could parse.
  if (!URL.canParse(request.url)) return refusalReply("bad request", 400);
  const from = server.requestIP(request);
  const isOtherUser = () =>
    from !== null && deps.isOtherUser?.(from, server.port ?? deps.port) === true;
  const facts = { peer: from?.address ?? "?", isOtherUser };
  const start = deps.socketFor(request, facts);
  if (start instanceof Response) return start;
  if (start && server.upgrade(request, { data: { start, session: null } })) return undefined;
  return deps.fetch(request, { ...facts, ...timeouts(request, server, deps.idleSeconds) });
}

/** The long one once the token was good and the body has been read. */
function timeouts(
  request: Request,
  server: Bun.Server<SocketData>,
  idleSeconds = IDLE_SECONDS,
): Pick<RequestFacts, "onTrusted" | "onBodyPart" | "onBodyRead"> {
  const awaited = new Set(hasBody(request) ? ["token", "body"] : ["token"]);
  const has = (what: "token" | "body") => {
    // For this request only: Bun resets the timeout with the next one on the connection.
    if (awaited.delete(what) && awaited.size === 0) server.timeout(request, ANSWER_IDLE_SECONDS);
  };
  // By itself Bun sets the idle one anew only for a body that comes faster than a phone may send.
  const onBodyPart = () => server.timeout(request, idleSeconds);
  return { onTrusted: () => has("token"), onBodyPart, onBodyRead: () => has("body") };
}

function hasBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}

function whyNot(cause: unknown, host: string, port: number): string {
  const code = codeOf(cause);
  if (code === "EADDRINUSE")
    return `port ${port} on ${host} is taken by another program: stop it, or choose another with --port`;
  if (code === "EACCES")
    return `port ${port} on ${host} needs more rights than this user has: choose one above 1023 with --port`;
  return `cannot listen on ${host}:${port} (${code ?? "unknown reason"}): check --host and --port`;
}

interface LanServersDeps {
  bound: () => { host: string; port: number };
  addresses: () => readonly string[];
  interfaces: () => readonly string[];
  /** @throws StartupError where it cannot be listened at */
  start: (host: string) => HttpServer;
  log: Pick<Log, "info" | "warn">;
}

/**
 * Listens in the local network too, while an address there has been accepted. The service itself
 * stays where its configuration says.
 */
export class LanServers {
  readonly #deps: LanServersDeps;
  readonly #open = new Map<string, HttpServer>();

  constructor(deps: LanServersDeps) {
    this.#deps = deps;
  }

  /** Opens what is accepted now, and closes what is no more. */
  follow(): void {
    const wanted = lanHosts(this.#deps);
    for (const [host, server] of [...this.#open]) {
      if (wanted.includes(host)) continue;
      this.#open.delete(host);
      void server.stop();
    }
    for (const host of wanted) if (!this.#open.has(host)) this.#listen(host);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#open.values()].map((server) => server.stop()));
  }

  #listen(host: string): void {
    const { log, start } = this.#deps;
    try {
      this.#open.set(host, start(host));
      log.info(`listening at ${host} too, without encryption`);
    } catch (error) {
      log.warn(`cannot listen at ${host}, which was accepted as an address: ${String(error)}`);
    }
  }
}

function lanHosts({ addresses, bound, interfaces }: LanServersDeps): string[] {
  const { host, port } = bound();
  // Whoever listens everywhere, or there already, needs no second server.
  if (!isLoopback(host)) return [];
  const names = addresses().flatMap((address) => {
    const url = new URL(address);
    const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
    return url.protocol === "http:" && url.port === String(port) ? [name] : [];
  });
  // Asked for where there is a name: it takes a millisecond of a start.
  return names.filter((name) => interfaces().includes(name));
}

const TABLES = ["net/tcp", "net/tcp6"];
const LISTENING = "0A";
const ANSWER_SECONDS = 1;

interface Peer {
  address: string;
  port: number;
}

/**
 * Whether a connection over loopback is of another user of this machine, root apart; only Linux tells.
 * Nothing names a connection but its port, which may be another user's once it is free: an answer holds
 * for the second in which the kernel gives no port of a closed connection to anybody.
 */
export class PeerUsers {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #readTable: (path: string) => string | null;
  #answers = new Map<string, boolean>();
  #endsAt = 0;

  constructor(deps: {
    clock: Pick<Clock, "monotonic">;
    readTable?: (path: string) => string | null;
  }) {
    this.#clock = deps.clock;
    this.#readTable = deps.readTable ?? readProc;
  }

  isOther({ address, port }: Peer, ownPort: number): boolean {
    const host = address.replace(/^::ffff:/i, "");
    if (!isLoopback(host)) return false;
    const now = this.#clock.monotonic();
    if (now >= this.#endsAt) {
      this.#answers = new Map();
      this.#endsAt = now + ANSWER_SECONDS;
    }
    const key = `${host} ${port}`;
    const isOther = this.#answers.get(key) ?? this.#look({ address: host, port }, ownPort);
    this.#answers.set(key, isOther);
    return isOther;
  }

  #look({ address, port }: Peer, ownPort: number): boolean {
    let tables = "";
    for (const path of TABLES) {
      const table = this.#readTable(path) ?? "";
      const owner = ownerOf(table, addressesOf(address), port, ownPort);
      // The kernel takes a millisecond or two for a table: the next is read where this one tells nothing.
      if (owner !== null) return owner !== 0 && owner !== process.getuid?.();
      tables += `${table}\n`;
    }
    // Whoever has let go of the connection has no name any more. Where the kernel does not even list
    // what this service listens at, it tells nothing of anybody.
    return hasListener(tables, ownPort);
  }
}

/** The user whose socket it is; null where none is listed, or nobody has it any more. */
function ownerOf(
  tables: string,
  addresses: readonly string[],
  port: number,
  ownPort: number,
): number | null {
  const locals = addresses.map((one) => `${one}:${hex(port)}`);
  for (const [, local = "", remote = "", , uid = "", inode = ""] of rowsOf(tables))
    if (locals.includes(local) && remote.endsWith(`:${hex(ownPort)}`) && inode !== "0")
      return Number(uid);
  return null;
}

function hasListener(tables: string, ownPort: number): boolean {
  return rowsOf(tables).some(
    ([, local = "", , state]) => state === LISTENING && local.endsWith(`:${hex(ownPort)}`),
  );
}

const ROW = /^ *\d+: (\S+) (\S+) (\S\S) \S+ \S+ \S+ +(\d+) +\d+ (\d+)/gm;

const rowsOf = (tables: string): RegExpMatchArray[] => [...tables.matchAll(ROW)];

/** As the tables write it: words of four bytes, each in the order of the machine. */
function addressesOf(address: string): string[] {
  if (address === "::1") return ["00000000000000000000000001000000"];
  const bytes = address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  const word = bytes.toReversed().join("").toUpperCase();
  return [word, `0000000000000000FFFF0000${word}`];
}

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");
