import { AppError } from "../errors.ts";
import type { SentInput } from "../ledger/label.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { ProviderHealth } from "../protocol/config.ts";
import {
  InputConflict,
  type InputReply,
  type InputRequest,
  type RefusalCode,
} from "../protocol/input.ts";
import type { ActionGuard, PaneState } from "../protocol/pane.ts";
import { TAKING_KEYS } from "../protocol/taking-keys.ts";
import type { TerminalProvider } from "../terminal/provider.ts";
import type { FreshRead } from "../terminal/reading.ts";
import type { Action, ActionQueue } from "./action-queue.ts";
import { ATTENDED, pressUntilTaken, take, typeGuarded } from "./answer.ts";
import { type Client, NOBODY, requireAnswer } from "./client.ts";
import { differenceOf } from "./guard.ts";
import { conflict, conflictOf } from "./input-conflict.ts";
import { unknownPane } from "./refused.ts";
import type { Accept, PaneTurn } from "./pane-turn.ts";

interface GuardedInputDeps {
  provider: Pick<TerminalProvider, "fateOf">;
  hub: { readonly current: { readonly sights: readonly { id: string; state: PaneState }[] } };
  queue: ActionQueue;
  ledger: Pick<Ledger, "once">;
  health: () => ProviderHealth;
}

const ACCEPTED: InputReply = { ok: true, delivery: "accepted" };

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
    const { id, idempotency_key } = request;
    // What counts as absent is absent, however a repeat writes it.
    const body = { id, asked, expected: withoutNulls(request.expected) };
    const act = { kind: asked.do, said: saidOf(asked) };
    return this.#deps.ledger.once(
      idempotency_key,
      body,
      () => this.#inSlot(body, { ...act, client, key: idempotency_key }),
      { ...act, by: client.by, id },
    );
  }

  async #inSlot(answer: Answer, act: Action): Promise<InputReply> {
    const { queue } = this.#deps;
    const { id } = answer;
    const listed = queue.find(id);
    // A target names a pane as well, but nobody has seen a guard under it.
    const target = { id, listed: listed?.id === id ? listed : null };
    return queue.run(target, act, async (slot) => {
      try {
        this.#requireAsPublished(answer, act.client);
        await deliver(slot, answer);
        return ACCEPTED;
      } catch (error) {
        const refusal = conflictOf(this.#orGone(error, id), slot);
        throw isUnfounded(refusal, answer)
          ? conflict("revision_stale", { origin: error })
          : refusal;
      }
    });
  }

  /** What is known without a look. */
  #requireAsPublished({ id, asked, expected }: Answer, client: Client): void {
    const { hub, provider, queue, health } = this.#deps;
    const state = hub.current.sights.find((sight) => sight.id === id)?.state;
    if (queue.find(id)?.id !== id || !state) {
      const fate = provider.fateOf?.(id) ?? null;
      if (fate === null) throw unknownPane("unknown_pane");
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
    const difference = changeSince(expected, action_guard, ["prompt", "options"]);
    if (difference) throw conflict(difference, { current: action_guard });
  }

  /** A pane that is gone by now may be known to be elsewhere. */
  #orGone(error: unknown, id: string): unknown {
    const isGone = error instanceof AppError && error.kind === "invalid";
    if (!isGone || this.#deps.provider.fateOf?.(id) !== "moved") return error;
    return conflict("endpoint_moved", { origin: error });
  }
}

interface Answer {
  id: string;
  asked: Operation;
  expected: Seen;
}

async function deliver(slot: PaneTurn, { asked, expected }: Answer): Promise<void> {
  const accept: Accept = (now) => {
    const { action_guard, actionable } = now.state;
    if (!action_guard || !actionable) throw conflict("endpoint_stale");
    const difference = changeSince(expected, action_guard, ["options", "prompt"]);
    if (difference) throw conflict(difference, { current: action_guard });
    return null;
  };
  if (isAnswer(asked)) await slot.untilOpen();
  try {
    if (asked.do === "key") await slot.send([{ do: "key", key: asked.key }], accept);
    else if (asked.do === "text") await type(slot, asked, accept);
    else await choose(slot, asked.optionId, accept);
  } finally {
    if (isAnswer(asked)) slot.markAnswered();
  }
}

function saidOf(asked: Operation): SentInput {
  if (asked.do === "select") return { option: asked.optionId };
  return asked.do === "text" ? { text: asked.text } : { label: asked.key };
}

/** What the person saw; what was not given is not compared. */
interface Seen {
  endpoint_revision: string;
  prompt_fingerprint?: string;
  options_fingerprint?: string;
}

