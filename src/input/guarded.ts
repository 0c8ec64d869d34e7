import { AppError, detailOf, type ErrorKind } from "../errors.ts";
import type { SentInput } from "../ledger/label.ts";
import type { ProviderHealth } from "../protocol/config.ts";
import {
  GuardConflict,
  InputConflict,
  type InputReason,
  type InputReply,
  type InputRequest,
  type RefusalCode,
} from "../protocol/input.ts";
import type { ActionGuard, PaneState } from "../protocol/pane.ts";
import { TAKING_KEYS } from "../protocol/options.ts";
import { ProviderError, type TerminalProvider } from "../terminal/provider.ts";
import { type PaneReading, noSuchPane } from "../terminal/reading.ts";
import type { ActionQueue } from "./action-queue.ts";
import { take } from "./answer.ts";
import { typeAttended } from "./typing.ts";
import { type Client, CONTROL_CHARACTER, requireAnswer } from "./client.ts";
import { differenceOf } from "./guard.ts";
import type { Accept, PaneTurn } from "./pane-turn.ts";
import { findDraftMessage, invalidInput } from "./refusals.ts";

interface GuardedInputDeps {
  provider: Pick<TerminalProvider, "fateOf">;
  hub: { readonly current: { readonly sights: readonly { state: PaneState }[] } };
  queue: ActionQueue;
  health: () => ProviderHealth;
}

/**
 * Input that is bound to exactly what the person saw, compared with what is published and with the
 * screen read anew. Nothing is sent twice, and what may have arrived is never called refused.
 */
export class GuardedInput {
  readonly #deps: GuardedInputDeps;

  constructor(deps: GuardedInputDeps) {
    this.#deps = deps;
  }

  /** @throws AppError `invalid`, `not_found`, or `conflict` with an `InputConflict` */
  async act(request: InputRequest, client: Client): Promise<InputReply> {
    const { queue } = this.#deps;
    const { id, idempotency_key: key } = request;
    const operation = requireOperation(request);
    // A repeat may write null where the first request wrote nothing.
    const answer = { id, operation, expected: withoutNulls(request.expected) };
    // Its digest is on the disk, and names of members are part of it.
    const body = { id, asked: operation, expected: answer.expected };
    const act = { kind: operation.do, input: inputOf(operation), client, key };
    return queue.runOnce(id, act, body, () => {
      const listed = queue.find(id);
      // Guards are published under ids alone, so a target is not accepted here.
      const target = { id, listed: listed?.id === id ? listed : null };
      return queue.run(target, act, (turn) => this.#deliver(turn, answer, client));
    });
  }

  async #deliver(turn: PaneTurn, answer: Answer, client: Client): Promise<InputReply> {
    try {
      this.#requireAsPublished(answer, client);
      await deliver(turn, answer);
      return { ok: true, delivery: "accepted" };
    } catch (error) {
      const refusal = conflictOf(this.#orMoved(error, answer.id), turn);
      throw isUnfounded(refusal, answer) ? conflict("revision_stale", { origin: error }) : refusal;
    }
  }

  #requireAsPublished({ id, operation, expected }: Answer, client: Client): void {
    const { hub, provider, health } = this.#deps;
    const state = hub.current.sights.find((sight) => sight.state.id === id)?.state;
    if (!state) {
      const fate = provider.fateOf?.(id) ?? null;
      if (fate === null) throw noSuchPane(id);
      throw conflict(fate === "moved" ? "endpoint_moved" : "endpoint_stale");
    }
    const { capabilities, action_guard } = state;
    requireAnswer(client, {
      // Without a prompt the pane has a fingerprint too.
      isForPrompt: state.status === "needs_input" && !!expected.prompt_fingerprint,
      ...(operation.do === "key" ? { key: operation.key } : {}),
      ...(operation.do === "text" ? { texts: [operation.text] } : {}),
    });
    if (capabilities.input !== "guarded_v1" || !isPossible(operation, state))
      throw conflict("capability_unavailable");
    const { status, last_error } = health();
    if (!state.actionable || status !== "ready" || !action_guard)
      throw conflict("endpoint_stale", { current: action_guard, cause: last_error ?? undefined });
    const difference = changeSince(expected, action_guard, ["prompt", "options"]);
    if (difference) throw conflict(difference, { current: action_guard });
  }

