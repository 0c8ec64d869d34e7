import type { JSX } from "preact";
import { TIMELINE_FILTERS, type TimelineFilter } from "../../model/timeline.ts";
import { Chips } from "../../ui/chips.tsx";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { agents as words } from "../../words/agents.ts";

const ICONS: Readonly<Record<TimelineFilter, IconName>> = {
  decisions: "decided",
  done: "check",
  blockers: "blocked",
  goals: "goal",
};
// The keys of a literal object are its filters and nothing else.
const FILTERS = Object.keys(TIMELINE_FILTERS) as TimelineFilter[];

export function TimelineChips(props: {
  readonly chosen: TimelineFilter | null;
  readonly onChoose: (filter: TimelineFilter | null) => void;
}): JSX.Element {
  return (
    <Chips
      {...props}
      label={words.filter}
      all={{ label: words.everything }}
      chips={FILTERS.map((value) => ({
        value,
        label: words.filters[value],
        mark: <Icon name={ICONS[value]} class="small" />,
      }))}
    />
  );
}
