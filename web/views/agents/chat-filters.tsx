import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { reviewedAt } from "../../model/chat/reviewed.ts";
import { beginOf, CHAT_TIME_NAMES, timeOfBegin } from "../../model/chat/time.ts";
import type { ChatFilter } from "../../net/agents-api.ts";
import { NO_FILTER, type AgentState } from "../../state/server/agents/agent.ts";
import { useBrowser } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { SearchField } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { agents as agentWords } from "../../words/agents.ts";
import { chat as words } from "../../words/chat.ts";
import { giveFocus } from "../../ui/focus.ts";

/** Letters are sent for as a word, not one by one. */
const SEARCH_AFTER_MS = 250;
const MAX_SEARCH = 200;
const ANY_TIME = "any";

/** Narrows what is shown: by speaker, to what came since the last review, by words. */
export function ChatFilters(props: {
  readonly state: AgentState;
  readonly program: string;
  /** How many messages have come since the last review; null where that is not known. */
  readonly since: number | null;
}): JSX.Element {
  const { state, program, since } = props;
  const [isSearching, setSearching] = useState(state.filter.peek().q !== "");
  if (isSearching)
    return (
      <div class="chat-filters">
        <Search
          state={state}
          onDone={() => {
            setSearching(false);
            if (state.filter.peek().q !== "") state.narrow({ ...state.filter.peek(), q: "" });
          }}
        />
        <Chips state={state} program={program} since={null} all={words.both}>
          <TimeChoice
            after={state.filter.value.after}
            onChoose={(after) => state.narrow({ ...state.filter.peek(), after })}
          />
        </Chips>
      </div>
    );
  return (
    <div class="chat-filters row-of-two">
      <Chips state={state} program={program} since={since} all={words.all} />
      <IconButton icon="search" label={words.search} onClick={() => setSearching(true)} />
    </div>
  );
}

function Search({ state, onDone }: { readonly state: AgentState; readonly onDone: () => void }) {
  const [search, setSearch] = useState(state.filter.peek().q);
  const field = useRef<HTMLInputElement>(null);
  // A press has opened it.
  useEffect(() => giveFocus(field.current, document.activeElement), []);
  useEffect(() => {
    if (search.trim() === state.filter.peek().q) return;
    const timer = setTimeout(
      () => state.narrow({ ...state.filter.peek(), q: search.trim() }),
      SEARCH_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [search]);
  return (
    <div class="chat-search">
      <SearchField
        label={words.search}
        clearLabel={agentWords.clearSearch}
        value={search}
        onChange={setSearch}
        onLeave={onDone}
        maxLength={MAX_SEARCH}
        field={field}
      />
      <Button tone="plain" onClick={onDone}>
        {words.done}
      </Button>
    </div>
  );
}

function Chips(props: {
  readonly state: AgentState;
  readonly program: string;
  readonly since: number | null;
  /** The chip that takes every filter away. */
  readonly all: string;
  readonly children?: JSX.Element;
}): JSX.Element {
  const { state, program, since, all, children } = props;
  const { clock } = useBrowser();
  const filter = state.filter.value;
  const at = reviewedAt(state.chatFacts.value);
  const isAll = filter.role === null && filter.after === null;
  const isSince = filter.after !== null && timeOfBegin(filter.after, clock.now.peek()) === null;
  const narrow = (change: Partial<ChatFilter>) => state.narrow({ ...filter, ...change });
  const toggle = (role: "user" | "assistant") =>
    narrow({ role: filter.role === role ? null : role });
  return (
    <div class="chips" role="group" aria-label={words.filter}>
      <Chip isOn={isAll} onClick={() => state.narrow({ ...NO_FILTER, q: filter.q })}>
        {all}
      </Chip>
      {(at !== null || isSince) && (
        <Chip isOn={isSince} onClick={() => narrow({ after: isSince ? null : at })}>
          {words.sinceReview}
          {since !== null && <span class="chip-count numbers">{since}</span>}
        </Chip>
      )}
      <Chip isOn={filter.role === "user"} onClick={() => toggle("user")}>
        {words.yours}
      </Chip>
      <Chip isOn={filter.role === "assistant"} onClick={() => toggle("assistant")}>
        {words.of(program)}
      </Chip>
      {children}
    </div>
  );
}

/** From which day on; the platform's own list, as for every choice of a few words. */
export function TimeChoice(props: {
  /** Epoch seconds; null: any time. */
  readonly after: number | null;
  readonly onChoose: (after: number | null) => void;
}): JSX.Element {
  const { after, onChoose } = props;
  const { clock } = useBrowser();
  const chosen = timeOfBegin(after, clock.now.peek()) ?? ANY_TIME;
  const choose = (value: string) => {
    const time = CHAT_TIME_NAMES.find((one) => one === value);
    onChoose(time === undefined ? null : beginOf(time, clock.now.peek()));
  };
  return (
    <span class={`chip ${chosen === ANY_TIME ? "" : "on"}`}>
      <Icon name="clock" class="small" />
      <select
        aria-label={words.time}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value={ANY_TIME}>{words.anyTime}</option>
        {CHAT_TIME_NAMES.map((time) => (
          <option key={time} value={time}>
            {words.times[time]}
          </option>
        ))}
      </select>
    </span>
  );
}

function Chip(props: {
  readonly isOn: boolean;
  readonly onClick: () => void;
  readonly children: JSX.Element | string | readonly (JSX.Element | string | false)[];
}): JSX.Element {
  const { isOn, onClick, children } = props;
  return (
    <button type="button" class={`chip ${isOn ? "on" : ""}`} aria-pressed={isOn} onClick={onClick}>
      {children}
    </button>
  );
}
