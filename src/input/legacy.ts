import { fingerprints } from "../detect/prompt.ts";
import { AppError, detailOf, isDoubtful } from "../errors.ts";
import { mapLimit } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import {
  type BroadcastReply,
  type BroadcastRequest,
  type ExpectedPrompt,
  GuardConflict,
  type KeyRequest,
  MAX_BROADCAST_IDS,
  type SelectRequest,
  type TextRequest,
} from "../protocol/input.ts";
import { TAKING_KEYS } from "../protocol/options.ts";
import type { InputStep, TerminalProvider } from "../terminal/provider.ts";
import { noSuchPane } from "../terminal/reading.ts";
import type { Action, ActionQueue } from "./action-queue.ts";
import { choose } from "./answer.ts";
import { readsCharacters, typeAttended, typeGuarded, typePlain } from "./typing.ts";
import { type Client, requireAnswer, type ScopedRequest } from "./client.ts";
import { differenceOf, focusDifference } from "./guard.ts";
import type { Accept, InputTarget, PaneTurn } from "./pane-turn.ts";
import {
  invalidInput,
  refusal,
  requireBounded,
  requireLegacy,
  requireLiteral,
} from "./refusals.ts";

/** Panes that a broadcast serves at the same time: a slow one does not delay the others. */
const BROADCAST_WIDTH = 8;
const ANSWERS: ReadonlySet<string> = new Set(["Enter", "Escape", "C-c", "C-d"]);
/** Any other key is several bytes. */
const ONE_BYTE = /^(?:C-[a-z]|BSpace|Enter|Escape|Space|Tab)$/;

interface LegacyInputDeps {
  provider: Pick<TerminalProvider, "capabilities" | "isPaneId">;
  queue: ActionQueue;
  log: Log;
}

/**
 * Key, text, select and broadcast. With `expected`, and for every answer to a recognised dialog, the
 * pane is read again and compared once more inside the multiplexer; a difference is a `conflict`.
 */
export class LegacyInput {
  readonly #deps: LegacyInputDeps;

  constructor(deps: LegacyInputDeps) {
    this.#deps = deps;
  }

