// How a pane or an agent stands: a tile of two letters with the status at its corner, and its times.
import type { JSX } from "preact";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { sinceOf } from "../../../src/protocol/waiting.ts";
import { appearanceOf, kindLetters, type Pane, tileLetters, tileTone } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { StatusIcon, type StatusShape } from "../../ui/button.tsx";
import { useDerived } from "./derived.ts";
import { common, daysBetween, timeOfDay, waitText } from "../../words/common.ts";

/** Each agent has a colour of its own; programs and shells are grey. */
export function Tile(props: { readonly pane: Pane; readonly status?: boolean }): JSX.Element {
  const { pane, status = false } = props;
  const tone = tileTone(pane.kind, pane.agent !== null);
  return tile(tileLetters(pane), tone, status ? appearanceOf(pane) : null);
}

export function AgentTile(props: {
  readonly agent: Pick<SeenAgent, "runtime">;
  readonly shape?: StatusShape;
}): JSX.Element {
  const { agent, shape = null } = props;
  const { runtime } = agent;
  return tile(kindLetters(runtime, runtime), tileTone(runtime, true), shape);
}

function tile(letters: string, tone: string, shape: StatusShape | null): JSX.Element {
  const spoken = shape === null || shape === "ok" ? "" : common.status[shape];
  const hue = tone === "" ? {} : { color: `var(--${tone})`, background: `var(--${tone}-tint)` };
  return (
    <span class={`tile ${shape === null ? "" : "with-status"}`} style={hue}>
      <span aria-hidden="true">{letters}</span>
      {shape !== null && <StatusIcon shape={shape} label={spoken} />}
    </span>
  );
}

const HOUR_SECONDS = 3600;

/** How long a pane is in its state, or how old its screen is; redrawn when the words change. */
export function usePaneTime(
  pane: Pane,
  { isCalm = false, isInRow = false }: { readonly isCalm?: boolean; readonly isInRow?: boolean },
): string {
  const { phase, readAt } = useServer();
  const { clock } = useBrowser();
  const appearance = appearanceOf(pane);
  return useDerived(() => {
    const since = sinceOf(pane);
    // Whether the state still lasts is unknown then.
    if (phase.value === "offline") return `at ${timeOfDay(since)}`;
    const now = clock.now.value;
    if (appearance === "stale" && !isCalm)
      return readAt(pane) > 0 ? `${waitText(now - readAt(pane))} old` : common.status.stale;
    const isLongIdle = isInRow && appearance === "idle" && now - since > HOUR_SECONDS;
    return isLongIdle && daysBetween(since, now) === 0 ? timeOfDay(since) : waitText(now - since);
  }, [pane, isCalm]);
}

export function Wait(props: {
  readonly pane: Pane;
  readonly worded?: boolean;
  /** It was answered: drawn without a tone. */
  readonly isCalm?: boolean;
}): JSX.Element {
  const { pane, worded = false, isCalm = false } = props;
  const isOffline = useServer().phase.value === "offline";
  const text = usePaneTime(pane, { isCalm });
  if (isCalm && !isOffline) return <span class="wait idle numbers">{text}</span>;
  const shape = isOffline ? "stale" : appearanceOf(pane);
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

/** The time since `at`, null meaning now; redrawn when the words change, not each second. */
export function Ago(props: { readonly at: number | null; readonly class?: string }): JSX.Element {
  const { at } = props;
  const { clock } = useBrowser();
  const text = useDerived(() => waitText(at === null ? 0 : clock.now.value - at), [at]);
  return <span class={`${props.class ?? ""} numbers`}>{text}</span>;
}

export function QuestionAge({ at }: { readonly at: number }): JSX.Element {
  return (
    <span class="wait needs_input">
      <StatusIcon shape="needs_input" label={common.status.needs_input} />
      <Ago at={at} />
    </span>
  );
}
