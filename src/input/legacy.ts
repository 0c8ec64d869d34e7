import { fingerprints } from "../detect/fingerprint.ts";
import { AppError } from "../errors.ts";
import { KeyedLock } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import type {
  BroadcastReply,
  BroadcastRequest,
  Expected,
  KeyRequest,
  SelectRequest,
  TextRequest,
} from "../protocol/input.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { InputStep, ListedPane, TerminalProvider } from "../terminal/provider.ts";
import { choose, typeGuarded, typePlain } from "./answer.ts";
import { Answered, isAnswer } from "./answered.ts";
import { Delivery, type Accept, type DeliveryDeps } from "./delivery.ts";
import { differenceForEnter, differenceOf } from "./expected.ts";
import { requireAllowedKey, requireLiteral } from "./literal.ts";
import { contractSteps } from "./plan.ts";
import { refused } from "./refused.ts";

const MAX_BROADCAST_IDS = 200;
/** Panes that a broadcast serves at the same time: a slow one does not hold the others. */
const BROADCAST_WIDTH = 8;

export interface LegacyInputDeps extends DeliveryDeps {
  provider: Pick<TerminalProvider, "capabilities" | "isPaneId" | "send">;
  hub: {
    readonly current: { readonly panes: readonly PaneState[] };
    resolve(idOrTarget: string): ListedPane | null;
  };
  poller: DeliveryDeps["poller"] & { acted(id: string): void };
  log: Log;
  /** Monotonic milliseconds. */
  nowMs: () => number;
}

/** What an action needs to know of the pane whose turn it has. */
interface Turn {
  /** Whether a pass has listed the pane. */
  isListed: boolean;
  /** Accepts only when the prompt is not one that was answered just now. */
  ifOpen(accept: Accept): Accept;
  /** Remembers the prompt that this goes to as answered. */
  answers(send: () => Promise<unknown>): Promise<unknown>;
}

/**
 * Key, text, select and broadcast. Actions on one pane run one after another. With `expected`, and
 * for every answer of a known dialog, the pane is read again first and compared once more inside
 * the multiplexer; what differs is a `conflict`, and nothing is sent.
 */
export class LegacyInput {
  readonly #deps: LegacyInputDeps;
  readonly #lock = new KeyedLock();
  readonly #answered;
  #isStopping = false;

  constructor(deps: LegacyInputDeps) {
    this.#deps = deps;
    this.#answered = new Answered(deps.nowMs);
  }

