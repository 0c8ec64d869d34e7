import type { JSX } from "preact";
import { sinceOf } from "../../../src/protocol/waiting.ts";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { common, timeOfDay, waitText } from "../../words/common.ts";
import { useDerived } from "./derived.ts";

/** How long a pane waits, has failed, or has not been seen. The only part that the clock redraws. */
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
  if (phase.value === "offline") {
    return (
      <span class="wait stale">
        <StatusIcon shape="stale" label={common.status.stale} />
        {`at ${timeOfDay(sinceOf(pane))}`}
      </span>
    );
  }
  const text = waitText(clock.now.value - sinceOf(pane));
  if (isCalm) return <span class="wait idle numbers">{text}</span>;
  return (
    <span class={`wait ${appearance}`}>
      <StatusIcon shape={appearance} label={common.status[appearance]} />
      <span class="numbers">
        {appearance === "stale"
          ? staleAge(readAt(pane), clock.now.value)
          : wording(appearance, text, worded)}
      </span>
    </span>
  );
}

/** How old what is shown is, where that is known. */
export const staleAge = (readAt: number, now: number): string =>
  readAt > 0 ? `${waitText(now - readAt)} old` : common.status.stale;

function wording(appearance: string, text: string, worded: boolean): string {
  return worded && appearance === "needs_input" ? `Waiting ${text}` : text;
}

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
