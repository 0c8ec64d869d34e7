import { AppError } from "../errors.ts";
import { enterPauseMs } from "../detect/agents.ts";
import { holdsText } from "../detect/composer.ts";
import type { Said } from "../ledger/label.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ProviderHealth } from "../protocol/config.ts";
import { InputConflict, type InputReply, type InputRequest } from "../protocol/input.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { InputStep, TerminalProvider } from "../terminal/provider.ts";
import type { Reading } from "../terminal/reading.ts";
import { aloneIn, draftThere, follow, isSamePrompt, submittable } from "./answer.ts";
import { type Client, NOBODY } from "./client.ts";
import { requireAnswer } from "./scope.ts";
import { isEcho } from "./expected.ts";
import {
  differenceOf,
  isAnswer,
  isLiteral,
  requireOperation,
  type Operation,
} from "./guarded-request.ts";
import { conflict, conflictOf } from "./input-conflict.ts";
import { textSteps } from "./literal.ts";
import { contractSteps, ENTER, movesOf } from "./plan.ts";
import type { Slot } from "./slot.ts";
import type { Action, ActionQueue } from "./action-queue.ts";

export interface GuardedInputDeps {
  provider: Pick<TerminalProvider, "fateOf">;
  hub: { readonly current: { readonly sights: readonly { id: string; state: PaneState }[] } };
  queue: ActionQueue;
  ledger: Pick<Ledger, "once">;
  health: () => ProviderHealth;
}

const ACCEPTED: InputReply = { ok: true, delivery: "accepted" };

/** How long a program may take to clear its input line behind an Enter that it took. */
const TAKEN_WITHIN_MS = 600;
const LOOK_AGAIN_MS = 60;

/**
 * Input that is bound to exactly what was seen: published, then read anew between two looks at the
 * route, and compared each time. Nothing is sent twice, and what may have arrived is never called
 * refused.
 */
export class GuardedInput {
  readonly #deps: GuardedInputDeps;

  constructor(deps: GuardedInputDeps) {
    this.#deps = deps;
  }

  /** @throws AppError `invalid`, `not_found`, or `conflict` with an `InputConflict` */
  async act(request: InputRequest, client: Client = NOBODY): Promise<InputReply> {
    const asked = requireOperation(request);
    const { id, idempotency_key, expected } = request;
    // What counts as absent is absent, however a repeat writes it.
    const body = { id, asked, expected: withoutNulls(expected) };
    const act = { kind: asked.do, said: saidOf(asked) };
    return this.#deps.ledger.once(
      idempotency_key,
      body,
      () => this.#inSlot(request, asked, { ...act, client, key: idempotency_key }),
      { ...act, by: client.by, id, target: "", identity: null },
    );
  }

  async #inSlot(request: InputRequest, asked: Operation, act: Action): Promise<InputReply> {
    const { queue } = this.#deps;
    const listed = queue.find(request.id);
    // A target names a pane as well, but nobody has seen a guard under it.
    const target = { id: request.id, listed: listed?.id === request.id ? listed : null };
    return queue.run(target, act, async (slot) => {
      try {
        this.#requireAsPublished(request, asked, act.client);
        await this.#deliver(slot, request, asked);
        return ACCEPTED;
      } catch (error) {
        const refusal = conflictOf(this.#orGone(error, request.id), slot);
        throw isUnfounded(refusal, request)
          ? conflict("revision_stale", { origin: error })
          : refusal;
      }
    });
  }

  /** What is known without a look. */
  #requireAsPublished({ id, expected }: InputRequest, asked: Operation, client: Client): void {
    const { hub, provider, queue, health } = this.#deps;
    const state = hub.current.sights.find((sight) => sight.id === id)?.state;
    if (queue.find(id)?.id !== id || !state) {
      const fate = provider.fateOf?.(id) ?? null;
      if (fate === null) throw unknownPane();
      throw conflict(fate === "moved" ? "endpoint_moved" : "endpoint_stale");
    }
    const { capabilities, action_guard } = state;
    // Each guard is of what is shown now, a prompt or not.
    requireAnswer(client, {
      isForPrompt: state.status === "needs_input" && !!expected.prompt_fingerprint,
      ...(asked.do === "key" ? { key: asked.key } : {}),
      ...(asked.do === "text" ? { texts: [asked.text] } : {}),
    });
    if (capabilities.input !== "guarded_v1" || !isPossible(asked, state))
      throw conflict("capability_unavailable");
    if (state.stale || !state.actionable || health().status !== "ready" || !action_guard)
      throw conflict("endpoint_stale", { current: action_guard });
    const difference = differenceOf(expected, action_guard, ["prompt", "options"]);
    if (difference) throw conflict(difference, { current: action_guard });
  }

  async #deliver(slot: Slot, request: InputRequest, asked: Operation): Promise<void> {
    if (isAnswer(asked)) await slot.untilOpen();
    const first = requireAsSeen(await slot.latest(), request);
    try {
      if (asked.do === "key") await send(slot, [{ do: "key", key: asked.key }], first);
      else if (asked.do === "text") await type(slot, asked, first);
      else await choose(slot, asked.optionId, first);
    } finally {
      if (isAnswer(asked)) slot.markAnswered();
    }
  }

  /** A pane that is gone by now may be known to be elsewhere. */
  #orGone(error: unknown, id: string): unknown {
    const isGone = error instanceof AppError && error.kind === "invalid";
    if (!isGone || this.#deps.provider.fateOf?.(id) !== "moved") return error;
    return conflict("endpoint_moved", { origin: error });
  }
}

