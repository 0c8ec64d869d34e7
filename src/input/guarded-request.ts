import type { InputRequest, RefusalCode } from "../protocol/input.ts";
import { TAKING_KEYS } from "../protocol/taking-keys.ts";
import { AppError } from "../errors.ts";

/** What is asked for, with only the members that its operation has. */
export type Operation =
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
export function requireOperation(request: InputRequest): Operation {
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
export function isAnswer(asked: Operation): boolean {
  if (asked.do === "select") return true;
  return asked.do === "text" ? asked.enter : asked.key === "Enter";
}

/** Whether a terminal would take each character of it for itself. */
export function isLiteral(text: string): boolean {
  return !CONTROL.test(text) && text.isWellFormed();
}

function bad(reason: RefusalCode): AppError {
  return new AppError("invalid", MESSAGES[reason] ?? reason, { reason, code: reason });
}
