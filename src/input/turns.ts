import { AppError } from "../errors.ts";
import { KeyedLock } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import type { ListedPane } from "../terminal/provider.ts";
import type { Client } from "./client.ts";
import { Hold } from "./hold.ts";
import { Turn, type Target, type TurnDeps } from "./turn.ts";

export interface TurnsDeps extends Omit<TurnDeps, "hold"> {
  hub: { resolve(idOrTarget: string): ListedPane | null };
  poller: TurnDeps["poller"] & { acted(id: string): void };
  log: Pick<Log, "info">;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

/** Who does what; never what is written. */
export interface Action {
  kind: "key" | "text" | "select" | "broadcast" | "message" | "decision";
  client: Client;
}

/** Actions of every kind, each alone with its pane. */
export class Turns {
  readonly #deps: TurnsDeps;
  readonly #hold: Hold;
  readonly #lock = new KeyedLock();
  #isStopping = false;

  constructor(deps: TurnsDeps) {
    this.#deps = deps;
    this.#hold = new Hold(deps.nowMs);
  }

  /** The listed pane that has this id or target, also one that is hidden; placeholders are none. */
  find(idOrTarget: string): ListedPane | null {
    return idOrTarget.startsWith("cfg:") ? null : this.#deps.hub.resolve(idOrTarget);
  }

  /**
   * Waits for the pane's turn, acts, and has the pane stamped and looked at again if anything
   * reached it. Each action that did is one line in the log, and so is each that was refused.
   */
  async at<T>(target: Target, action: Action, work: (turn: Turn) => Promise<T>): Promise<T> {
    return this.#lock.run(target.id, async () => {
      if (this.#isStopping) throw stopping();
      const turn = new Turn({ ...this.#deps, hold: this.#hold }, target);
      try {
        const result = await work(turn);
        this.#note(target, action, turn.hasSent ? "sent" : "nothing to send");
        return result;
      } catch (error) {
        const cause = causeOf(error);
        this.#note(target, action, turn.hasSent ? `sent in part: ${cause}` : `refused: ${cause}`);
        throw error;
      } finally {
        if (turn.hasSent) this.#deps.poller.acted(target.id);
      }
    });
  }

  /** Lets what has begun end, and nothing else begin: half an answer would stay in its pane. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#lock.idle();
  }

  #note({ id, listed }: Target, { kind, client }: Action, outcome: string): void {
    const pane = listed ? `${id} ${JSON.stringify(listed.target)}` : id;
    const who = `${client.sid ?? "no session"} at ${client.address}`;
    this.#deps.log.info(`action: ${kind} for ${pane} by ${who}: ${outcome}`);
  }
}

function stopping(): AppError {
  const message = "the service stops";
  return new AppError("unavailable", message, { reason: message, code: "stopping" });
}

// Messages name panes and reasons. What a person typed is in none of them.
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { cause, message } = error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