  /** A pane that is gone may have moved. */
  #orMoved(error: unknown, id: string): unknown {
    const isGone = error instanceof AppError && error.kind === "invalid";
    if (!isGone || this.#deps.provider.fateOf?.(id) !== "moved") return error;
    return conflict("endpoint_moved", { origin: error });
  }
}

type Operation =
  | { do: "select"; optionId: string }
  | { do: "text"; text: string; enter: boolean }
  | { do: "key"; key: string };

interface Answer {
  id: string;
  operation: Operation;
  /** What the person saw; absent members are not compared. */
  expected: {
    endpoint_revision: string;
    prompt_fingerprint?: string;
    options_fingerprint?: string;
  };
}

async function deliver(turn: PaneTurn, { operation, expected }: Answer): Promise<void> {
  const accept: Accept = (now) => {
    const { action_guard, actionable } = now.state;
    if (!action_guard || !actionable) throw conflict("endpoint_stale");
    const difference = changeSince(expected, action_guard, ["options", "prompt"]);
    if (difference) throw conflict(difference, { current: action_guard });
    return null;
  };
  const send = async () => {
    if (operation.do === "key") return turn.send([{ do: "key", key: operation.key }], accept);
    if (operation.do === "select") return choose(turn, operation.optionId, accept);
    await typeAttended(turn, operation, accept);
  };
  await (isAnswer(operation) ? turn.answer(send) : send());
}

function choose(turn: PaneTurn, optionId: string, accept: Accept): Promise<void> {
  const find = ({ state, prompt }: PaneReading) => {
    const option = prompt?.options[state.menu.findIndex(({ id }) => id === optionId)];
    if (!option) throw conflict("options_changed", { current: state.action_guard });
    return option;
  };
  return take(turn, { find, key: optionId, accept });
}

function inputOf(operation: Operation): SentInput {
  if (operation.do === "select") return { option: operation.optionId };
  return operation.do === "text" ? { text: operation.text } : { label: operation.key };
}

function withoutNulls(expected: InputRequest["expected"]): Answer["expected"] {
  const { endpoint_revision, prompt_fingerprint, options_fingerprint } = expected;
  return {
    endpoint_revision,
    ...(prompt_fingerprint == null ? {} : { prompt_fingerprint }),
    ...(options_fingerprint == null ? {} : { options_fingerprint }),
  };
}

function changeSince(
  seen: Answer["expected"],
  now: ActionGuard,
  order: readonly ("prompt" | "options")[],
) {
  return seen.endpoint_revision === now.endpoint_revision
    ? differenceOf(seen, now, order)
    : "revision_stale";
}

function isPossible(operation: Operation, { capabilities }: PaneState): boolean {
  if (operation.do === "select") return capabilities.menu_select;
  if (operation.do === "key") return capabilities.keys.includes(operation.key);
  return (
    capabilities.literal_text &&
    !CONTROL_CHARACTER.test(operation.text) &&
    operation.text.isWellFormed()
  );
}

/** Whether it ends the prompt on the screen, so that another one may follow. */
function isAnswer(operation: Operation): boolean {
  if (operation.do === "select") return true;
  return operation.do === "text" ? operation.enter : operation.key === "Enter";
}

/** Null and `enter: false` count as absent. @throws AppError `invalid` */
function requireOperation(request: InputRequest): Operation {
  const { operation, expected, option_id: optionId, text, key } = request;
  const enter = request.enter === true;
  const hasText = text != null || enter;
  const hasForeignMember = {
    select: hasText || key != null,
    text: optionId != null || key != null,
    key: optionId != null || hasText,
  };
  if (hasForeignMember[operation])
    throw invalid("fields_do_not_match_operation", "a member of another operation was given");
  let parsed: Operation;
  if (operation === "select") {
    if (optionId == null) throw invalid("option_id_required", "an option_id is needed");
    parsed = { do: "select", optionId };
  } else if (operation === "key") {
    if (!key) throw invalid("key_required", "a key is needed");
    parsed = { do: "key", key };
  } else {
    if (!text && !enter) throw invalid("text_required", "a text or Enter is needed");
    parsed = { do: "text", text: text ?? "", enter };
  }
  const takes = isAnswer(parsed) || (parsed.do === "key" && TAKING_KEYS.has(parsed.key));
  const lacksPrompt = !expected.prompt_fingerprint && (takes || parsed.do !== "key");
  if (lacksPrompt || (!expected.options_fingerprint && takes))
    throw invalid("guard_required", "a fingerprint that this operation needs is missing");
  return parsed;
}

