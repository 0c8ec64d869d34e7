import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { AgentState } from "../../state/server/agents/agent.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { SearchField } from "../../ui/field.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { ChatFound } from "./chat-found.tsx";
import { ListNotice } from "./list.tsx";
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
      if (asked !== "") void state.found.replace();
    }, SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [search]);
  const done = () => {
    state.search.value = "";
    state.found.clear();
    onDone();
  };
  return (
    <div class="chat-search">
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

/** What a search has found, in the place of the chat. */
export function ChatFinds(props: {
  readonly state: AgentState;
  readonly program: string;
}): JSX.Element {
  const { state, program } = props;
  const { found } = state;
  useWatch(found);
  const messages = found.items.value;
  return (
    <>
      <ListNotice list={found} isDown={false} />
      {messages === null && found.failure.value === null && <Skeletons />}
      {messages?.length === 0 && <Empty title="No match" text="No message fits." isStatus />}
      {messages !== null && messages.length > 0 && (
        <ChatFound state={state} messages={messages} program={program} />
      )}
    </>
  );
}
