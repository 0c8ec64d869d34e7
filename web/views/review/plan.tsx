import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PlanRow } from "../../state/server/agents/planned.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { plan as words } from "../../words/review.ts";
import { Skeletons } from "../parts/skeletons.tsx";
import { PlanBeside } from "./plan-beside.tsx";
import { PlanBar } from "./plan-bar.tsx";
import { PlanBlocked, PlanCard, PlanEnded } from "./plan-card.tsx";
import { PlanRunning } from "./plan-run.tsx";
import { Restored, SendBar } from "./plan-parts.tsx";
import { usePlanKeys } from "./plan-keys.ts";
import { ReviewNotice } from "../queue/review-notice.tsx";
import { useWatch, useWorkspace } from "./use.ts";

/** Answers are chosen first; one tap sends them, one after another. */
export function ReviewPlan(): JSX.Element {
  const { layout } = useBrowser();
  const workspace = useWorkspace();
  useWatch(workspace?.review ?? null);
  useEffect(() => workspace?.planned.open(), [workspace]);
  usePlanKeys(workspace?.planned ?? null);
  const run = workspace?.planned.sending.run.value ?? null;
  if (layout.hasThird.value) return <PlanBeside />;
  return (
    <main class="plan" id="content">
      {workspace !== null &&
        (run === null ? (
          <Choosing workspace={workspace} />
        ) : (
          <PlanRunning workspace={workspace} run={run} />
        ))}
    </main>
  );
}

function Choosing({ workspace }: { readonly workspace: Workspace }): JSX.Element {
  const { router } = useBrowser();
  const { planned, review } = workspace;
  const isWaiting = !planned.isRead.value && review.failure.value === null;
  const rows = planned.rows.value;
  const isBlocked = ({ agent, decision, isOpen }: PlanRow) =>
    isOpen && !planned.takes(agent, decision);
  return (
    <>
      <PlanBar title={words.title} text={words.nothingSent} onBack={() => router.back("#/queue")} />
      <div class="plan-body scroll">
        <ReviewNotice />
        {isWaiting && <Skeletons />}
        <Restored workspace={workspace} />
        {rows
          .filter((row) => !isBlocked(row))
          .map((row) =>
            row.isOpen ? (
              <PlanCard key={row.decision.id} workspace={workspace} row={row} />
            ) : (
              <PlanEnded key={row.decision.id} workspace={workspace} row={row} />
            ),
          )}
        {planned.isRead.value && rows.length === 0 && <NothingAsked />}
        <PlanBlocked workspace={workspace} rows={rows.filter(isBlocked)} />
      </div>
      <SendBar workspace={workspace} />
    </>
  );
}

function NothingAsked(): JSX.Element {
  const { router } = useBrowser();
  return (
    <div class="empty">
      <h2>{words.emptyTitle}</h2>
      <p>{words.emptyText}</p>
      <Button onClick={() => router.back("#/queue")}>{words.backToReview}</Button>
    </div>
  );
}
