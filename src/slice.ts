import type { Context, Hono, MiddlewareHandler } from "hono";
import type { Log } from "./lib/log.ts";
import { type BodyListener, valid } from "./lib/valid.ts";
import type { Capabilities, Info } from "./protocol/config.ts";
import {
  type ParsedRequest,
  type Endpoint,
  type EndpointName,
  ENDPOINTS,
  type PathOf,
} from "./protocol/endpoints.ts";
import type { Scope } from "./protocol/scope.ts";

export interface Grant {
  /** Of a device its own; else `token`, `read_token`, `local` (a command of this machine's user), `anybody`. */
  readonly id: string;
  /** Names it in what outlives it: another token is another holder. */
  readonly key: string;
  readonly name: string;
  readonly scope: Scope;
  /** Of the secret that was sent; null for anybody. */
  readonly digest: Buffer | null;
}

/** Nobody is asked for a token. */
export const ANYBODY: Grant = {
  ...{ id: "anybody", key: "anybody", name: "anybody" },
  ...{ scope: "own", digest: null },
};

/** What the server knows of a request beside the request itself: a handler's `c.env`. */
export interface RequestFacts extends BodyListener {
  /** Address that it came from. */
  peer: string;
  /** Whether another user of this machine asks. */
  isOtherUser?(): boolean;
  /** What let it in; set once its token is known to be good. */
  grant?: Grant;
  onTrusted?(): void;
}

export const requesterName = ({ grant, peer }: RequestFacts): string =>
  `${grant?.name ?? ANYBODY.name} at ${peer}`;

export const actByOf = ({ grant = ANYBODY }: RequestFacts) => ({
  grant: grant.id,
  name: grant.name,
});

/** Absolute paths (`/api/…`) with their methods. */
export type Routes = Hono<{ Bindings: RequestFacts }>;

const OK = { ok: true };

/** What is no `Response` is a body of JSON, and nothing at all is `{"ok": true}`. */
type Reply = Response | object | void;

type EndpointHandler<K extends EndpointName> = (
  c: Context<{ Bindings: RequestFacts }, PathOf<K>, { out: ParsedRequest<K> }>,
) => Reply | Promise<Reply>;

/** What answers endpoints, by their rows in `ENDPOINTS`; where two fit a path, the first one. */
export type Handlers = { readonly [K in EndpointName]?: EndpointHandler<K> };

/**
 * Each handler behind the checks that its row asks for, and `before` behind none; of these handlers
 * those that need a token, or those that are open to everybody.
 */
export function addRoutes(
  app: Routes,
  { routes = {}, before }: Pick<Slice, "routes" | "before">,
  isOpen = false,
): void {
  for (const [name, handler] of Object.entries(routes)) {
    const [method = "", path = ""] = name.split(" ");
    // The keys are names of endpoints: the compiler does not keep that.
    const { scope, json, absent, query }: Endpoint = ENDPOINTS[name as EndpointName];
    if ((scope === null) !== isOpen) continue;
    const checks: MiddlewareHandler[] = [
      ...(before ? [before] : []),
      ...(query ? [valid("query", query)] : []),
      ...(json ? [valid("json", json, absent && "{}")] : []),
    ];
    const handle = handler as (c: Context) => Reply | Promise<Reply>;
    app.on(method, [path], ...checks, async (c) => {
      const reply = await handle(c);
      return reply instanceof Response ? reply : c.json(reply === undefined ? OK : reply);
    });
  }
}

export interface Wire {
  /** Deflated where the client has agreed to that in its handshake. */
  send(text: string, isDeflated?: boolean): number;
  /** Bytes in Bun's buffer: neither the client nor the kernel has taken them. */
  getBufferedAmount(): number;
  ping(): number;
  close(code: number, reason: string): void;
}

export interface SocketSession {
  receive(message: string | Uint8Array): void;
  /** The client has answered a ping. */
  answered(): void;
  drained(): void;
  closed(): void;
}

/** Takes over an accepted socket; null when it was closed at once. */
export type StartSocket = (wire: Wire) => SocketSession | null;

/**
 * Refuses by a close code: accepts the socket and closes it at once, because a browser sees a refused
 * upgrade as 1006, whatever its status.
 */
export function closeAtOnce(code: number, reason: string): StartSocket {
  return (wire) => {
    wire.close(code, reason);
    return null;
  };
}

/** Who asks for a socket. */
export interface SocketClient {
  /** What let it in. */
  grant: Grant;
  /** Address that it came from. */
  ip: string;
  /** Its `User-Agent`, or "". */
  ua: string;
  query: URLSearchParams;
}

export interface SocketRoute {
  path: string;
  /** Asked once origin and token are known to be good. */
  accept(client: SocketClient): StartSocket;
}

/**
 * One part of the service as one value: its routes and sockets, its reports, its lifecycle.
 * `app.ts` lists the slices; mounting, `_info`, wrong methods and lifecycle are folds over that
 * list. A part that is absent is a slice as well (`noCreationSlice`): its paths exist and refuse.
 */
export interface Slice {
  readonly name: string;
  /** Behind the check of the origin, and of the token where their row asks for a scope. */
  readonly routes?: Handlers;
  /** Goes before `routes` and their checks: what is off has no opinion on a request. */
  readonly before?: MiddlewareHandler;
  readonly sockets?: readonly SocketRoute[];
  /** Merged into `_info.capabilities`; asked for each reply. */
  capabilities?(): Partial<Capabilities>;
  /** Merged into `_info`; asked for each reply. */
  info?(): Partial<Info>;
  /** Not awaited: the port opens meanwhile. What it throws is logged. */
  start?(): void | Promise<void>;
  /** After the port has closed and `start` has ended. */
  stop?(): Promise<void>;
  /** Live settings may have changed. */
  settingsChanged?(): void;
}

/** The lifecycle of the slices: each starts, takes settings and stops, and a failure stays its own. */
export class Slices {
  readonly #slices: readonly Slice[];
  readonly #log: Log;
  #started: Promise<unknown> = Promise.resolve();

  constructor(deps: { slices: readonly Slice[]; log: Log }) {
    this.#slices = deps.slices;
    this.#log = deps.log;
  }

  start(): void {
    this.#started = this.#each("start", (slice) => slice.start?.());
  }

  settingsChanged(): void {
    void this.#each("take the new settings", (slice) => slice.settingsChanged?.());
  }

  async stop(): Promise<void> {
    await this.#started;
    await this.#each("stop", (slice) => slice.stop?.());
  }

  /** Runs a step of all parts at the same time; never rejects. */
  async #each(what: string, step: (slice: Slice) => void | Promise<void>): Promise<void> {
    const one = async (slice: Slice) => {
      try {
        await step(slice);
      } catch (error) {
        this.#log.error(`${slice.name} could not ${what}`, error);
      }
    };
    await Promise.all(this.#slices.map(one));
  }
}
