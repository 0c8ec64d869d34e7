import { computed } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { sinceOf } from "../../../src/protocol/waiting.ts";
import { appearanceOf, type Appearance, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { common, timeOfDay, waitText } from "../../words/common.ts";
import type { Nearness } from "./row.tsx";
import { staleAge } from "./wait.tsx";

const HOUR_SECONDS = 3600;

/** The time at the end of a row: the wait, the age, or the time of day of the last change. */
export function RowTime(props: { readonly pane: Pane; readonly isNear: Nearness }): JSX.Element {
  const { pane, isNear } = props;
  const { phase, readAt } = useServer();
  const { clock } = useBrowser();
  const appearance = appearanceOf(pane);
  // Drawn again when the words change, not with every second, and not for nobody to see.
  const text = useMemo(
    () =>
      computed(() => {
        const isSeen = isNear.value;
        const now = isSeen ? clock.now.value : clock.now.peek();
        const isOffline = (isSeen ? phase.value : phase.peek()) === "offline";
        if (appearance === "stale" && !isOffline) return staleAge(readAt(pane), now);
        return rowTime({ pane, appearance, now, isOffline });
      }),
    [pane],
  );
  return <span class={`row-time numbers ${appearance}`}>{text}</span>;
}

interface RowFacts {
  readonly pane: Pane;
  readonly appearance: Appearance;
  readonly now: number;
  /** What lasts on is not known then. */
  readonly isOffline: boolean;
}

function rowTime({ pane, appearance, now, isOffline }: RowFacts): string {
  if (appearance === "offline") return common.status.offline;
  const since = sinceOf(pane);
  if (isOffline) return `at ${timeOfDay(since)}`;
  const isDone = appearance === "idle" && now - since > HOUR_SECONDS;
  return isDone ? timeOfDay(since) : waitText(now - since);
}
