import type { StartSocket, Wire } from "../lib/socket.ts";
import { CLOSE_BAD_TOKEN, CLOSE_TRY_AGAIN } from "../protocol/close.ts";
import { INVITES } from "../protocol/invite.ts";
import type { Grant } from "../slice.ts";
import type { TokenCheck } from "./auth.ts";

export interface AdmittedDeps {
  tokens: Pick<TokenCheck, "current">;
  /** A code that signs in, once. */
  invite: () => string;
}

/** What let a socket in. */
interface Ticket {
  grant: Grant;
  /** It came from a page of this machine. */
  isFromHere: boolean;
}

/** The open sockets, each with what let it in. */
export class Admitted {
  readonly #deps: AdmittedDeps;
  readonly #open = new Map<Wire, Ticket>();

  constructor(deps: AdmittedDeps) {
    this.#deps = deps;
  }

  /** How many sockets a grant has open. */
  count(id: string): number {
    return [...this.#open.values()].filter(({ grant }) => grant.id === id).length;
  }

  watch(ticket: Ticket, start: StartSocket): StartSocket {
    return (wire) => {
      const session = start(wire);
      if (session === null) return null;
      this.#open.set(wire, ticket);
      return {
        receive: (message) => session.receive(message),
        answered: () => session.answered(),
        drained: () => session.drained(),
        closed: () => {
          this.#open.delete(wire);
          session.closed();
        },
      };
    };
  }

  /**
   * Closes every socket that would not be let in now as it was then. A page of this machine that nobody had
   * to ask for a token could do everything until this moment: it may sign in again with one tap.
   */
  recheck(): void {
    const { tokens, invite } = this.#deps;
    for (const [wire, { grant, isFromHere }] of [...this.#open]) {
      const now = tokens.current(grant);
      if (now?.scope === grant.scope) continue;
      if (now) {
        // It comes back as what it is now.
        wire.close(CLOSE_TRY_AGAIN, "what it may do has changed");
        continue;
      }
      const isInvited = grant.id === "anybody" && isFromHere;
      wire.close(CLOSE_BAD_TOKEN, isInvited ? `${INVITES}${invite()}` : "signed out");
    }
  }
}
