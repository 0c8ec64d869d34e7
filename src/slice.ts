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
  /** A device's id, or `token`, `read_token`, `local` (a command of this machine's user), `anybody`. */
  readonly id: string;
  /** For stored records: another token has another key. */
  readonly key: string;
  readonly name: string;
  readonly scope: Scope;
  /** Of the secret; null for anybody. */
  readonly digest: Buffer | null;
}

/** While no token is required. */
export const ANYBODY: Grant = {
  ...{ id: "anybody", key: "anybody", name: "anybody" },
  ...{ scope: "own", digest: null },
};

/** What the server knows beside the request: a handler's `c.env`. */
export interface RequestFacts extends BodyListener {
  /** The client's address. */
  peer: string;
  /** Whether the client is another user of this machine. */
  isOtherUser?(): boolean;
  /** Set once the token is known to be valid. */
  grant?: Grant;
  onTrusted?(): void;
}

export const requesterName = ({ grant, peer }: RequestFacts): string =>
  `${grant?.name ?? ANYBODY.name} at ${peer}`;

export const actByOf = ({ grant = ANYBODY }: Pick<RequestFacts, "grant">) => ({
  grant: grant.id,
  name: grant.name,
});

export type Routes = Hono<{ Bindings: RequestFacts }>;

const OK = { ok: true };

/** An object is sent as JSON, and void as `{"ok": true}`. */
type Reply = Response | object | void;

type EndpointHandler<K extends EndpointName> = (
  c: Context<{ Bindings: RequestFacts }, PathOf<K>, { out: ParsedRequest<K> }>,
) => Reply | Promise<Reply>;

/** By the keys of `ENDPOINTS`; of two that fit a path the first one answers. */
export type Handlers = { readonly [K in EndpointName]?: EndpointHandler<K> };

/**
 * Adds each handler behind the checks of its endpoint, and `before` ahead of them.
 * @param isOpen adds the endpoints that need no token, instead of those that do
 */
export function addRoutes(
  app: Routes,
  { routes = {}, before }: Pick<Slice, "routes" | "before">,
  isOpen = false,
): void {
  for (const [name, handler] of Object.entries(routes)) {
    const [method = "", path = ""] = name.split(" ");
    // `Object.entries` loses the type of the keys.
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

export interface RawSocket {
  /** Deflated only where the client has agreed to that in its handshake. */
  send(text: string, isDeflated?: boolean): number;
  /** Bytes in Bun's buffer, which the kernel has not taken yet. */
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
export type StartSocket = (rawSocket: RawSocket) => SocketSession | null;

/** Refuses by a close code: a browser sees every refused upgrade as 1006, whatever its status. */
export function closeAtOnce(code: number, reason: string): StartSocket {
  return (rawSocket) => {
    rawSocket.close(code, reason);
    return null;
  };
}

export interface SocketClient {
  grant: Grant;
  ip: string;
  /** Its `User-Agent`, or "". */
  ua: string;
  query: URLSearchParams;
}

export interface SocketRoute {
  path: string;
  /** Called once origin and token are known to be valid. */
  accept(client: SocketClient): StartSocket;
}

/**
 * One part of the service: its routes, sockets, reports and lifecycle. `app.ts` lists the slices. A
 * part that is absent is a slice too (`noCreationSlice`), whose paths exist and refuse.
 */
export interface Slice {
  readonly name: string;
  /** Behind the check of the origin, and of the token where the endpoint has a scope. */
  readonly routes?: Handlers;
  /** Runs before the checks of `routes`: a part that is off judges no request. */
  readonly before?: MiddlewareHandler;
  readonly sockets?: readonly SocketRoute[];
  /** Merged into `_info.capabilities` of each reply. */
  capabilities?(): Partial<Capabilities>;
  /** Merged into each reply of `_info`. */
  info?(): Partial<Info>;
  /** Not awaited: the port opens meanwhile. What it throws is logged. */
  start?(): void | Promise<void>;
  /** After the port has closed and `start` has ended. */
  stop?(): Promise<void>;
  /** Live settings may have changed. */
  settingsChanged?(): void;
}

/** The lifecycle of the slices: the failure of one is logged and leaves the others alone. */
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

  /** Never rejects. */
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
