import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SeenMessage } from "../../../src/protocol/tolerant-agents.ts";
import { excerptAround, markHits } from "../../model/search.ts";
import { daysBetween } from "../../model/timeline.ts";
import { useServer } from "../../state/client.ts";
import { useToday } from "../parts/derived.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import { dayText } from "../../words/agents.ts";
import { chat as words } from "../../words/chat.ts";
import { InnerLink } from "../parts/inner-link.tsx";
import { messageHash } from "../said/place.ts";
import { TerminalText } from "../parts/text.tsx";
import { OlderButton } from "./list.tsx";
import { momentOf } from "./message.tsx";

/** What a search has found, the newest first: what stands around the hit, and on a tap all of it. */
export function ChatFound(props: {
  readonly state: AgentState;
  readonly messages: readonly SeenMessage[];
  readonly program: string;
}): JSX.Element {
  const { state, messages, program } = props;
  const today = useToday();
  const { chat, found: list } = state;
  const count = useRef<HTMLParagraphElement>(null);
  const search = state.search.value;
  // A search begins with what it found first, wherever the chat stood.
  useLayoutEffect(() => count.current?.closest(".scroll")?.scrollTo(0, 0), [search]);
  const from = chat.facts.value?.retained_from ?? null;
  const day = from === null ? "" : dayText(from, daysBetween(from, today));
  return (
    <>
      <p ref={count} class="found-count numbers" role="status">
        {list.hasMore.value
          ? words.foundSome(messages.length)
          : words.foundAll(messages.length, day)}
      </p>
      <ul class="found">
        {messages.map((message) => (
          <Found
            key={message.id}
            message={message}
            speaker={message.role === "user" ? "You" : program}
            search={search}
          />
        ))}
      </ul>
      <OlderButton list={list} />
      {!list.hasMore.value && chat.facts.value?.history_truncated === true && (
        <p class="chat-end">Older messages are no longer kept.</p>
      )}
    </>
  );
}

function Found(props: {
  readonly message: SeenMessage;
  readonly speaker: string;
  readonly search: string;
}): JSX.Element {
  const { message, speaker, search } = props;
  const { config } = useServer();
  const [isOpen, setOpen] = useState(false);
  const hasPlace = config.has("search_v1");
  const text = isOpen ? message.content : excerptAround(message.content, search);
  return (
    <li>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="found-head">
          <b>{speaker}</b>
          <time class="numbers">{momentOf(message.created_at)}</time>
        </span>
        <span class="found-text" dir="auto">
          {markHits(text, search).map((part, i) =>
            part.isHit ? (
              <mark key={i}>
                <TerminalText text={part.text} />
              </mark>
            ) : (
              <TerminalText key={i} text={part.text} />
            ),
          )}
        </span>
      </button>
      {isOpen && hasPlace && (
        <InnerLink class="found-place" hash={messageHash(message.agent_id, message.id)}>
          Show in the chat
        </InnerLink>
      )}
    </li>
  );
}
