import { AppError } from "../errors.ts";
import { KeyedLock } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import type { ListedPane } from "../terminal/provider.ts";
import type { Client } from "./client.ts";
import { Hold } from "./hold.ts";
import { Slot, type Target, type SlotDeps } from "./slot.ts";

export interface ActionQueueDeps extends Omit<SlotDeps, "hold"> {
  hub: { resolve(idOrTarget: string): ListedPane | null };
  poller: SlotDeps["poller"] & { acted(id: string): void };
  log: Pick<Log, "info">;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

/** What the log says of an action: who did what, never the text. */
export interface Action {
  kind: "key" | "text" | "select" | "broadcast" | "message" | "decision" | "continue" | "stop";
  client: Client;
}

/** Actions of every kind; at one pane they run one after another. */
export class ActionQueue {
  readonly #deps: ActionQueueDeps;
  readonly #hold: Hold;
  readonly #lock = new KeyedLock();
  #isStopping = false;

  constructor(deps: ActionQueueDeps) {
    this.#deps = deps;
    this.#hold = new Hold(deps.nowMs);
  }

  /** The listed pane with this id or target, hidden panes included; null for a placeholder. */
  find(idOrTarget: string): ListedPane | null {
    return idOrTarget.startsWith("cfg:") ? null : this.#deps.hub.resolve(idOrTarget);
  }

  /**
   * Runs `work` once the actions before it at this pane have ended. If anything reached the pane, it
   * is stamped and polled again. Each action is one line in the log, whether sent or refused.
   */
  async run<T>(target: Target, action: Action, work: (slot: Slot) => Promise<T>): Promise<T> {
    return this.#lock.run(target.id, async () => {
      if (this.#isStopping) throw stopping();
      const slot = new Slot({ ...this.#deps, hold: this.#hold }, target);
      try {
        const result = await work(slot);
        this.#note(target, action, slot.hasSent ? "sent" : "nothing to send");
        return result;
      } catch (error) {
        const cause = causeOf(error);
        this.#note(target, action, slot.hasSent ? `sent in part: ${cause}` : `refused: ${cause}`);
        throw error;
      } finally {
        if (slot.hasSent) this.#deps.poller.acted(target.id);
      }
    });
  }

  /** Lets running actions end and refuses queued ones: half an answer would stay in its pane. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#lock.idle();
  }

  #note({ id, listed }: Target, { kind, client }: Action, outcome: string): void {
    const name = listed ? nameOf(listed) : id;
    const who = `${client.sid ?? "no session"} at ${client.address}`;
    const said = name.startsWith(id) ? outcome : outcome.replaceAll(id, name);
    this.#deps.log.info(`action: ${kind} for ${name} by ${who}: ${said}`);
  }
}

// The id where the multiplexer shows it to people as well, else the target: a handle is no help.
function nameOf({ id, target, hierarchy }: ListedPane): string {
  if (hierarchy.some((node) => node.id === id)) return `${id} ${JSON.stringify(target)}`;
  return JSON.stringify(hierarchy.map(({ label }) => label).join(" › "));
}

function stopping(): AppError {
  const message = "the service stops";
  return new AppError("unavailable", message, { reason: message, code: "stopping" });
}

// Error messages name panes and reasons; none of them quotes what a person typed.
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { cause, message } = error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
