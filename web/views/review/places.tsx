import type { JSX } from "preact";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { common } from "../../words/common.ts";
import { places as words } from "../../words/places.ts";
import { useWaitingCount } from "../parts/derived.ts";
import { Places } from "../parts/places.tsx";
import { useWatch, useWorkspace } from "./use.ts";

/** The two halves of the queue: what waits in panes, and what changed. There only while it is on. */
export function QueuePlaces(): JSX.Element | null {
  const { workspace: switched } = useServer();
  const { router } = useBrowser();
  const workspace = useWorkspace();
  const facts = switched.facts.value;
  const hasReview = facts.step === "on" && facts.hasReview;
  useWatch(hasReview ? (workspace?.summary ?? null) : null);
  const waiting = useWaitingCount();
  if (!hasReview) return null;
  const isReview = router.half.value === "review";
  const cards = workspace?.summary.value.value?.counts.total_cards ?? 0;
  const waitingBadge = waiting > 0 && (
    <span class="badge numbers" role="img" aria-label={common.waitingBadge(waiting)}>
      {waiting}
    </span>
  );
  const cardCount = cards > 0 && <span class="place-count numbers">{cards}</span>;
  return (
    <Places
      label={words.queue}
      places={[
        { hash: "#/queue", label: words.waiting, isOn: !isReview, end: waitingBadge },
        { hash: "#/review", label: words.review, isOn: isReview, end: cardCount },
      ]}
    />
  );
}

/** A window was reached and there is work: said where a person looks, never in the way of an answer. */
export function DueBanner(): JSX.Element | null {
  const { router } = useBrowser();
  const { workspace: switched } = useServer();
  const workspace = useWorkspace();
  const facts = switched.facts.value;
  const hasReview = facts.step === "on" && facts.hasReview;
  useWatch(hasReview ? (workspace?.summary ?? null) : null);
  const review = workspace?.summary.value.value ?? null;
  if (!hasReview || review === null || !review.due.is_due || !review.due.has_work) return null;
  return (
    <div class="due-banner" role="status">
      <Icon name="clock" class="small" />
      <span class="grow">
        {words.due} · {words.cards(review.counts.total_cards)}
      </span>
      <Button tone="plain" onClick={() => router.goReview()}>
        {words.open}
      </Button>
    </div>
  );
}
