import type { JSX } from "preact";
import { sinceOf } from "../../../src/protocol/waiting.ts";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { common, timeOfDay, waitText } from "../../words/common.ts";
import { useDerived } from "./derived.ts";

/** How long a pane waits, has failed, or has not been seen; drawn again when its words change. */
export function Wait(props: {
  readonly pane: Pane;
  readonly worded?: boolean;
  /** It was answered. */
  readonly isCalm?: boolean;
}): JSX.Element {
  const { pane, worded = false, isCalm = false } = props;
  const { phase, readAt } = useServer();
  const { clock } = useBrowser();
  const appearance = appearanceOf(pane);
  const isOffline = phase.value === "offline";
  const text = useDerived(() => {
    if (isOffline) return `at ${timeOfDay(sinceOf(pane))}`;
    const now = clock.now.value;
    if (appearance === "stale" && !isCalm) return staleAge(readAt(pane), now);
    return waitText(now - sinceOf(pane));
  }, [pane, isCalm, isOffline]);
  if (isCalm && !isOffline) return <span class="wait idle numbers">{text}</span>;
  const shape = isOffline ? "stale" : appearance;
  return (
    <span class={`wait ${shape}`}>
      <StatusIcon shape={shape} label={common.status[shape]} />
      <span class="numbers">
        {worded && shape === "needs_input" && "Waiting "}
        {text}
      </span>
    </span>
  );
}

/** How old what is shown is, where that is known. */
export const staleAge = (readAt: number, now: number): string =>
  readAt > 0 ? `${waitText(now - readAt)} old` : common.status.stale;

/** The time since a moment; without one, now. Drawn again when its words change, not with every second. */
export function Ago(props: { readonly at: number | null; readonly class?: string }): JSX.Element {
  const { at } = props;
  const { clock } = useBrowser();
  const text = useDerived(() => waitText(at === null ? 0 : clock.now.value - at), [at]);
  return <span class={`${props.class ?? ""} numbers`}>{text}</span>;
}

/** How long something is asked. */
export function Asked({ at }: { readonly at: number }): JSX.Element {
  return (
    <span class="wait needs_input">
      <StatusIcon shape="needs_input" label={common.status.needs_input} />
      <Ago at={at} />
    </span>
  );
}
