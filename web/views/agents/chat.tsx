import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import type { StreamPart } from "../../model/chat/stream.ts";
import { isGone } from "../../net/api.ts";
import { agentHash, paneHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import type { MessageHits } from "../../state/server/agents/chat.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Chips } from "../../ui/item.tsx";
import { Empty } from "../../ui/notice.tsx";
import { SearchField } from "../../ui/field.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { count } from "../../words/common.ts";
import { dayWithin } from "../../words/times.ts";
import { QueryStatus, OlderButton } from "../parts/query-status.tsx";
import { useToday } from "../parts/derived.ts";
import { HitItem, isSearchable, useMessageSearch } from "../search/messages.tsx";
import { Stream } from "./chat-stream.tsx";
import { useChange, useWatch } from "./use.ts";

const PARTS = [
  { value: "said", label: "Said" },
  { value: "decisions", label: "Decisions" },
  { value: "steps", label: "Steps" },
] as const satisfies readonly { readonly value: StreamPart; readonly label: string }[];

const MAX_SEARCH = 200;

interface ChatProps {
  readonly state: AgentState;
  readonly agent: SeenAgent;
}

export function AgentChat(
  props: ChatProps & {
    /** The message that the chat is opened around. */
    readonly at: string | null;
  },
): JSX.Element {
  const { state, agent, at } = props;
  const { router } = useBrowser();
  const { chat, part, search } = state;
  const program = useProgram(agent);
  // A search result is opened in the chat; Back leads to the list of results.
  const sought = at === null ? search.value : null;
  const isFound = sought !== null && isSearchable(sought.trim());
  const ofAgent = useMemo(() => ({ agent_id: agent.id }), [agent.id]);
  const hits = useMessageSearch(sought, ofAgent);
  // Before the chat is watched, so that its first request is for these messages.
  useEffect(() => chat.open(at), [chat, at]);
  useWatch(chat);
  const place = useRef<HTMLDivElement>(null);
  // Once it no longer stands around one message, the chat is at its end again.
  useChange(chat.at.value, () => {
    if (chat.at.value === null) place.current?.closest(".scroll")?.scrollTo(0, 0);
  });
  const stretch = chat.shown.value;
  const isForgotten = at !== null && isGone(chat.failure.value);
  const toEnd = () => {
    const route = router.route.peek();
    if (at === null) chat.toEnd();
    else router.replace(route.screen === "pane" ? paneHash(route.id, "chat") : agentHash(agent.id));
  };
  return (
    <div ref={place} class={`chat ${isFound || isForgotten ? "searched" : ""}`}>
      <div class="chat-filters ground flex start gap-4 rule-below">
        {sought !== null ? (
          <ChatSearch text={sought} onChange={(text) => (search.value = text)} />
        ) : (
          <>
            <Chips
              label="Filter"
              all={{ label: "All" }}
              chips={PARTS}
              chosen={part.value}
              onChoose={(chosen) => (part.value = chosen)}
            />
            <IconButton
              icon="search"
              label="Search what was said"
              onClick={() => (search.value = "")}
            />
          </>
        )}
      </div>
      {isFound && hits !== null && <SearchResults {...{ state, agent, hits }} />}
      {!isFound && isForgotten && (
        <Empty title="This message is no longer kept" role="status">
          <Button onClick={toEnd}>To the newest</Button>
        </Empty>
      )}
      {!isFound && !isForgotten && <QueryStatus query={chat} />}
      {!isFound && stretch?.messages.length === 0 && (
        <Empty title="Nothing was said yet" text="What you and the agent say appears here." />
      )}
      {!isFound && stretch !== null && stretch.messages.length > 0 && (
        <Stream
          key={`${chat.at.value} ${part.value}`}
          {...{ state, agent, stretch, program, toEnd }}
          part={part.value}
        />
      )}
    </div>
  );
}

function ChatSearch(props: {
  readonly text: string;
  /** Null closes it. */
  readonly onChange: (text: string | null) => void;
}): JSX.Element {
  const { text, onChange } = props;
  const field = useRef<HTMLInputElement>(null);
  // Its button has gone with the focus, or the same field of the session's page, which became its pane's.
  useEffect(() => giveFocus(field.current), []);
  return (
    <>
      <SearchField
        label="Search what was said"
        value={text}
        onChange={onChange}
        onLeave={() => onChange(null)}
        maxLength={MAX_SEARCH}
        field={field}
      />
      <Button tone="plain" onClick={() => onChange(null)}>
        Done
      </Button>
    </>
  );
}

/** In the place of the chat, the newest first. */
function SearchResults(props: ChatProps & { readonly hits: MessageHits }): JSX.Element {
  const { state, agent, hits } = props;
  const { chat } = state;
  const today = useToday();
  const program = useProgram(agent);
  const top = useRef<HTMLDivElement>(null);
  // Results begin at their top, wherever the chat stood.
  useLayoutEffect(() => top.current?.closest(".scroll")?.scrollTo(0, 0), [hits]);
  const items = hits.items.value;
  const { retained_from: from = null, history_truncated = false } = chat.facts.value ?? {};
  const since = from === null ? "" : `, kept since ${dayWithin(from, today)}`;
  return (
    <div ref={top}>
      <QueryStatus query={hits} />
      {items?.length === 0 && <Empty title="No match" text="No message fits." role="status" />}
      {items !== null && items.length > 0 && (
        <>
          <p class="pad mb-8 fs-13 numbers text-2" role="status">
            {count(items.length, "message", "messages")}
            {hits.hasMore.value ? " so far" : since}
          </p>
          <ul class="gutter mb-12 surface round-3 edge-line ruled">
            {items.map(({ find }) => (
              <HitItem key={find.id} find={find} speaker={find.role === "user" ? "You" : program} />
            ))}
          </ul>
          <OlderButton list={hits} />
          {!hits.hasMore.value && history_truncated && (
            <p class="list-end fs-12 text-2 centred">Older messages are no longer kept.</p>
          )}
        </>
      )}
    </div>
  );
}

function useProgram({ runtime }: SeenAgent): string {
  return useServer().config.labels.value[runtime] ?? runtime;
}
