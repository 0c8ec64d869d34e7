import type { JSX } from "preact";
import type { PagedQuery, Query } from "../../state/server/query.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";
import { Skeletons } from "./skeletons.tsx";

/** How a question to the server stands: on its way, not answered, or answered with what may be old. */
export function Asked(props: {
  readonly query: Query<unknown>;
  readonly failed?: string;
  readonly isDown?: boolean;
  /** While it is on its way nothing stands here. */
  readonly isQuiet?: boolean;
}): JSX.Element | null {
  const { query, failed = "The list could not be loaded", isDown = false, isQuiet = false } = props;
  const isShown = query.value.value !== null;
  const hasFailed = query.failure.value !== null;
  if (!isShown && !hasFailed) return isQuiet ? null : <Skeletons />;
  if (!hasFailed && !isDown) return null;
  return (
    <Notice
      icon={isShown ? "clock" : "warning"}
      tone={isShown ? "stale" : "error"}
      title={isShown ? "This may be old" : failed}
      isAlert={!isShown}
      isBoxed
      actions={<Button onClick={() => void query.reload()}>{common.retry}</Button>}
    />
  );
}

/** It was asked for, and is not there any more. */
export function isMissing({ failure }: Query<unknown>): boolean {
  const { value } = failure;
  return value?.kind === "refused" && value.status === 404;
}

export function OlderButton(props: {
  readonly list: Pick<PagedQuery<unknown>, "hasMore" | "isLoading" | "more">;
  readonly label?: string;
}): JSX.Element | null {
  const { list, label = "Older" } = props;
  if (!list.hasMore.value) return null;
  return (
    <p class="older">
      <Button tone="plain" disabled={list.isLoading.value} onClick={() => void list.more()}>
        {label}
      </Button>
    </p>
  );
}
