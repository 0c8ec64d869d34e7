import { AppError } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { CLOSE_BAD_TOKEN, CLOSE_TRY_AGAIN } from "../protocol/close.ts";
import type { TokenCheck } from "./auth.ts";
import { errorReply } from "./errors.ts";
import { type OriginRules, requireOwnOrigin } from "./origin.ts";
import type { PaneSockets } from "./pane-sockets.ts";
import { closeAtOnce, type StartSocket } from "./socket.ts";

export interface DoorDeps {
  origins: OriginRules;
  tokens: TokenCheck;
  paneSockets: PaneSockets;
  log: Log;
}

/**
 * Decides on a request for an upgrade: how to begin the socket, a refusal, or null when it is no
 * socket's path. Same order as for requests: origin, token, then the socket itself.
 */
export function socketFor(
  request: Request,
  peer: string,
  deps: DoorDeps,
): StartSocket | Response | null {
  const url = new URL(request.url);
  if (url.pathname !== "/ws" && url.pathname !== "/ws/agents") return null;
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") return null;
  try {
    requireOwnOrigin(request.headers, deps.origins);
    deps.tokens.require(url.searchParams.get("token"), peer);
  } catch (error) {
    if (error instanceof AppError && error.kind === "unauthorized")
      return closeAtOnce(CLOSE_BAD_TOKEN, error.message);
    return errorReply(error, `upgrade of ${url.pathname}`, deps.log);
  }
  if (url.pathname === "/ws/agents")
    return closeAtOnce(CLOSE_TRY_AGAIN, "agent context is disabled");
  return deps.paneSockets.accept({
    ip: peer,
    ua: request.headers.get("user-agent") ?? "",
    wantsDeltas: url.searchParams.get("mode") === "delta",
  });
}
