import { fingerprints } from "../detect/fingerprint.ts";
import type { PromptOption } from "../detect/finding.ts";
import { AppError } from "../errors.ts";
import { KeyedLock } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import type {
  BroadcastReply,
  BroadcastRequest,
  KeyRequest,
  SelectRequest,
  TextRequest,
} from "../protocol/input.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { InputStep, ListedPane, TerminalProvider } from "../terminal/provider.ts";
import { Delivery, type Accept, type DeliveryDeps, type Reading } from "./delivery.ts";
import { differenceForEnter, differenceOf, isEcho } from "./expected.ts";
import { requireAllowedKey, requireLiteral, textSteps } from "./literal.ts";
import { contractSteps, movesOf, TEXT_PAUSE_MS } from "./plan.ts";

const MAX_BROADCAST_IDS = 200;
/** Panes that a broadcast serves at the same time: a slow one does not hold the others. */
const BROADCAST_WIDTH = 8;

const ENTER: InputStep = { do: "key", key: "Enter" };

export interface LegacyInputDeps extends DeliveryDeps {
  provider: Pick<TerminalProvider, "capabilities" | "isPaneId" | "send">;
  hub: {
    readonly current: { readonly panes: readonly PaneState[] };
    resolve(idOrTarget: string): ListedPane | null;
  };
  poller: DeliveryDeps["poller"] & { acted(id: string): void };
  log: Log;
}

/**
 * Key, text, select and broadcast. Actions on one pane run one after another. With `expected`, and
 * for every answer of a known dialog, the pane is read again first and compared once more inside
 * the multiplexer; what differs is a `conflict`, and nothing is sent.
 */
export class LegacyInput {
  readonly #deps: LegacyInputDeps;
  readonly #lock = new KeyedLock();

  constructor(deps: LegacyInputDeps) {
    this.#deps = deps;
  }

