import { AppError, type ErrorKind } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { isFromHere } from "../lib/loopback.ts";
import { closeAtOnce, type StartSocket } from "../lib/socket.ts";
import { CLOSE_BAD_TOKEN } from "../protocol/close.ts";
import type { Grant, RequestFacts, SocketRoute } from "../slice.ts";
import type { Admitted } from "./admitted.ts";
import { requireSameUser, type TokenCheck } from "./auth.ts";
import { errorReply, logRefusal, requestName } from "./errors.ts";
import { type OriginRules, requireOwnOrigin } from "./origin.ts";

export interface UpgradeDeps {
  origins: () => OriginRules;
  tokens: TokenCheck;
  admitted: Admitted;
  sockets: readonly SocketRoute[];
  log: Log;
}

/** Rate-limited guesses included: a refused upgrade looks like a lost network to a browser. */
const BAD_TOKEN: ReadonlySet<ErrorKind> = new Set(["unauthorized", "too_many"]);

/**
 * Decides on a request for an upgrade: how to begin the socket, a refusal, or null when it is no
 * socket's path. Same order as for requests: origin, token, then the socket itself.
 */
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
  const ticket = { grant, isFromHere: isFromHere(request.headers) };
  return deps.admitted.watch(
    ticket,
    route.accept({ grant, ip: peer, ua, query: url.searchParams }),
  );
}
