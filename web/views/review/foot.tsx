import type { JSX } from "preact";
import { SHIELD_MS } from "../../model/guard.ts";
import { isMarkable, type Card } from "../../model/review/cards.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { desk as words, pass, review } from "../../words/review.ts";
import { KeyCaps } from "../parts/key-caps.tsx";

/** Below the chosen card, always in the same place: put off, or marked and on to the next. */
export function CardFoot(props: {
  readonly workspace: Workspace;
  readonly card: Card;
}): JSX.Element {
  const { workspace, card } = props;
  const { clock, layout } = useBrowser();
  const { chosen, marks } = workspace;
  const mark = marks.of(card.agentId).value;
  const isReviewed = mark?.step === "reviewed";
  const canMark = isMarkable(card) && !isReviewed;
  const hasKeys = layout.columns.value === 3;
  const isLeft = ({ agentId, latest }: Card) =>
    latest !== null && marks.of(agentId).peek()?.step !== "reviewed";
  // A press right after the card was swapped was meant for the one before.
  const steady = (run: () => void) => () => {
    if (clock.monotonicMs() - chosen.swappedAt.peek() >= SHIELD_MS) run();
  };
  const reviewed = async () => {
    // Another card may have been chosen while the mark was on its way.
    if ((await marks.mark(card.drawn)) && chosen.id.peek() === card.agentId) chosen.lead(isLeft);
  };
  return (
    <footer class="card-foot" data-acts>
      {(!layout.isLow.value || mark?.step === "failed") && (
        <p class="card-foot-text" role={mark?.step === "failed" ? "alert" : undefined}>
          {textOf(card, mark?.step ?? null)}
          {marks.count.value === 1 && ` ${words.noUndo}`}
        </p>
      )}
      <div class="card-foot-acts">
        <Button data-later onClick={steady(() => chosen.lead(isLeft))}>
          {canMark ? pass.later : pass.next}
          {hasKeys && <KeyCaps keys="l" />}
        </Button>
        {canMark && (
          <Button
            data-mark
            disabled={mark?.step === "marking" || workspace.isDown.value}
            onClick={steady(() => void reviewed())}
          >
            <Icon name="check" />
            {mark?.step === "marking" ? review.marking : pass.reviewed}
            {hasKeys && <KeyCaps keys="m" />}
          </Button>
        )}
      </div>
    </footer>
  );
}

function textOf({ drawn }: Card, step: "marking" | "reviewed" | "failed" | null): string {
  if (step === "failed") return `${review.notMarked}. ${review.notMarkedText}`;
  const at = drawn.as_of_snapshot_at;
  if (at === null) return "";
  return step === "reviewed"
    ? review.reviewedUpTo(timeOfDay(at))
    : words.reviewedMeans(timeOfDay(at));
}
