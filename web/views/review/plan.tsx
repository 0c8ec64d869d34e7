import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { PlanRow } from "../../state/server/agents/planned.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { plan as words } from "../../words/review.ts";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { PlanBar } from "./plan-bar.tsx";
import { PlanBlocked, PlanCard, PlanEnded } from "./plan-card.tsx";
import { PlanRunning } from "./plan-run.tsx";
import { usePlanKeys } from "./plan-keys.ts";
import { ReviewNotice } from "./screen.tsx";
import { useFollowed, useWorkspace } from "./use.ts";

/** Answers are chosen first; one tap sends them, one after another. */
export function ReviewPlan(): JSX.Element {
  const { router } = useBrowser();
  const { config, workspace: switched } = useServer();
  const workspace = useWorkspace();
  const element = useRef<HTMLElement>(null);
  const isOff = config.current.value !== null && switched.facts.value.step !== "on";
  useFollowed(workspace?.followed.review ?? null);
  useEffect(() => workspace?.planned.open(), [workspace]);
  useEffect(() => {
    if (isOff) router.replace("#/queue");
  }, [isOff]);
  usePlanKeys(element, workspace?.planned ?? null);
  const run = workspace?.planned.sending.run.value ?? null;
  return (
    <main class="plan" id="content" ref={element}>
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
  const blocked = rows.filter(isBlocked);
  return (
    <>
      <PlanBar
        title={words.title}
        text={words.nothingSent}
        onBack={() => router.back("#/review")}
      />
      <div class="plan-body scroll">
        <ReviewNotice workspace={workspace} />
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
        <PlanBlocked workspace={workspace} rows={blocked} />
      </div>
      <SendBar workspace={workspace} />
    </>
  );
}

/** An earlier page's plan, after all of it was read again. */
function Restored({ workspace }: { readonly workspace: Workspace }): JSX.Element | null {
  const { planned } = workspace;
  if (!planned.isRestored.value || !planned.isRead.value) return null;
  const lost = Object.values(planned.lost.value);
  return (
    <div class="banner" role="status">
      <Icon name="clock" />
      <div class="grow">
        <b>{words.restored}</b>
        {words.restoredText({
          fit: planned.ready.value.length,
          changed: lost.filter((why) => why === "changed").length,
          ended: lost.filter((why) => why === "gone").length,
          uncertain: lost.filter((why) => why === "uncertain").length,
        })}
      </div>
      <Button size="small" onClick={() => planned.clear()}>
        {words.clear}
      </Button>
    </div>
  );
}

function NothingAsked(): JSX.Element {
  const { router } = useBrowser();
  return (
    <div class="empty">
      <h2>{words.emptyTitle}</h2>
      <p>{words.emptyText}</p>
      <Button onClick={() => router.back("#/review")}>{words.backToReview}</Button>
    </div>
  );
}

function SendBar({ workspace }: { readonly workspace: Workspace }): JSX.Element | null {
  const { layout } = useBrowser();
  const { planned, isDown } = workspace;
  const n = planned.ready.value.length;
  const open = planned.rows.value.filter(
    ({ agent, decision, isOpen }) => isOpen && planned.takes(agent, decision),
  ).length;
  if (open === 0) return null;
  return (
    <footer class="plan-actions">
      <Button
        tone="primary"
        size="block"
        disabled={n === 0 || isDown.value || !planned.isRead.value}
        onClick={() => void planned.send()}
      >
        <span class="numbers">
          {words.send(n)}
          {n > 0 && open > n && <span class="plan-open">{words.staysOpen(open - n)}</span>}
        </span>
        {layout.columns.value > 1 && n > 0 && <KeyCaps keys="mod Enter" />}
      </Button>
    </footer>
  );
}