  key(request: KeyRequest, client: Client): Promise<void> {
    const { key, expected } = request;
    const input = { label: key };
    return this.#act(request, { kind: "key", client, input }, { key }, () => {
      const logged = "key not allowed";
      if (!this.#deps.provider.capabilities.keys.includes(key))
        throw invalidInput("key_not_allowed", `${logged}: ${key.slice(0, 40)}`, { logged });
      const steps: InputStep[] = [{ do: "key", key }];
      return async (turn) => {
        if (!expected) return turn.sendPlain(steps);
        const takes = key === "Enter" || (expected.selected !== undefined && TAKING_KEYS.has(key));
        const asSeen = asExpected(expected, { takes, seesCovered: true });
        const accept: Accept = (now) => {
          if (ONE_BYTE.test(key) || !readsCharacters(now)) return asSeen(now);
          const logged = `its program reads single characters: ${key} would be several`;
          throw refusal("capability_unavailable", "capability_unavailable", { logged });
        };
        const send = () => turn.send(steps, accept);
        await (ANSWERS.has(key) ? turn.answer(send) : send());
      };
    });
  }

  text(request: TextRequest, client: Client): Promise<void> {
    const { text, enter, expected } = request;
    const act = { kind: "text", client, input: { text } } as const;
    return this.#act(request, act, { texts: [text] }, () => {
      requireLiteral(text);
      return async (turn) => {
        if (!expected) return typePlain(turn, { text, enter });
        // A program without bracketed paste reads a line break as Enter.
        const takes = enter || text.includes("\n");
        const accept = asExpected(expected, { takes, seesCovered: false });
        await turn.answer(() => typeAttended(turn, { text, enter }, accept));
      };
    });
  }

  select(request: SelectRequest, client: Client): Promise<void> {
    const { key, text, expected } = request;
    const act = { kind: "select", client, input: { option: key } } as const;
    return this.#act(request, act, { texts: [key, text] }, () => {
      requireLiteral(key);
      requireLiteral(text ?? "");
      return (turn) => turn.answer(() => choose(turn, request), { waits: expected !== undefined });
    });
  }

  broadcast(request: BroadcastRequest, client: Client): Promise<BroadcastReply> {
    const { ids, text, idempotency_key: key } = request;
    const act = { kind: "broadcast", client, input: { text }, key } as const;
    return this.#runOnce(request, "", act, async () => {
      if (ids.length > MAX_BROADCAST_IDS)
        throw invalidInput("too_many_panes", `at most ${MAX_BROADCAST_IDS} ids`);
      requireLiteral(text);
      // A pane may be named twice, by its id and by its target: the first name counts.
      const byPane = ids.map((id) => [this.#deps.queue.find(id)?.id ?? id, id] as const);
      const unique = [...new Map(byPane.toReversed()).values()].toReversed();
      const failures = await mapLimit(unique, BROADCAST_WIDTH, (id) =>
        this.#broadcastTo(id, request, act),
      );
      const errors = failures.flatMap((reason, at) =>
        reason === null ? [] : [`${unique[at]}: ${reason}`],
      );
      return { ok: true, sent: unique.length - errors.length, errors };
    });
  }

  /** @param check refuses what no pane takes, once the pane is known: its provider refuses first */
  async #act(
    request: (KeyRequest | TextRequest | SelectRequest) & { text?: string | undefined },
    facts: Action,
    scoped: Omit<ScopedRequest, "isForPrompt">,
    check: () => (turn: PaneTurn) => Promise<void>,
  ): Promise<void> {
    const { id, expected, idempotency_key: key } = request;
    // A null fingerprint means that no prompt was seen.
    const isForPrompt = typeof expected?.prompt_fingerprint === "string";
    requireAnswer(facts.client, { isForPrompt, ...scoped });
    const act = { ...facts, key };
    await this.#runOnce(request, id, act, async () => {
      await this.#deps.queue.run(this.#resolve(id), act, check());
    });
  }

  async #runOnce<T>(
    request: { idempotency_key?: string | undefined; text?: string | undefined },
    id: string,
    act: Action,
    work: () => Promise<T>,
  ): Promise<T> {
    // Before the key is reserved: a request that no pane takes must fill no entry.
    requireBounded(request.text ?? "");
    const { idempotency_key: _, ...body } = request;
    return this.#deps.queue
      .runOnce(id, act, { operation: act.kind, ...body }, work)
      .catch((error: unknown) => {
        throw this.#withPane(error, id);
      });
  }

  /** Stored refusals have no pane: a repeat is told the pane as it is now. */
  #withPane(error: unknown, id: string): unknown {
    if (!(error instanceof AppError) || error.kind !== "conflict") return error;
    const detail = detailOf(error);
    const isOfPane = GuardConflict.shape.reason.safeParse(detail["reason"]).success;
    const isWithout = isOfPane && !("current" in detail);
    const current = isWithout ? this.#deps.queue.publishedState(id) : null;
    return current ? new AppError(error.kind, error.message, { ...detail, current }) : error;
  }

  #resolve(idOrTarget: string): InputTarget {
    const { provider, queue } = this.#deps;
    const listed = queue.find(idOrTarget);
    if (!listed && !provider.isPaneId(idOrTarget)) throw noSuchPane(idOrTarget);
    const { input } = listed?.capabilities ?? provider.capabilities;
    requireLegacy(input, "guarded_input_required");
    return { id: listed?.id ?? idOrTarget, listed };
  }

  /** Why nothing was sent; null: it was sent. */
  async #broadcastTo(
    id: string,
    { text, enter, skip_waiting }: BroadcastRequest,
    act: Action,
  ): Promise<string | null> {
    try {
      await this.#deps.queue.run(this.#resolve(id), act, async (turn) => {
        if (!skip_waiting) return typePlain(turn, { text, enter });
        await typeGuarded(turn, { text, enter }, (now) =>
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
}

/**
 * @param takes whether the input takes the focused option, as Enter does
 * @param seesCovered compares the published dialog below an overlay, which a key may close
 */
function asExpected(
  wanted: ExpectedPrompt,
  { takes, seesCovered }: { takes: boolean; seesCovered: boolean },
): Accept {
  return ({ prompt, state, finding }) => {
    const covered = seesCovered && finding.keepsPrevious ? state.legacy_guard : null;
    const guard = covered ?? fingerprints(prompt);
    const menu = covered ? state.menu : (prompt?.options ?? []);
    const difference = differenceOf(wanted, guard);
    return difference ?? (takes ? focusDifference(wanted, guard, menu.length > 0) : null);
  };
}

function reasonOf(error: AppError): string {
  const detail = detailOf(error);
  // A program knows the code; it cannot read a sentence that says that the text may have arrived.
  const reason = String(isDoubtful(error) ? detail["code"] : (detail["reason"] ?? error.message));
  return reason === "prompt_changed" ? "skipped, it waits at a prompt" : reason;
}
