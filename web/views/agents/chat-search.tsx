import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { findIn } from "../../model/search.ts";
import { agentHash } from "../../state/browser/router.ts";
import type { AgentState } from "../../state/server/agents/agent.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { SearchField } from "../../ui/field.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { count } from "../../words/common.ts";
import { dayWithin } from "../../words/times.ts";
import { useToday } from "../parts/derived.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { Find } from "../said/said.tsx";
import { ListNotice, OlderButton } from "./list.tsx";
import { useWatch } from "./use.ts";

/** Letters are sent for as a word, not one by one. */
const SEARCH_AFTER_MS = 250;
const MAX_SEARCH = 200;

/** The field in the place of the chips. */
export function ChatSearch(props: {
  readonly state: AgentState;
  readonly onDone: () => void;
}): JSX.Element {
  const { state, onDone } = props;
  const [search, setSearch] = useState(state.search.peek());
  const field = useRef<HTMLInputElement>(null);
  // A press has opened it.
  useEffect(() => giveFocus(field.current, document.activeElement), []);
  useEffect(() => {
    const asked = search.trim();
    if (asked === state.search.peek()) return;
    const timer = setTimeout(() => {
      state.search.value = asked;
      state.found.clear();
      if (asked !== "") void state.found.reload();
    }, SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [search]);
  const done = () => {
    state.search.value = "";
    state.found.clear();
    onDone();
  };
  return (
    <div class="chat-search flex gap-4">
      <SearchField
        label="Search what was said"
        clearLabel="Clear search"
        value={search}
        onChange={setSearch}
        onLeave={done}
        maxLength={MAX_SEARCH}
        field={field}
      />
      <Button tone="plain" onClick={done}>
        Done
      </Button>
    </div>
  );
}

/** What a search has found, in the place of the chat, the newest first. */
export function ChatFinds(props: {
  readonly state: AgentState;
  readonly program: string;
}): JSX.Element {
  const { state, program } = props;
  const { chat, found } = state;
  useWatch(found);
  const today = useToday();
  const top = useRef<HTMLDivElement>(null);
  const search = state.search.value;
  // A search begins with what it found first, wherever the chat stood.
  useLayoutEffect(() => top.current?.closest(".scroll")?.scrollTo(0, 0), [search]);
  const messages = found.items.value;
  const n = count(messages?.length ?? 0, "message", "messages");
  const { retained_from: from = null, history_truncated = false } = chat.facts.value ?? {};
  const since = from === null ? "" : `, kept since ${dayWithin(from, today)}`;
  return (
    <div ref={top}>
      <ListNotice list={found} isDown={false} />
      {messages === null && found.failure.value === null && <Skeletons />}
      {messages?.length === 0 && <Empty title="No match" text="No message fits." isStatus />}
      {messages !== null && messages.length > 0 && (
        <>
          <p class="found-count pad mt-8 fs-13 numbers text-2" role="status">
            {n}
            {found.hasMore.value ? " so far" : since}
          </p>
          <ul class="found surface round-3">
            {messages.map(({ id, agent_id, role, created_at, content }) => (
              <Find
                key={id}
                hash={agentHash(agent_id, id)}
                speaker={role === "user" ? "You" : program}
                at={created_at}
                find={findIn(content, search)}
              />
            ))}
          </ul>
          <OlderButton list={found} />
          {!found.hasMore.value && history_truncated && (
            <p class="chat-end centred fs-12 text-2">Older messages are no longer kept.</p>
          )}
        </>
      )}
    </div>
  );
}
