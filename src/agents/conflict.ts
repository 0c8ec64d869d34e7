import { AppError } from "../errors.ts";
import type { AgentSession, DecisionItem } from "../protocol/agents.ts";

/** 404 in the words of the contract. */
export function unknownResource(id: string): AppError {
  return new AppError("not_found", `unknown agent resource: ${id.slice(0, 160)}`);
}

/** 409: what was seen is not what is; `current` is the resource as it is now. */
export function conflict(
  message: string,
  current: AgentSession | DecisionItem | null,
  options?: ErrorOptions,
): AppError {
  return new AppError("conflict", message, { message, current }, options);
}
