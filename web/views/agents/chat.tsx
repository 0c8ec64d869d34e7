import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SeenAgent, SeenMessage } from "../../../src/protocol/tolerant-agents.ts";
import { reviewedAt, splitAt } from "../../model/chat/reviewed.ts";
import { NO_FILTER, type AgentState, type ChatFacts } from "../../state/server/agents/agent.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { agents as agentWords, dayText } from "../../words/agents.ts";
import { chat as words } from "../../words/chat.ts";
import { timeOfDay } from "../../words/common.ts";
import { daysBetween } from "../../model/timeline.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { useFollowed } from "../review/use.ts";
import { ListNotice } from "./list.tsx";
import { MessageState, OwnMessage } from "./own-message.tsx";
import { Empty } from "./screen.tsx";

/** Letters are sent for as a word, not one by one. */
const SEARCH_AFTER_MS = 250;
const MAX_SEARCH = 200;

/** What was said in a session, newest at the end; only read. */
export function AgentChat(props: {
  readonly workspace: Workspace;
  readonly state: AgentState;
  readonly agent: SeenAgent;
}): JSX.Element {
  const { workspace, state, agent } = props;
  const { chat, chatFacts, followed } = state;
  useFollowed(followed.chat);
  const messages = chat.items.value;
  const isLoading = messages === null && chat.failure.value === null;
  return (
    <div class="chat">
      <Filters state={state} />
      <ListNotice
        list={chat}
        isDown={workspace.isDown.value}
        onRetry={() => followed.chat.retry()}
      />
      {isLoading && <Skeletons />}
      {messages !== null && messages.length === 0 && (
        <>
          <Nothing state={state} />
          <OwnMessage workspace={workspace} agent={agent} messages={messages} />
        </>
      )}
      {messages !== null && messages.length > 0 && (
        <>
          <Begin state={state} facts={chatFacts.value} />
          <Messages messages={messages} facts={chatFacts.value} agent={agent} />
          <OwnMessage workspace={workspace} agent={agent} messages={messages} />
          <p class="chat-end">{words.onlySaid}</p>
        </>
      )}
    </div>
  );
}

function Filters({ state }: { readonly state: AgentState }): JSX.Element {
  const filter = state.filter.value;
  const at = reviewedAt(state.chatFacts.value);
  const [search, setSearch] = useState(filter.q);
  const isSince = filter.after !== null;
  useEffect(() => {
    if (search.trim() === state.filter.peek().q) return;
    const timer = setTimeout(
      () => state.narrow({ ...state.filter.peek(), q: search.trim() }),
      SEARCH_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [search]);
  return (
    <div class="chat-filters">
      <search class="field grow">
        <Icon name="search" />
        <input
          class="grow"
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          maxLength={MAX_SEARCH}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </search>
      {at !== null && (
        <button
          type="button"
          class={`chip ${isSince ? "on" : ""}`}
          aria-pressed={isSince}
          onClick={() => state.narrow({ ...filter, after: isSince ? null : at })}
        >
          {words.sinceReview}
        </button>
      )}
    </div>
  );
}

function Nothing({ state }: { readonly state: AgentState }): JSX.Element {
  const { q, role, after } = state.filter.value;
  if (q === NO_FILTER.q && role === null && after === null)
    return <Empty title={words.emptyTitle} text={words.emptyText} />;
  return (
    <div class="empty" role="status">
      <h2>{agentWords.noMatch}</h2>
      <p>{words.noMatchText}</p>
    </div>
  );
}

/** What stands before the oldest message that is shown. */
function Begin(props: {
  readonly state: AgentState;
  readonly facts: ChatFacts | null;
}): JSX.Element {
  const { state, facts } = props;
  const { clock } = useBrowser();
  const { chat } = state;
  if (chat.hasMore.value)
    return (
      <p class="older">
        <Button tone="plain" disabled={chat.isLoading.value} onClick={() => void chat.more()}>
          {agentWords.older}
        </Button>
      </p>
    );
  const from = facts?.retained_from ?? null;
  const day = from === null ? "" : dayText(from, daysBetween(from, clock.now.value));
  return (
    <p class="chat-end">
      {facts?.history_truncated === true ? words.truncated : words.begin}
      {day !== "" && ` ${words.keptFrom(day)}`}
    </p>
  );
}

function Messages(props: {
  readonly messages: readonly SeenMessage[];
  readonly facts: ChatFacts | null;
  readonly agent: SeenAgent;
}): JSX.Element {
  const { messages, facts, agent } = props;
  const at = reviewedAt(facts);
  const { before, after } = splitAt(messages.toReversed(), at);
  const { clock } = useBrowser();
  // Not followed: thousands of messages need not be drawn anew with every second.
  const now = clock.now.peek();
  const isSplit = at !== null && before.length > 0 && after.length > 0;
  return (
    <>
      <ol class="messages">
        {before.map((message) => (
          <Message key={message.id} message={message} agent={agent} now={now} />
        ))}
      </ol>
      {isSplit && <p class="chat-rule">{words.reviewedHere(timeOfDay(at))}</p>}
      <ol class="messages">
        {after.map((message) => (
          <Message key={message.id} message={message} agent={agent} now={now} />
        ))}
      </ol>
    </>
  );
}

function Message(props: {
  readonly message: SeenMessage;
  readonly agent: SeenAgent;
  /** Epoch seconds. */
  readonly now: number;
}): JSX.Element {
  const { message, agent, now } = props;
  const daysAgo = daysBetween(message.created_at, now);
  const day = daysAgo === 0 ? "" : `${dayText(message.created_at, daysAgo)}, `;
  const { config } = useServer();
  const isMine = message.role === "user";
  const program = config.labels.value[agent.runtime] ?? agent.runtime;
  const isOwn = isMine && message.client_message_id !== null;
  return (
    <li class={isMine ? "mine" : ""}>
      <p class="message-head">
        <b>{isMine ? words.you : program}</b>
        <time class="numbers">{day + timeOfDay(message.created_at)}</time>
      </p>
      <p class={`message-text ${isMine ? "bubble" : ""}`} dir="auto">
        <TerminalText text={message.content} />
      </p>
      {isOwn && <MessageState status={message.status} at={message.updated_at} />}
    </li>
  );
}
