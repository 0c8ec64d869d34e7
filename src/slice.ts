import type { Hono } from "hono";
import type { Arriving } from "./lib/valid.ts";
import type { StartSocket } from "./lib/socket.ts";
import type { Capabilities, Info, TokenAccess } from "./protocol/config.ts";

/** What let somebody in, and what they may do. */
export interface Grant {
  /** `local`: a command of this machine's user. `anybody`: nobody is asked for a token. */
  readonly who: "token" | "local" | "phone" | "anybody";
  readonly access: TokenAccess;
  /** Of the secret that was sent; null for anybody. */
  readonly digest: Buffer | null;
}

/** What the server knows of a request beside the request itself: a handler's `c.env`. */
export interface RequestFacts extends Arriving {
  /** Address that it came from. */
  peer: string;
  /** What let it in; set once its token is known to be good. */
  grant?: Grant;
  /** To be called once its token is known to be good. */
  trusted?(): void;
}

/** Absolute paths (`/api/…`) with their methods. */
export type Routes = Hono<{ Bindings: RequestFacts }>;

/** Who asks for a socket. */
export interface SocketClient {
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
 * `parts.ts` lists the slices; mounting, `_info`, wrong methods and lifecycle are folds over that
 * list. A part that is absent is a slice as well (`noCreationSlice`): its paths exist and refuse.
 */
export interface Slice {
  readonly name: string;
  /** Behind the checks of origin and token. A path is declared here and nowhere else. */
  readonly routes?: Routes;
  /** Behind the check of the origin only: for those who have no token yet. */
  readonly openRoutes?: Routes;
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