function saidOf(asked: Operation): Said {
  if (asked.do === "select") return { option: asked.optionId };
  return asked.do === "text" ? { text: asked.text } : { label: asked.key };
}

function withoutNulls(expected: InputRequest["expected"]): Record<string, string> {
  const { endpoint_revision, prompt_fingerprint, options_fingerprint } = expected;
  return {
    endpoint_revision,
    ...(prompt_fingerprint == null ? {} : { prompt_fingerprint }),
    ...(options_fingerprint == null ? {} : { options_fingerprint }),
  };
}

function isPossible(asked: Operation, { capabilities }: PaneState): boolean {
  if (asked.do === "select") return capabilities.menu_select;
  if (asked.do === "key") return capabilities.keys.includes(asked.key);
  return capabilities.literal_text && isLiteral(asked.text);
}

// The screen is what was seen, and the multiplexer refused all the same: its program has gone.
function isUnfounded(error: unknown, { expected }: InputRequest): boolean {
  if (!(error instanceof AppError)) return false;
  const { data } = InputConflict.safeParse(error.detail);
  if (data?.reason !== "prompt_changed" || !data.current) return false;
  return differenceOf(expected, data.current, ["options", "prompt"]) === null;
}

function requireAsSeen(now: Reading, { expected }: InputRequest): Reading {
  const { action_guard, actionable } = now.state;
  if (!action_guard || !actionable) throw conflict("endpoint_stale");
  const difference = differenceOf(expected, action_guard, ["options", "prompt"]);
  if (difference) throw conflict(difference, { current: action_guard });
  return now;
}

async function send(slot: Slot, steps: readonly InputStep[], seen: Reading): Promise<void> {
  const { identity } = seen.pane;
  const outcome = await slot.deliver(steps, { identity, contains: [] }, seen);
  // Nothing was sent: whoever was in the pane has gone as it was about to be.
  if (outcome === "refused") throw conflict("revision_stale");
  if (outcome === "unknown") throw conflict("delivery_unknown");
}

/** A text, and Enter apart from it by what the program needs. */
async function type(
  slot: Slot,
  { text, enter }: { text: string; enter: boolean },
  first: Reading,
): Promise<void> {
  if (enter && text !== "" && first.composer?.holds === "draft") throw draftThere(first, false);
  const typed = enter ? submittable(text, first.state.agent) : text;
  if (text !== "") await send(slot, textSteps(typed), first);
  if (!enter) return;
  if (text !== "") await enterBehind(slot, text, first);
  else await send(slot, [ENTER], first);
  await untilTaken(slot, text, first);
}

async function enterBehind(slot: Slot, text: string, first: Reading): Promise<void> {
  await slot.pause(enterPauseMs(first.state.agent));
  const isAlone = aloneIn(text);
  for (;;) {
    // What has come up meanwhile must not be answered by this Enter, nor a draft be submitted.
    const now = await slot.read();
    const isSamePane = now.pane.revision === first.pane.revision;
    const isItsEcho = now.prompt !== null && isEcho(now.prompt, text);
    if (!isSamePane || (!isItsEcho && !isSamePrompt(first, now.prompt)))
      throw conflict("prompt_changed", { current: now.state.action_guard });
    if (isItsEcho || isAlone(now)) return send(slot, [ENTER], now);
    await slot.pause(LOOK_AGAIN_MS);
  }
}

/**
 * Looks whether the text left the input line, where that was empty before. One that is still there,
 * whole, gets one more Enter; where anything stands there at the end it is not known to be sent.
 */
async function untilTaken(slot: Slot, text: string, first: Reading): Promise<void> {
  if (text === "" || first.composer?.holds !== "nothing") return;
  const still = await stillHolding(slot, first);
  if (!still) return;
  const isText = still.composer !== null && holdsText(still.composer, text);
  if (isText) await send(slot, [ENTER], still);
  if (!isText || (await stillHolding(slot, first))) throw conflict("partial_delivery_unknown");
}

/** The last look, if all that there was time for found something there; null as soon as one does not. */
async function stillHolding(slot: Slot, first: Reading): Promise<Reading | null> {
  let last: Reading | null = null;
  for (let waitedMs = 0; waitedMs < TAKEN_WITHIN_MS; waitedMs += LOOK_AGAIN_MS) {
    await slot.pause(LOOK_AGAIN_MS);
    last = await slot.read().catch((error: unknown) => {
      // It was delivered: that it cannot be looked at does not change this.
      if (error instanceof AppError) return null;
      throw error;
    });
    const isSamePane = last?.pane.revision === first.pane.revision;
    if (!last?.composer || !isSamePane || last.composer.holds === "nothing") return null;
  }
  return last;
}

async function choose(slot: Slot, optionId: string, first: Reading): Promise<void> {
  const index = first.state.menu.findIndex(({ id }) => id === optionId);
  const option = first.prompt?.options[index];
  if (!first.prompt || !option)
    throw conflict("options_changed", { current: first.state.action_guard });
  if (first.prompt.recognised) {
    if (option.answer.length === 0) throw conflict("capability_unavailable");
    const moves = movesOf(option.answer, "", enterPauseMs(first.state.agent));
    return follow(slot, { first, option, moves });
  }
  const [typed, ...enter] = contractSteps(first.state.kind, option.key, option.freeform);
  if (typed) await send(slot, [typed], first);
  if (enter.length > 0) await enterBehind(slot, option.key, first);
}

function unknownPane(): AppError {
  const code = "unknown_pane";
  return new AppError("not_found", "unknown pane", { reason: code, code });
}
