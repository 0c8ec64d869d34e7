import type { JSX } from "preact";
import { SHIELD_MS } from "../../model/guard.ts";
import { agentOf } from "../../model/queue/order.ts";
import { isMarkable, type Card } from "../../model/queue/cards.ts";
import type { Mark } from "../../state/server/agents/review.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { review } from "../../words/review.ts";
import { ContextNote } from "../parts/context.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import type { Chosen } from "./beside.tsx";

/** Below the selected card, always in the same place: put off, put away, or marked and on to the next. */
export function BesideFoot({ slot, pane, known }: Chosen): JSX.Element {
  const { queue } = useServer();
  const { clock, layout } = useBrowser();
  const { chosen } = queue;
  const marks = known?.workspace.marks ?? null;
  const mark = marks?.of(known?.card.agentId ?? "").value ?? null;
  const canMark = known !== null && isMarkable(known.card) && mark?.step !== "reviewed";
  const isError = pane !== null && queue.entry(slot.key)?.section === "errors";
  const isLeft = (key: string) =>
    queue.entry(key) !== null && marks?.of(agentOf(key) ?? "").peek()?.step !== "reviewed";
  // A press right after the card was swapped was meant for the one before.
  const steady = (run: () => void) => () => {
    if (clock.monotonicMs() - chosen.swappedAt.peek() >= SHIELD_MS) run();
  };
  const later = () => {
    chosen.lead(isLeft);
    queue.later(slot.key);
  };
  const reviewed = async () => {
    if (known === null) return;
    const isMarked = await known.workspace.marks.mark(known.card.drawn);
    // Another card may have been chosen while the mark was on its way.
    if (isMarked && chosen.key.peek() === slot.key) chosen.lead(isLeft);
  };
  const keys = (name: string) => layout.columns.value === 3 && <KeyCaps keys={name} />;
  const hasText = known !== null && (!layout.isLow.value || mark?.step === "failed");
  return (
    <footer class="card-foot" data-acts>
      <ContextNote paneId={slot.paneId} agentId={agentOf(slot.key)} />
      {hasText && (
        <p class="card-foot-text" role={mark?.step === "failed" ? "alert" : undefined}>
          {textOf(known.card, mark)}
          {marks?.count.value === 1 &&
            ` A mark cannot be taken back; the timeline keeps everything.`}
        </p>
      )}
      <div class="card-foot-acts">
        <Button data-later onClick={steady(later)}>
          Later
          {keys("l")}
        </Button>
        {isError && (
          <Button data-put-away onClick={steady(() => queue.putAway(slot.key))}>
            Put away
            {keys("x")}
          </Button>
        )}
        {canMark && (
          <Button
            data-mark
            disabled={mark?.step === "marking" || known.workspace.isDown.value}
            onClick={steady(() => void reviewed())}
          >
            <Icon name="check" />
            {mark?.step === "marking" ? "Marking" : "Reviewed"}
            {keys("m")}
          </Button>
        )}
      </div>
    </footer>
  );
}

function textOf({ drawn }: Card, mark: Mark | null): string {
  if (mark?.step === "failed") return `Not marked. ${review.notMarkedText}`;
  const at = drawn.as_of_snapshot_at;
  if (at === null) return "";
  return mark?.step === "reviewed"
    ? `reviewed up to ${timeOfDay(at)}`
    : `Reviewed means the state of ${timeOfDay(at)} that is shown here.`;
}
