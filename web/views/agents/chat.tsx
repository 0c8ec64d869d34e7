import type { JSX, RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SeenAgent, SeenMessage } from "../../../src/protocol/tolerant-agents.ts";
import { keepBlocks, type MessageBlock } from "../../model/chat/blocks.ts";
import { shownUntil } from "../../model/chat/following.ts";
import { countSince, reviewedAt } from "../../model/chat/reviewed.ts";
import { daysBetween } from "../../model/timeline.ts";
import { useServer } from "../../state/client.ts";
import type { Near } from "../../state/browser/near.ts";
import { useToday } from "../parts/derived.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { memo } from "../../ui/memo.tsx";
import { Icon } from "../../ui/icons.tsx";
import { agents as agentWords, dayText } from "../../words/agents.ts";
import { chat as words } from "../../words/chat.ts";
import { timeOfDay } from "../../words/common.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { useWatch } from "./use.ts";
import { ChatFilters } from "./chat-filters.tsx";
import { ChatFound } from "./chat-found.tsx";
import { useEnd, useNearBlock, useReached } from "./chat-place.ts";
import { ListNotice } from "./list.tsx";
import { Messages } from "./message.tsx";

/** Blocks that are drawn at once; they fill a screen. */
const FIRST_BLOCKS = 2;

/** What was said in a session, newest at the end. */
export function AgentChat(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}): JSX.Element {
  const { workspace, state, agent } = props;
  const { config } = useServer();
  const { chat, chatFacts } = state;
  useWatch(chat);
  const messages = chat.items.value;
  const filter = state.filter.value;
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  const isLoading = messages === null && chat.failure.value === null;
  const since = countSince(messages, chatFacts.value, filter, chat.hasMore.value);
  const isFound = filter.q !== "" && messages !== null && messages.length > 0;
  return (
    <div class={`chat ${isFound ? "searched" : ""}`}>
      <ChatFilters state={state} program={program} since={since} />
      <ListNotice list={chat} isDown={workspace.isDown.value} />
      {isLoading && <Skeletons />}
      {messages?.length === 0 && <Nothing state={state} />}
      {isFound && <ChatFound state={state} messages={messages} program={program} />}
      {filter.q === "" && messages !== null && (
        <Said key={JSON.stringify(filter)} {...{ state, agent, program }} newestFirst={messages} />
      )}
    </div>
  );
}

function Nothing({ state }: { readonly state: AgentState }): JSX.Element {
  if (!state.isFiltered.value) return <Empty title={words.emptyTitle} text={words.emptyText} />;
  return <Empty title={agentWords.noMatch} text={words.noMatchText} isStatus />;
}

/** The messages themselves. At the end what comes is followed; away from it nothing moves. */
function Said(props: {
  readonly state: AgentState;
  readonly agent: SeenAgent;
  readonly program: string;
  readonly newestFirst: readonly SeenMessage[];
}): JSX.Element {
  const { state, agent, program, newestFirst } = props;
  const place = useRef<HTMLDivElement>(null);
  const lastShown = useRef<string | null>(null);
  const kept = useRef<readonly MessageBlock[]>([]);
  const near = useRef<Near | null>(null);
  const end = useEnd(place);
  const step = useServer().acts.written(agent.pane_id ?? "").value?.step ?? null;
  // Who has just written wants to see it.
  useEffect(() => {
    if (step === "sending") end.go();
  }, [step]);
  if (end.isThere) lastShown.current = newestFirst[0]?.id ?? null;
  const last = lastShown.current;
  const at = state.filter.value.after ?? reviewedAt(state.chatFacts.value);
  const { messages, newer, firstNew, blocks } = useMemo(() => {
    const shown = shownUntil(newestFirst.toReversed(), last);
    const begin = firstAfter(shown.messages, at);
    kept.current = keepBlocks(kept.current, shown.messages, begin);
    return { ...shown, firstNew: begin, blocks: kept.current };
  }, [newestFirst, last, at]);
  return (
    <div ref={place}>
      {messages.length > 0 && <Begin state={state} />}
      {blocks.map((block, i) => (
        <Block
          key={block.key}
          {...{ block, program, near }}
          isAtEnd={i >= blocks.length - FIRST_BLOCKS}
          reviewedAt={block.key === firstNew ? at : null}
        />
      ))}
      {newer > 0 && (
        <p class="newer-messages">
          <Button tone="primary" size="small" onClick={end.go}>
            <Icon name="down" class="small" />
            {words.newer(newer)}
          </Button>
        </p>
      )}
    </div>
  );
}

const Block = memo(function Block(props: {
  readonly block: MessageBlock;
  readonly program: string;
  readonly near: RefObject<Near | null>;
  readonly isAtEnd: boolean;
  /** A review ended before it. */
  readonly reviewedAt: number | null;
}): JSX.Element {
  const { block, program, near, isAtEnd, reviewedAt: at } = props;
  const place = useRef<HTMLDivElement>(null);
  const isDrawn = useNearBlock(place, near, isAtEnd);
  return (
    <div ref={place} class="message-block" data-at={block.key}>
      {isDrawn && at !== null && <p class="chat-rule">{words.reviewedHere(timeOfDay(at))}</p>}
      {isDrawn && <Messages block={block} program={program} />}
    </div>
  );
});

/** The first message that came after the review, where some before it are shown. */
function firstAfter(messages: readonly SeenMessage[], at: number | null): string | null {
  const first = at === null ? -1 : messages.findIndex(({ created_at }) => created_at > at);
  return first > 0 ? (messages[first]?.id ?? null) : null;
}

/** What stands before the oldest message that is shown. */
function Begin({ state }: { readonly state: AgentState }): JSX.Element {
  const today = useToday();
  const { chat, chatFacts, filter } = state;
  const place = useRef<HTMLParagraphElement>(null);
  const mayAsk = chat.hasMore.value && chat.failure.value === null;
  const key = mayAsk && !chat.isLoading.value ? `${chat.items.value?.length}` : null;
  useReached(place, key, () => void chat.more());
  if (chat.hasMore.value)
    return (
      <p class="older" ref={place}>
        <Button tone="plain" disabled={chat.isLoading.value} onClick={() => void chat.more()}>
          {agentWords.older}
        </Button>
      </p>
    );
  if (filter.value.after !== null)
    return <p class="chat-rule">{words.sinceLast(timeOfDay(filter.value.after))}</p>;
  const from = chatFacts.value?.retained_from ?? null;
  const day = from === null ? "" : dayText(from, daysBetween(from, today));
  return (
    <p class="chat-end">
      {chatFacts.value?.history_truncated === true ? words.truncated : words.begin}
      {day !== "" && ` ${words.keptFrom(day)}`}
    </p>
  );
}
