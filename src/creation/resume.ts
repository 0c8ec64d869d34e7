import { AppError, isDoubtful } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { quoteWord } from "../lib/words.ts";
import type { AgentRuntime } from "../protocol/agents.ts";
import type { CreateReply, ResumeState } from "../protocol/creation.ts";
import type { Creation } from "./creation.ts";

export interface ResumableSession {
  runtime: AgentRuntime;
  /** The runtime's id of the session. */
  nativeId: string;
  /** Null where its log does not tell. */
  cwd: string | null;
  hasEnded: boolean;
}

export interface ResumeDeps {
  creation: Pick<Creation, "create" | "whyNotIn" | "requireEnabled">;
  /** Null for an unknown session; the agent workspace must be on. */
  session: (agentId: string) => ResumableSession | null;
  clock: Pick<Clock, "monotonic">;
}

const RESUME_COMMANDS: Readonly<Record<AgentRuntime, readonly [program: string, word: string]>> = {
  agent_a: ["claude", "--resume"],
  agent_b: ["codex", "resume"],
};
const NATIVE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Until the pane is known to show the session: it must not be resumed twice. */
const SETTLED_SECONDS = 30;

export class Resume {
  readonly #deps: ResumeDeps;
  readonly #resumedAt = new Map<string, number>();

  constructor(deps: ResumeDeps) {
    this.#deps = deps;
  }

  /** @throws AppError not_found */
  async look(agentId: string): Promise<ResumeState> {
    const session = this.#require(agentId);
    const command = [...RESUME_COMMANDS[session.runtime], session.nativeId]
      .map(quoteWord)
      .join(" ");
    const reason = this.#whyNotAgain(agentId) ?? (await this.#whyNot(session));
    return { command, cwd: session.cwd, reason };
  }

  /** @throws AppError not_found, conflict with a `reason`, unavailable */
  async resume(agentId: string): Promise<CreateReply> {
    const { creation, clock } = this.#deps;
    creation.requireEnabled();
    const session = this.#require(agentId);
    const again = this.#whyNotAgain(agentId);
    if (again !== null) throw conflict(again);
    // Before any await, so that the second of two requests is refused.
    this.#resumedAt.set(agentId, clock.monotonic());
    try {
      const { runtime, cwd, nativeId } = session;
      const reason = await this.#whyNot(session);
      if (reason !== null || cwd === null) throw conflict(reason);
      const request = { type: "session", cwd, runtime, name: null } as const;
      return await creation.create(request, [RESUME_COMMANDS[runtime][1], nativeId]);
    } catch (error) {
      if (!isDoubtful(error)) this.#resumedAt.delete(agentId);
      throw error;
    }
  }

  #require(agentId: string): ResumableSession {
    const session = this.#deps.session(agentId);
    if (session === null) throw new AppError("not_found", "no such session is known");
    return session;
  }

  #whyNotAgain(agentId: string): string | null {
    const at = this.#resumedAt.get(agentId) ?? -Infinity;
    const isFresh = this.#deps.clock.monotonic() - at < SETTLED_SECONDS;
    return isFresh ? "it was resumed a moment ago" : null;
  }

  async #whyNot({ hasEnded, nativeId, cwd, runtime }: ResumableSession): Promise<string | null> {
    if (!hasEnded) return "it has not ended";
    // The id becomes an argument of a program.
    if (!NATIVE_ID.test(nativeId)) return "its id is of no known form";
    if (cwd === null) return "its log names no folder";
    return this.#deps.creation.whyNotIn(cwd, runtime);
  }
}

function conflict(reason: string | null): AppError {
  return new AppError("conflict", "the session cannot be resumed", { reason });
}
