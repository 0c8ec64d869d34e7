import type { MessageEvent } from "../../../src/agents/logs/events.ts";
import type { AgentStore } from "../../../src/agents/store/store.ts";
import { allSessions } from "./store.ts";

export const EVERYTHING = {
  ...{ cursor: null, limit: 200, q: null, role: null },
  ...{ after: null, before: null },
};

/** The event of a message that a person typed. */
export function messageEvent(text: string, over: Partial<MessageEvent> = {}): MessageEvent {
  return {
    ...{ kind: "message", at: 100, role: "user", text, nativeId: null, source: "event" },
    ...{ isFallback: false, parentId: null, ordinal: null, marksRewinds: true, isCopied: false },
    ...over,
  };
}

/** @returns its `seq`; null where none was added */
export function addMessage(
  store: AgentStore,
  agent: string,
  event: MessageEvent,
  where: { offset?: number; generation?: string } = {},
): number | null {
  const { text } = event;
  const read = { event, text, at: event.at ?? 0, generation: "log#0", offset: 0, ...where };
  return store.write(() => store.messages.add(agent, read, store.now));
}

/** Messages of all sessions. */
export function contents(store: AgentStore): string[] {
  return allSessions(store)
    .flatMap(({ session }) => store.messages.page(session.id, EVERYTHING).messages)
    .map(({ content }) => content);
}
