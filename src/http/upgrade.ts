import { AppError, type ErrorKind } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { isFromHere } from "../lib/address.ts";
import {
  closeAtOnce,
  type Grant,
  type RequestFacts,
  type SocketRoute,
  type StartSocket,
  type RawSocket,
} from "../slice.ts";
import { CLOSE_BAD_TOKEN, CLOSE_TRY_AGAIN, PAIR_REASON_PREFIX } from "../protocol/socket.ts";
import { requireSameUser, type TokenCheck } from "./auth.ts";
import { errorReply, logRefusal, requestName } from "./errors.ts";
import { type OriginRules, requireOwnOrigin } from "./origin.ts";

interface UpgradeDeps {
  origins: () => OriginRules;
  tokens: TokenCheck;
  openSockets: OpenSockets;
  sockets: readonly SocketRoute[];
  log: Log;
}

/** Closed after acceptance: a refused upgrade looks like a lost network to a browser. */
const BAD_TOKEN: ReadonlySet<ErrorKind> = new Set(["unauthorized", "too_many"]);

/** In the order of requests: origin, token, then the socket itself. Null for a path of no socket. */
export function socketFor(
  request: Request,
  { peer, isOtherUser }: RequestFacts,
  deps: UpgradeDeps,
): StartSocket | Response | null {
  const url = new URL(request.url);
  const route = deps.sockets.find(({ path }) => path === url.pathname);
  if (!route || request.headers.get("upgrade")?.toLowerCase() !== "websocket") return null;
  let grant: Grant;
  try {
    requireOwnOrigin(request.headers, deps.origins());
    grant = deps.tokens.require(url.searchParams.get("token"), peer);
    requireSameUser(grant, isOtherUser);
  } catch (error) {
    const what = requestName("upgrade", url.pathname, peer);
    if (!(error instanceof AppError) || !BAD_TOKEN.has(error.kind))
      return errorReply(error, what, deps.log);
    logRefusal(error, what, deps.log);
    return closeAtOnce(CLOSE_BAD_TOKEN, error.message);
  }
  const ua = request.headers.get("user-agent") ?? "";
  const ticket = { grant, path: route.path, isFromHere: isFromHere(request.headers) };
  return deps.openSockets.watch(
    ticket,
    route.accept({ grant, ip: peer, ua, query: url.searchParams }),
  );
}

interface OpenSocketsDeps {
  tokens: Pick<TokenCheck, "current">;
  /** A code that signs in once. */
  invite: () => string;
}

interface Ticket {
  grant: Grant;
  path: string;
  /** It came from a page of this machine. */
  isFromHere: boolean;
}

export class OpenSockets {
  readonly #deps: OpenSocketsDeps;
  readonly #open = new Map<RawSocket, Ticket>();

  constructor(deps: OpenSocketsDeps) {
    this.#deps = deps;
  }

  count(id: string): number {
    return [...this.#open.values()].filter(({ grant }) => grant.id === id).length;
  }

  areOpen(path: string): boolean {
    return [...this.#open.values()].some((ticket) => ticket.path === path);
  }

  watch(ticket: Ticket, start: StartSocket): StartSocket {
    return (rawSocket) => {
      const session = start(rawSocket);
      if (session === null) return null;
      this.#open.set(rawSocket, ticket);
      return {
        receive: (message) => session.receive(message),
        answered: () => session.answered(),
        drained: () => session.drained(),
        closed: () => {
          this.#open.delete(rawSocket);
          session.closed();
        },
      };
    };
  }

  /**
   * Closes every socket whose grant has changed. A page of this machine that needed no token could
   * do everything until now, so it gets a code to sign in again with one tap.
   */
  recheck(): void {
    const { tokens, invite } = this.#deps;
    for (const [rawSocket, { grant, isFromHere }] of [...this.#open]) {
      const now = tokens.current(grant);
      if (now?.scope === grant.scope) continue;
      if (now) {
        // It connects again, with its new scope.
        rawSocket.close(CLOSE_TRY_AGAIN, "what it may do has changed");
        continue;
      }
      const isInvited = grant.id === "anybody" && isFromHere;
      rawSocket.close(
        CLOSE_BAD_TOKEN,
        isInvited ? `${PAIR_REASON_PREFIX}${invite()}` : "signed out",
      );
    }
  }
}
