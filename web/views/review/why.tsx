import type { JSX } from "preact";
import type { SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import type { Card } from "../../model/review/cards.ts";
import { useBrowser } from "../../state/client.ts";
import { StatusIcon, type StatusShape } from "../../ui/icons.tsx";
import { waitText } from "../../words/common.ts";
import { pass as words } from "../../words/review.ts";

type Reason = Exclude<SeenGroup["rank_reason"], "unknown">;

const SHAPES: Readonly<Record<Reason, StatusShape | null>> = {
  urgent_decision: "needs_input",
  pending_decision: "needs_input",
  error: "error",
  new_blocker: null,
  changed: null,
};

/** Why a card stands where it does, and since when. */
export function Why({ card: { latest } }: { readonly card: Card }): JSX.Element {
  const { clock } = useBrowser();
  if (latest === null)
    return (
      <p class="wait ok">
        <StatusIcon shape="ok" />
        {words.over}
      </p>
    );
  const { rank_reason, oldest_pending_decision_at, as_of_snapshot_at, agent } = latest;
  const reason = rank_reason === "unknown" ? "changed" : rank_reason;
  const since = oldest_pending_decision_at ?? as_of_snapshot_at ?? agent.updated_at;
  const shape = SHAPES[reason];
  return (
    <p class={`wait ${shape ?? "idle"}`}>
      {shape !== null && <StatusIcon shape={shape} />}
      <span class="numbers">{words.why[reason](waitText(clock.now.value - since))}</span>
    </p>
  );
}