const invalid = (code: RefusalCode, logged: string) => invalidInput(code, code, { logged });

const MESSAGES: Readonly<Record<InputReason, string>> = {
  endpoint_stale: "The pane is not known to be what was seen.",
  endpoint_moved: "The pane has moved.",
  revision_stale: "Another program, or the same one anew, is in the pane now.",
  prompt_changed: "The pane shows something else now.",
  options_changed: "The options are others now, or another one is selected.",
  capability_unavailable: "This cannot be sent to this pane.",
  delivery_unknown: "Nobody said whether this arrived. Look at the terminal first.",
  partial_delivery_unknown:
    "A part of it arrived; whether the rest did is not known. Look at the terminal first.",
};

class InputRefusal extends AppError {
  constructor(detail: InputConflict, origin: unknown) {
    // The log gets no message that may quote what somebody has typed.
    super("conflict", MESSAGES[detail.reason], detail, { cause: origin });
  }
}

function conflict(
  reason: InputReason,
  { origin, ...more }: Pick<InputConflict, "current" | "cause"> & { origin?: unknown } = {},
): AppError {
  return new InputRefusal({ reason, code: reason, message: MESSAGES[reason], ...more }, origin);
}

/** Failures of the service itself, which say nothing of the pane. */
const SERVICE_FAILURES: ReadonlySet<ErrorKind> = new Set([
  "unavailable",
  "storage",
  "persist_failed",
]);

/** Codes of the actions shared with the legacy routes -> reasons of guarded input. */
const REASONS: Readonly<Record<string, InputReason>> = {
  prompt_changed: "prompt_changed",
  options_changed: "options_changed",
  other_program: "revision_stale",
  option_not_safe: "capability_unavailable",
  option_takes_no_text: "capability_unavailable",
  capability_unavailable: "capability_unavailable",
};

/**
 * The conflict that a client is told: the reason, or once something was sent `delivery_unknown` or
 * `partial_delivery_unknown`, so that nobody retries blindly. Other errors are returned as they are.
 */
function conflictOf(
  origin: unknown,
  { hasArrived, hasSent }: Pick<PaneTurn, "hasArrived" | "hasSent">,
): unknown {
  const isRefusal = origin instanceof AppError || origin instanceof ProviderError;
  if (!isRefusal || (origin instanceof AppError && SERVICE_FAILURES.has(origin.kind)))
    return origin;
  const message = findDraftMessage(origin);
  if (message !== null) {
    // Enter was not pressed, and the message has both texts.
    const reason = hasSent ? "partial_delivery_unknown" : "prompt_changed";
    return new InputRefusal({ reason, code: "draft_there", message }, origin);
  }
  if (hasArrived) return conflict("partial_delivery_unknown", { origin });
  if (hasSent) return conflict("delivery_unknown", { origin });
  if (origin instanceof InputRefusal) return origin;
  const failure = [origin, origin.cause].find((each) => each instanceof ProviderError);
  if (failure) return conflict("endpoint_stale", { cause: failure.lastError, origin });
  const known = REASONS[String(detailOf(origin)["code"])];
  const isOther = origin instanceof AppError && ["not_found", "forbidden"].includes(origin.kind);
  if (!known && isOther) return origin;
  // A `GuardConflict` carries the whole pane; guarded input tells its guard only.
  const pane = GuardConflict.safeParse(detailOf(origin)).data?.current;
  const seen = known && pane ? { current: pane.action_guard } : {};
  return conflict(known ?? "endpoint_stale", { origin, ...seen });
}

// The multiplexer refused a screen that still fits the guard: its program has gone.
function isUnfounded(error: unknown, { expected }: Answer): boolean {
  const { data } = InputConflict.safeParse(detailOf(error));
  if (data?.reason !== "prompt_changed" || !data.current) return false;
  return changeSince(expected, data.current, ["options", "prompt"]) === null;
}
