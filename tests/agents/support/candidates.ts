import type { CandidatePane, CandidateSession } from "../../../src/agents/binding/binding.ts";
import {
  type Binding,
  type HandBinding,
  type PaneMatch,
  UNBOUND,
} from "../../../src/agents/session.ts";
import { parseConversation, edgesOf } from "../../../src/agents/binding/conversation.ts";

export const NO_CLAIMS = { status: null, held: [], startedWith: null, forkedFrom: null };

/** A pane of Codex that shows these lines above its input line. */
export function candidatePane(
  id: string,
  said: readonly string[],
  members: Partial<CandidatePane> = {},
): CandidatePane {
  const screen = ["│ >_ OpenAI Codex (v1.0) │", "│ /model to change │", ...said, "› Ask", "  hint"];
  return {
    id,
    target: `work:${id}`,
    name: `pane ${id}`,
    incarnation: `${id} 1`,
    runtime: "agent_b",
    folder: "/shop",
    drawnFolder: null,
    userHome: "/home/dev",
    startedAt: 1000,
    claims: NO_CLAIMS,
    conversation: parseConversation(screen, "agent_b", true),
    isAtRest: true,
    ...members,
  };
}

/** A session that began with its process and has said these things. */
export function candidateSession(
  id: string,
  said: readonly string[],
  members: Partial<CandidateSession> = {},
): CandidateSession {
  return {
    id,
    runtime: "agent_b",
    nativeId: id,
    cwd: "/shop",
    folder: "/shop",
    before: previousOf(),
    beganAt: 1010,
    lastAt: 1020,
    isInteractive: true,
    messages: said.map((text, index) => edgesOf(index % 2 === 0 ? "user" : "assistant", text)),
    newestMessage: said.at(-1) ?? null,
    ...members,
  };
}

/** What the next match knows of this one. */
export function previousOf(match?: PaneMatch, hand: HandBinding | null = null): Binding {
  return { ...UNBOUND, ...match, hand };
}
