import type { StartSocket, Wire } from "../lib/socket.ts";
import { CLOSE_BAD_TOKEN } from "../protocol/close.ts";
import type { Grant } from "../slice.ts";
import type { TokenCheck } from "./auth.ts";

/** The open sockets, each with what let it in. */
export class Admitted {
  readonly #tokens: Pick<TokenCheck, "holds">;
  readonly #open = new Map<Wire, Grant>();

  constructor(tokens: Pick<TokenCheck, "holds">) {
    this.#tokens = tokens;
  }

  watch(grant: Grant, start: StartSocket): StartSocket {
    return (wire) => {
      const session = start(wire);
      if (session === null) return null;
      this.#open.set(wire, grant);
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

  /** Closes every socket that would not be let in now. */
  recheck(): void {
    for (const [wire, grant] of [...this.#open])
      if (!this.#tokens.holds(grant)) wire.close(CLOSE_BAD_TOKEN, "signed out");
  }
}