  async key({ id, key, expected }: KeyRequest): Promise<void> {
    requireAllowedKey(key, this.#deps.provider.capabilities.keys);
    const { hub } = this.#deps;
    const published =
      hub.current.panes.find((pane) => pane.id === id || pane.target === id) ?? null;
    const steps: InputStep[] = [{ do: "key", key }];
    await this.#act(id, async (delivery, paneId) => {
      if (!expected) return this.#sendPlain(paneId, steps);
      await delivery.send(steps, ({ prompt, state, finding }) => {
        // Published is what stood there before an overlay; one key, such as Escape, may close it.
        if (finding.keepsPrevious && state.legacy_guard)
          return differenceOf(expected, state.legacy_guard);
        return key === "Enter"
          ? differenceForEnter(expected, prompt, published)
          : differenceOf(expected, fingerprints(prompt));
      });
    });
  }

  async text({ id, text, enter, expected }: TextRequest): Promise<void> {
    requireLiteral(text);
    await this.#act(id, async (delivery, paneId) => {
      if (!expected) return this.#type(paneId, text, enter);
      await this.#typeGuarded(delivery, text, enter, ({ prompt }) =>
        differenceOf(expected, fingerprints(prompt)),
      );
    });
  }

  async select(request: SelectRequest): Promise<void> {
    requireLiteral(request.key);
    requireLiteral(request.text ?? "");
    await this.#act(request.id, async (delivery, paneId, isListed) => {
      // An id that no pass has listed is the multiplexer's to refuse.
      if (!isListed && !request.expected)
        return this.#sendPlain(paneId, contractSteps("generic", request.key, false));
      await this.#choose(delivery, paneId, request);
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

  /** Resolves the id, waits for the pane's turn, acts, and has the pane looked at again. */
  async #act(
    idOrTarget: string,
    work: (delivery: Delivery, paneId: string, isListed: boolean) => Promise<unknown>,
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
      const delivery = new Delivery(this.#deps, id);
      let isDone = false;
      try {
        await work(delivery, id, pane !== null);
        isDone = true;
      } finally {
        if (isDone || delivery.hasSent) poller.acted(id);
      }
    });
  }

  async #sendPlain(id: string, steps: readonly InputStep[]): Promise<void> {
    await this.#deps.provider.send(id, steps, null);
  }

  async #type(id: string, text: string, enter: boolean): Promise<void> {
    if (text !== "") await this.#sendPlain(id, textSteps(text));
    if (text !== "" && enter) await this.#deps.pause(TEXT_PAUSE_MS);
    if (enter) await this.#sendPlain(id, [ENTER]);
  }

  async #typeGuarded(
    delivery: Delivery,
    text: string,
    enter: boolean,
    accept: Accept,
  ): Promise<void> {
    const first = await delivery.require(accept);
    const steps = textSteps(text);
    // A line prompt shows the text behind its question: it could not be known again before Enter.
    const isLinePrompt = first.prompt !== null && !first.prompt.recognised;
    if (!enter || isLinePrompt || text === "") {
      await delivery.send(enter ? [...steps, ENTER] : steps, accept);
      return;
    }
    await delivery.send(steps, accept);
    await this.#deps.pause(TEXT_PAUSE_MS);
    // A dialog that has appeared meanwhile must not be answered by this Enter.
    await delivery.send([ENTER], ({ prompt }) => {
      if (prompt && isEcho(prompt, text)) return null;
      return this.#isSamePrompt(first, prompt) ? null : "prompt_changed";
    });
  }

  async #choose(
    delivery: Delivery,
    paneId: string,
    { key, text, expected }: SelectRequest,
  ): Promise<void> {
    const first = await delivery.require((now) => {
      if (!expected) return null;
      // Under an overlay the dialog is not there to be answered.
      if (now.finding.keepsPrevious) return "prompt_changed";
      return differenceOf(expected, fingerprints(now.prompt));
    });
    const seen = first.finding.keepsPrevious ? null : first.prompt;
    const option = seen?.options.find((candidate) => candidate.key === key) ?? null;
    const isTold = text !== undefined && text !== "";
    if (!seen?.recognised && !(isTold && option?.answerWithText)) {
      if (isTold) throw refused(`this prompt takes no text with ${key}`);
      const steps = contractSteps(first.state.kind, key, option?.freeform ?? false);
      if (!expected) return this.#sendPlain(paneId, steps);
      await delivery.send(steps, ({ prompt }) => differenceOf(expected, fingerprints(prompt)));
      return;
    }
    if (!option) throw refused(`not an option of this prompt: ${key.slice(0, 100)}`);
    const plan = isTold ? option.answerWithText : option.answer;
    if (plan === null) throw refused(`option ${key} takes no text`);
    if (plan.length === 0) throw refused(`option ${key} cannot be chosen safely from here`);
    await this.#follow(delivery, first, option, movesOf(plan, text ?? ""));
  }

  /** Takes each turn of a plan only while the dialog is still the one that it was made for. */
  async #follow(
    delivery: Delivery,
    first: Reading,
    option: PromptOption,
    moves: ReturnType<typeof movesOf>,
  ): Promise<void> {
    const whole = fingerprints(first.prompt);
    let mustBeFocused = false;
    const accept: Accept = (now) => {
      if (now.finding.keepsPrevious) return "prompt_changed";
      // A program may be drawing; another dialog in its place is an answer.
      if (now.prompt === null && delivery.hasSent) return "wait";
      if (!delivery.hasSent) {
        const difference = differenceOf(whole, fingerprints(now.prompt));
        if (difference) return difference;
      } else if (!this.#isSamePrompt(first, now.prompt)) return "prompt_changed";
      const focused = now.prompt?.options.find((candidate) => candidate.selected);
      return mustBeFocused && focused?.key !== option.key ? "wait" : null;
    };
    for (const move of moves) {
      if (move.do === "pause") await this.#deps.pause(move.ms);
      if (move.do === "send") await delivery.send(move.steps, accept);
      if (move.do === "focus") {
        mustBeFocused = true;
        await delivery.require(accept);
      }
    }
  }

  // The options change while a dialog is answered (focus, ticks, typed text); the question stays.
  #isSamePrompt(first: Reading, prompt: Reading["prompt"]): boolean {
    return (
      fingerprints(first.prompt).prompt_fingerprint === fingerprints(prompt).prompt_fingerprint
    );
  }

  async #broadcastOne(
    id: string,
    text: string,
    enter: boolean,
    skipWaiting: boolean,
  ): Promise<string | null> {
    try {
      await this.#act(id, async (delivery, paneId) => {
        if (!skipWaiting) return this.#type(paneId, text, enter);
        await this.#typeGuarded(delivery, text, enter, (now) =>
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

function refused(reason: string): AppError {
  return new AppError("invalid", reason, { reason });
}
