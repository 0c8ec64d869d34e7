import type { ActFacts, Ledger } from "../ledger/ledger.ts";
import { KeyedLock } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { ListedPane } from "../terminal/provider.ts";
import type { Client } from "./client.ts";
import { AnsweredPrompts, type InputTarget, PaneTurn, type PaneTurnDeps } from "./pane-turn.ts";
import { refusal, partialRefusal } from "./refusals.ts";

interface ActionQueueDeps extends Pick<PaneTurnDeps, "noteChoice" | "pause"> {
  machines: {
    of(id: string): {
      provider: PaneTurnDeps["provider"];
      poller: PaneTurnDeps["poller"] & { noteAction(id: string): void };
    };
  };
  hub: {
    resolve(idOrTarget: string): ListedPane | null;
    readonly current: { readonly panes: readonly PaneState[] };
  };
  ledger: Pick<Ledger, "act" | "runOnce">;
  log: Pick<Log, "info">;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

export interface Action extends Pick<ActFacts, "kind" | "input" | "key"> {
  client: Client;
}

/** Their senders read the screen until the input line has taken the text. */
const CONFIRMED_BY_SENDER: ReadonlySet<Action["kind"]> = new Set([
  "message",
  "continue",
  "first_message",
]);

/** Runs what is sent to panes: once for each request, and at each pane one action after another. */
export class ActionQueue {
  readonly #deps: ActionQueueDeps;
  readonly #answeredPrompts: AnsweredPrompts;
  readonly #lock = new KeyedLock();
  #isStopping = false;

  constructor(deps: ActionQueueDeps) {
    this.#deps = deps;
    this.#answeredPrompts = new AnsweredPrompts(deps.nowMs);
  }

  /**
   * A listed pane, hidden ones included. Null for a placeholder: `cfg:work:1.0` is always one, never
   * a pane of a machine named `cfg`; `cfg:1.0` may be a pane of a session of that name.
   */
  find(idOrTarget: string): ListedPane | null {
    const { hub } = this.#deps;
    if (!idOrTarget.startsWith("cfg:")) return hub.resolve(idOrTarget);
    const isShown = hub.current.panes.some(({ id }) => id === idOrTarget);
    return isShown || idOrTarget.split(":").length > 2 ? null : hub.resolve(idOrTarget);
  }

  publishedState(idOrTarget: string): PaneState | null {
    const { panes } = this.#deps.hub.current;
    const id = this.find(idOrTarget)?.id ?? idOrTarget;
    // A placeholder is not listed, and keeps the target of its pane.
    return (
      panes.find((pane) => pane.id === id) ?? panes.find(({ target }) => target === id) ?? null
    );
  }

  /** As `Ledger.runOnce`. @param id as the request names the pane @param body the whole request */
  runOnce<T>(id: string, act: Action, body: unknown, work: () => Promise<T>): Promise<T> {
    const { kind, input, key, client } = act;
    return this.#deps.ledger.runOnce(key, body, work, { kind, input, by: client.by, id });
  }

  /** Waits for the earlier actions at this pane. Each is one line of the log, sent or refused. */
  async run<T>(
    target: InputTarget,
    action: Action,
    work: (turn: PaneTurn) => Promise<T>,
  ): Promise<T> {
    return this.#lock.run(target.id, async () => {
      if (this.#isStopping) throw refusal("stopping", "the service stops", { kind: "unavailable" });
      const { kind, input, key, client } = action;
      const { id, listed } = target;
      const place = { id, target: listed?.target ?? "", identity: listed?.identity ?? null };
      const act = this.#deps.ledger.act({ kind, input, key, by: client.by, ...place });
      const publishedState = () => this.publishedState(id);
      const { provider, poller } = this.#deps.machines.of(id);
      const turn = new PaneTurn(
        {
          ...this.#deps,
          provider,
          poller,
          answeredPrompts: this.#answeredPrompts,
          act,
          publishedState,
        },
        target,
      );
      try {
        const result = await work(turn);
        act.end(CONFIRMED_BY_SENDER.has(kind) ? "confirmed" : "sent");
        this.#note(target, action, turn.hasSent ? "sent" : "nothing to send");
        return result;
      } catch (failure) {
        const error = turn.hasSent ? partialRefusal(failure) : failure;
        act.failed(error, turn.hasSent);
        const outcome = turn.hasSent ? "may have arrived" : "refused";
        this.#note(target, action, `${outcome}: ${causeOf(error)}`);
        throw error;
      } finally {
        if (turn.hasSent) poller.noteAction(id);
      }
    });
  }

  /** Refuses queued actions and waits for running ones: half an answer would stay in its pane. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#lock.idle();
  }

  #note({ id, listed }: InputTarget, { kind, client }: Action, outcome: string): void {
    const name = listed ? nameOf(listed) : id;
    const named = name.startsWith(id) ? outcome : outcome.replaceAll(id, name);
    this.#deps.log.info(`action: ${kind} for ${name} by ${client.name}: ${named}`);
  }
}

// A provider's handle tells a person nothing: where no id is shown to people, the path is named.
function nameOf({ id, target, hierarchy }: ListedPane): string {
  if (hierarchy.some((node) => node.id === id)) return `${id} ${JSON.stringify(target)}`;
  return JSON.stringify(hierarchy.map(({ label }) => label).join(" › "));
}

// Error messages name panes and reasons; none of them quotes what a person typed.
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { cause, message } = error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