function withoutNulls(expected: InputRequest["expected"]): Seen {
  const { endpoint_revision, prompt_fingerprint, options_fingerprint } = expected;
  return {
    endpoint_revision,
    ...(prompt_fingerprint == null ? {} : { prompt_fingerprint }),
    ...(options_fingerprint == null ? {} : { options_fingerprint }),
  };
}

function changeSince(seen: Seen, now: ActionGuard, order: readonly ("prompt" | "options")[]) {
  return seen.endpoint_revision === now.endpoint_revision
    ? differenceOf(seen, now, order)
    : "revision_stale";
}

function isPossible(asked: Operation, { capabilities }: PaneState): boolean {
  if (asked.do === "select") return capabilities.menu_select;
  if (asked.do === "key") return capabilities.keys.includes(asked.key);
  return capabilities.literal_text && isLiteral(asked.text);
}

// The screen is what was seen, and the multiplexer refused all the same: its program has gone.
function isUnfounded(error: unknown, { expected }: Answer): boolean {
  if (!(error instanceof AppError)) return false;
  const { data } = InputConflict.safeParse(error.detail);
  if (data?.reason !== "prompt_changed" || !data.current) return false;
  return changeSince(expected, data.current, ["options", "prompt"]) === null;
}

/** A text with Enter is watched where the input line was empty before. */
async function type(
  slot: PaneTurn,
  { text, enter }: { text: string; enter: boolean },
  accept: Accept,
): Promise<void> {
  const { composer, pane } = await typeGuarded(slot, { text, enter }, accept);
  if (enter && text !== "" && composer?.holds === "nothing")
    await pressUntilTaken(slot, text, { ...ATTENDED, revision: pane.revision });
}

function choose(slot: PaneTurn, optionId: string, accept: Accept): Promise<void> {
  const find = ({ state, prompt }: FreshRead) => {
    const option = prompt?.options[state.menu.findIndex(({ id }) => id === optionId)];
    if (!option) throw conflict("options_changed", { current: state.action_guard });
    return option;
  };
  return take(slot, { find, key: optionId, accept });
}

type Operation =
  | { do: "select"; optionId: string }
  | { do: "text"; text: string; enter: boolean }
  | { do: "key"; key: string };

/** Everything that a terminal could take for a command, newline and tab among it. */
const CONTROL = /[\u0000-\u001f\u007f]/;

const MESSAGES: Readonly<Record<string, string>> = {
  fields_do_not_match_operation: "a member of another operation was given",
  key_required: "a key is needed",
  option_id_required: "an option_id is needed",
  text_required: "a text or Enter is needed",
  guard_required: "a fingerprint that this operation needs is missing",
};

/**
 * The operation of a request whose members fit it; null and `enter: false` count as absent.
 * @throws AppError `invalid` with `{reason}`
 */
function requireOperation(request: InputRequest): Operation {
  const { operation, expected } = request;
  const optionId = request.option_id ?? null;
  const text = request.text ?? null;
  const key = request.key ?? null;
  const enter = request.enter === true;
  const strangers = {
    select: [text, key, enter || null],
    text: [optionId, key],
    key: [optionId, text, enter || null],
  }[operation];
  if (strangers.some((member) => member !== null)) throw bad("fields_do_not_match_operation");
  const asked = operationOf(operation, { optionId, text, key, enter });
  const needs = neededBy(asked);
  if (needs.prompt && !expected.prompt_fingerprint) throw bad("guard_required");
  if (needs.options && !expected.options_fingerprint) throw bad("guard_required");
  return asked;
}

function operationOf(
  operation: InputRequest["operation"],
  given: { optionId: string | null; text: string | null; key: string | null; enter: boolean },
): Operation {
  if (operation === "select") {
    if (given.optionId === null) throw bad("option_id_required");
    return { do: "select", optionId: given.optionId };
  }
  if (operation === "key") {
    if (given.key === null || given.key === "") throw bad("key_required");
    return { do: "key", key: given.key };
  }
  const text = given.text ?? "";
  if (text === "" && !given.enter) throw bad("text_required");
  return { do: "text", text, enter: given.enter };
}

function neededBy(asked: Operation): { prompt: boolean; options: boolean } {
  const takes = isAnswer(asked) || (asked.do === "key" && TAKING_KEYS.has(asked.key));
  return { prompt: asked.do !== "key" || takes, options: takes };
}

/** Whether it takes what stands there: the prompt behind it may be the next one. */
function isAnswer(asked: Operation): boolean {
  if (asked.do === "select") return true;
  return asked.do === "text" ? asked.enter : asked.key === "Enter";
}

/** Whether a terminal would take each character of it for itself. */
function isLiteral(text: string): boolean {
  return !CONTROL.test(text) && text.isWellFormed();
}

function bad(reason: RefusalCode): AppError {
  return new AppError("invalid", MESSAGES[reason] ?? reason, { reason, code: reason });
}
