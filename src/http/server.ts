import { codeOf, StartupError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { isLoopback } from "../lib/address.ts";
import { readProc } from "../lib/procfs.ts";
import type { RequestFacts, SocketSession, StartSocket } from "../slice.ts";
import { CLOSE_GOING_AWAY } from "../protocol/socket.ts";
import { errorReply, refusalReply } from "./errors.ts";

/** A larger frame closes its socket with 1009. */
const MAX_FRAME_BYTES = 64 * 1024;
/** Without a valid token nobody holds a descriptor for longer. */
export const IDLE_SECONDS = 15;
/** While a request with a valid token is answered: creation and usage run programs. */
export const ANSWER_IDLE_SECONDS = 255;
/** Bun's refusal would have no body; endpoints that read one have their own limit. */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER;

interface ServerDeps {
  host: string;
  port: number;
  fetch(request: Request, facts: RequestFacts): Response | Promise<Response>;
  /** Null for a request that opens no socket. */
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

/** @throws StartupError when the address cannot be bound */
export function startServer(deps: ServerDeps): HttpServer {
  const open = new Set<Bun.ServerWebSocket<SocketData>>();
  const server = listen(deps, open);
  return {
    port: server.port ?? deps.port,
    async stop() {
      for (const ws of open) ws.close(CLOSE_GOING_AWAY, "the service stops");
      // Replies are sent first: a client without a reply may send the request again.
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
      // Bun's error page shows stacks, and its log the URL of a socket with the token.
      development: false,
      // Otherwise Bun would share a port that another program has.
      reusePort: false,
      error: (error) => errorReply(error, "a request", deps.log),
      fetch: (request, server) => dispatch(request, server, deps),
      websocket: {
        maxPayloadLength: MAX_FRAME_BYTES,
        // Each frame decides whether it is deflated.
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
    throw new StartupError(bindFailure(cause, host, port), { cause });
  }
}

function dispatch(
  request: Request,
  server: Bun.Server<SocketData>,
  deps: ServerDeps,
): Response | Promise<Response> | undefined {
  // An invalid Host header makes a URL that no code below can parse.
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

/** Sets the long timeout once the token is valid and the body is read. */
function timeouts(
  request: Request,
  server: Bun.Server<SocketData>,
  idleSeconds = IDLE_SECONDS,
): Pick<RequestFacts, "onTrusted" | "onBodyPart" | "onBodyRead"> {
  const missing = new Set(hasBody(request) ? ["token", "body"] : ["token"]);
  const has = (what: "token" | "body") => {
    // For this request only: Bun resets the timeout with the next one on the connection.
    if (missing.delete(what) && missing.size === 0) server.timeout(request, ANSWER_IDLE_SECONDS);
  };
  // Bun restarts the idle timeout by itself only for a body that comes faster than a phone sends.
  const onBodyPart = () => server.timeout(request, idleSeconds);
  return { onTrusted: () => has("token"), onBodyPart, onBodyRead: () => has("body") };
}

function hasBody({ headers }: Request): boolean {
  return headers.has("transfer-encoding") || (headers.get("content-length") ?? "0") !== "0";
}

function bindFailure(cause: unknown, host: string, port: number): string {
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
  /** @throws StartupError when the address cannot be bound */
  start: (host: string) => HttpServer;
  log: Pick<Log, "info" | "warn">;
}

/** Listens in the local network too, while a person has accepted an address there. */
export class LanServers {
  readonly #deps: LanServersDeps;
  readonly #open = new Map<string, HttpServer>();

  constructor(deps: LanServersDeps) {
    this.#deps = deps;
  }

  /** Opens and closes servers by the addresses that are accepted now. */
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
  // A server outside loopback listens there already.
  if (!isLoopback(host)) return [];
  const names = addresses().flatMap((address) => {
    const url = new URL(address);
    const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
    return url.protocol === "http:" && url.port === String(port) ? [name] : [];
  });
  // Called for a name alone: `interfaces` takes a millisecond of a start.
  return names.filter((name) => interfaces().includes(name));
}

const TABLES = ["net/tcp", "net/tcp6"];
const LISTENING = "0A";
const CACHE_SECONDS = 1;

interface Peer {
  address: string;
  port: number;
}

/**
 * Whether a connection is of another user of this machine, root apart; only Linux tells. Without a
 * token the service is at loopback alone, but a program chooses which of the machine's addresses it
 * connects from. A port names the connection, and may be another user's once it is free: answers
 * are cached for the second in which the kernel gives the port of a closed connection to nobody.
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
    const now = this.#clock.monotonic();
    if (now >= this.#endsAt) {
      this.#answers = new Map();
      this.#endsAt = now + CACHE_SECONDS;
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
      // Reading a table takes a millisecond or two: the second only if the first tells nothing.
      if (owner !== null) return owner !== 0 && owner !== process.getuid?.();
      tables += `${table}\n`;
    }
    // A connection that is closed at the other end has no owner and is refused. Where not even this
    // service's own port is listed, the kernel tells nothing and nobody is refused.
    return hasListener(tables, ownPort);
  }
}

/** The user id of the socket's owner; null where none is listed or its owner has closed it. */
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

/** As the tables write an address: words of four bytes, each in the byte order of the machine. */
function addressesOf(address: string): string[] {
  if (address.includes(":")) return [inWords(ipv6Bytes(address))];
  const bytes = address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  const word = inWords(bytes.join(""));
  return [word, `0000000000000000FFFF0000${word}`];
}

/** In hexadecimal, 32 digits; `::` stands for as many zeros as are missing. */
function ipv6Bytes(address: string): string {
  const digits = (part: string) =>
    part
      .split(":")
      .map((group) => group && group.padStart(4, "0"))
      .join("");
  const [head = "", tail = ""] = address.split("::").map(digits);
  return head + tail.padStart(32 - head.length, "0");
}

const inWords = (bytes: string): string =>
  bytes.replace(/(..)(..)(..)(..)/g, "$4$3$2$1").toUpperCase();

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");
