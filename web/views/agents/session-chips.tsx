import type { JSX } from "preact";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { isInSessionFilter, SESSION_FILTERS, type SessionFilter } from "../../model/lifecycle.ts";
import { Chips } from "../../ui/chips.tsx";
import { StatusIcon, type StatusShape } from "../../ui/icons.tsx";
import { agents as words } from "../../words/agents.ts";

const SHAPES: Readonly<Record<SessionFilter, StatusShape>> = {
  waiting: "needs_input",
  error: "error",
  working: "working",
  uncertain: "unknown",
  over: "offline",
};

/** Narrows the list to one state; one that no session has is not offered. */
export function SessionChips(props: {
  readonly agents: readonly SeenAgent[];
  readonly chosen: SessionFilter | null;
  readonly onChoose: (filter: SessionFilter | null) => void;
}): JSX.Element {
  const { agents, chosen, onChoose } = props;
  const countOf = (filter: SessionFilter) =>
    agents.filter((agent) => isInSessionFilter(agent, filter)).length;
  const offered = SESSION_FILTERS.filter((filter) => filter === chosen || countOf(filter) > 0);
  return (
    <Chips
      label={words.filter}
      all={{ label: words.all, count: agents.length }}
      chips={offered.map((value) => ({
        value,
        label: words.sessionFilters[value],
        mark: <StatusIcon shape={SHAPES[value]} />,
        count: countOf(value),
      }))}
      chosen={chosen}
      onChoose={onChoose}
    />
  );
}
