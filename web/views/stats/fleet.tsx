import type { JSX } from "preact";
import { countByAppearance, groupPanes } from "../../model/filter.ts";
import type { Appearance } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { common, count } from "../../words/common.ts";
import { useDerived } from "../parts/derived.ts";
import { Panel } from "./panel.tsx";

const ALWAYS: readonly Appearance[] = ["needs_input", "error", "working", "idle", "offline"];
const ORDER: readonly Appearance[] = [...ALWAYS, "finished", "parked", "stale", "unknown"];
/** Between two parts of the strip, in percent of its length. */
const GAP = 0.6;

/** How many panes there are, by what they do. */
export function Fleet(): JSX.Element {
  const { panes } = useServer();
  const isKnown = panes.isLoaded.value;
  const { size, sessions, counted } = useDerived(() => {
    const all = panes.all.value;
    const named = groupPanes(all).filter(({ label }) => label !== "");
    return { size: all.length, sessions: named.length, counted: [...countByAppearance(all)] };
  }, []);
  const counts = new Map(counted);
  const shown = ORDER.filter((name) => ALWAYS.includes(name) || counts.has(name));
  return (
    <Panel
      title="Fleet"
      end={
        isKnown && (
          <span class="numbers">
            {count(size, "pane", "panes")}, {count(sessions, "session", "sessions")}
          </span>
        )
      }
    >
      <dl class="fleet wrap between gap-8">
        {shown.map((name) => (
          <div key={name}>
            <dt>{common.status[name]}</dt>
            <dd class="numbers">
              <StatusIcon shape={name} />
              {isKnown ? (counts.get(name) ?? 0) : "–"}
            </dd>
          </div>
        ))}
      </dl>
      {size > 0 && <Strip counts={shown.map((name) => [name, counts.get(name) ?? 0])} />}
    </Panel>
  );
}

/** The same numbers as lengths. */
function Strip(props: {
  readonly counts: readonly (readonly [Appearance, number])[];
}): JSX.Element {
  const parts = props.counts.filter(([, n]) => n > 0);
  const total = parts.reduce((sum, [, n]) => sum + n, 0);
  const room = 100 - GAP * (parts.length - 1);
  let at = 0;
  return (
    <svg class="strip full mt-12" aria-hidden="true">
      {parts.map(([name, n]) => {
        const width = (n / total) * room;
        const x = at;
        at += width + GAP;
        return (
          <rect
            key={name}
            class={`strip-${name}`}
            x={`${x}%`}
            width={`${width}%`}
            height="8"
            rx="2"
          />
        );
      })}
    </svg>
  );
}