  async key({ id, key, expected }: KeyRequest): Promise<void> {
    requireAllowedKey(key, this.#deps.provider.capabilities.keys);
    const { hub } = this.#deps;
    const published =
      hub.current.panes.find((pane) => pane.id === id || pane.target === id) ?? null;
    const steps: InputStep[] = [{ do: "key", key }];
    const accept =
      (wanted: Expected): Accept =>
      ({ prompt, state, finding }) => {
        // Published is what stood there before an overlay; one key, such as Escape, may close it.
        if (finding.keepsPrevious && state.legacy_guard)
          return differenceOf(wanted, state.legacy_guard);
        return key === "Enter"
          ? differenceForEnter(wanted, prompt, published)
          : differenceOf(wanted, fingerprints(prompt));
      };
    await this.#act(id, async (delivery, { ifOpen, answers }) => {
      if (!expected) return delivery.sendPlain(steps);
      if (!isAnswer(key)) return delivery.send(steps, accept(expected));
      return answers(() => delivery.send(steps, ifOpen(accept(expected))));
    });
  }

  async text({ id, text, enter, expected }: TextRequest): Promise<void> {
    requireLiteral(text);
    await this.#act(id, async (delivery, { ifOpen, answers }) => {
      if (!expected) return typePlain(delivery, { text, enter });
      const accept = ifOpen(({ prompt }) => differenceOf(expected, fingerprints(prompt)));
      await answers(() => typeGuarded(delivery, { text, enter }, accept));
    });
  }

  async select(request: SelectRequest): Promise<void> {
    requireLiteral(request.key);
    requireLiteral(request.text ?? "");
    await this.#act(request.id, async (delivery, { isListed, ifOpen, answers }) => {
      // An id that no pass has listed is the multiplexer's to refuse; words need the dialog's plan.
      if (!isListed && !request.expected && !request.text)
        return delivery.sendPlain(contractSteps("generic", request.key, false));
      await answers(() =>
        choose(delivery, request, request.expected ? ifOpen : (accept) => accept),
      );
    });
  }

  async broadcast({ ids, text, enter, skip_waiting }: BroadcastRequest): Promise<BroadcastReply> {
    if (ids.length > MAX_BROADCAST_IDS) throw refused(`at most ${MAX_BROADCAST_IDS} ids`);
    requireLiteral(text);
    const unique = this.#withoutRepeats(ids);
    const failures: (string | null)[] = unique.map(() => null);
    const queue = unique.entries();
    const serve = async () => {
      for (const [index, id] of queue)
        failures[index] = await this.#broadcastOne(id, text, enter, skip_waiting);
    };
    await Promise.all(Array.from({ length: BROADCAST_WIDTH }, serve));
    const errors = failures.flatMap((reason, index) =>
      reason === null ? [] : [`${unique[index]}: ${reason}`],
    );
    return { ok: true, sent: unique.length - errors.length, errors };
  }

  /** Lets what has begun end, and nothing else begin: half an answer would stay in its pane. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#lock.idle();
  }

  /** Resolves the id, waits for the pane's turn, acts, and has the pane looked at again. */
  async #act(
    idOrTarget: string,
    work: (delivery: Delivery, turn: Turn) => Promise<unknown>,
  ): Promise<void> {
    const { provider, poller, hub } = this.#deps;
    const pane = idOrTarget.startsWith("cfg:") ? null : hub.resolve(idOrTarget);
    if (!pane && !provider.isPaneId(idOrTarget))
      throw new AppError("not_found", "unknown pane", { reason: "unknown_pane" });
    if (provider.capabilities.input !== "legacy")
      throw new AppError("conflict", "guarded input required", {
        reason: "guarded_input_required",
      });
    const id = pane?.id ?? idOrTarget;
    await this.#lock.run(id, async () => {
      if (this.#isStopping) throw new AppError("unavailable", "the service stops");
      const delivery = new Delivery(this.#deps, id, pane);
      let isDone = false;
      try {
        await work(delivery, this.#turnOf(id, delivery, pane !== null));
        isDone = true;
      } finally {
        if (isDone || delivery.hasSent) poller.acted(id);
      }
    });
  }

  #turnOf(id: string, delivery: Delivery, isListed: boolean): Turn {
    return {
      isListed,
      ifOpen: (accept) => (now) => (this.#answered.isStill(id, now.prompt) ? "wait" : accept(now)),
      answers: (send) =>
        send().finally(() => {
          if (delivery.sentTo !== null) this.#answered.mark(id, delivery.sentTo);
        }),
    };
  }

  async #broadcastOne(
    id: string,
    text: string,
    enter: boolean,
    skipWaiting: boolean,
  ): Promise<string | null> {
    try {
      await this.#act(id, async (delivery) => {
        if (!skipWaiting) return typePlain(delivery, { text, enter });
        await typeGuarded(delivery, { text, enter }, (now) =>
          now.prompt || now.state.status === "needs_input" ? "prompt_changed" : null,
        );
      });
      return null;
    } catch (error) {
      if (error instanceof AppError) return reasonOf(error);
      this.#deps.log.error(`cannot broadcast to ${id}`, error);
      return "internal error";
    }
  }

  #withoutRepeats(ids: readonly string[]): string[] {
    const seen = new Map<string, string>();
    for (const id of ids) {
      const paneId = this.#deps.hub.resolve(id)?.id ?? id;
      if (!seen.has(paneId)) seen.set(paneId, id);
    }
    return [...seen.values()];
  }
}

function reasonOf(error: AppError): string {
  const { detail } = error;
  const hasReason = typeof detail === "object" && detail !== null && "reason" in detail;
  const reason = hasReason ? String(detail.reason) : error.message;
  return reason === "prompt_changed" ? "skipped, it waits at a prompt" : reason;
}
