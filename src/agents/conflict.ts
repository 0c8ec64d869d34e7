import { AppError } from "../errors.ts";
import type { AgentSession, DecisionItem } from "../protocol/agents.ts";

/** 404 in the words of the contract. */
export function unknownResource(id: string): AppError {
  return new AppError("not_found", `unknown agent resource: ${id.slice(0, 160)}`);
}

/** 409: what was seen is not what is. */
class AgentConflict extends AppError {}

/** `current` is the resource as it is now; `logged` stands in the log for what may quote a person. */
export function conflict(
  message: string,
  current: AgentSession | DecisionItem | null,
  { logged = message, ...options }: ErrorOptions & { logged?: string } = {},
): AppError {
  return new AgentConflict("conflict", logged, { message, current }, options);
}

/**
 * What a turn at a pane refuses (a pane that is gone, another program, another screen) is told in
 * the words of panes; whoever asked for an agent is told of the agent.
 */
export function asConflict(error: unknown, current: AgentSession | DecisionItem | null): unknown {
  const isOfPane = error instanceof AppError && ["invalid", "conflict"].includes(error.kind);
  if (!isOfPane || error instanceof AgentConflict) return error;
  return conflict(error.message, current, { cause: error });
}
