import type { JSX } from "preact";
import { appearanceOf, sinceOf, type Pane } from "../../model/pane.ts";
import { useClient } from "../../state/client.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { common, timeOfDay, waitText } from "../../words/common.ts";
import { answer } from "../../words/queue.ts";

/** How long a pane waits, has failed, or has not been seen. The only part that the clock redraws. */
export function Wait(props: { readonly pane: Pane; readonly worded?: boolean }): JSX.Element {
  const { pane, worded = false } = props;
  const { clock, connection, waits } = useClient();
  const appearance = appearanceOf(pane);
  if (connection.value.phase === "offline") {
    return (
      <span class="wait stale">
        <StatusIcon shape="stale" label={common.status.stale} />
        {answer.at(timeOfDay(waits.since(pane)))}
      </span>
    );
  }
  const isWaiting = appearance === "needs_input";
  const from = isWaiting ? waits.since(pane) : sinceOf(pane);
  const text = waitText(clock.now.value - (appearance === "stale" ? pane.updated : from));
  return (
    <span class={`wait ${appearance}`}>
      <StatusIcon shape={appearance} label={common.status[appearance]} />
      <span class="numbers">{wording(appearance, text, worded)}</span>
    </span>
  );
}

function wording(appearance: string, text: string, worded: boolean): string {
  if (appearance === "stale") return common.ageOf(text);
  return worded && appearance === "needs_input" ? answer.waitingFor(text) : text;
}

/** The time at the end of a row: the wait, the age, or the time of day of the last change. */
export function RowTime(props: { readonly pane: Pane }): JSX.Element {
  const { pane } = props;
  const { clock, waits } = useClient();
  const appearance = appearanceOf(pane);
  if (appearance === "offline") return <span class="row-time">{common.status.offline}</span>;
  const now = clock.now.value;
  if (appearance === "stale")
    return <span class="row-time stale">{common.ageOf(waitText(now - pane.updated))}</span>;
  const since = appearance === "needs_input" ? waits.since(pane) : sinceOf(pane);
  const isDone = appearance === "idle" && now - since > 3600;
  return (
    <span class={`row-time numbers ${appearance}`}>
      {isDone ? timeOfDay(since) : waitText(now - since)}
    </span>
  );
}
