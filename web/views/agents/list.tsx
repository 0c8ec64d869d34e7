import type { ReadonlySignal } from "@preact/signals";
import type { JSX } from "preact";
import type { PagedQuery } from "../../state/server/query.ts";
import { Button } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { Notice } from "../../ui/notice.tsx";

/** It could not be read, or what is shown may be old. */
export function ListNotice(props: {
  readonly list: {
    readonly items: ReadonlySignal<unknown>;
    readonly failure: ReadonlySignal<unknown>;
    readonly reload: () => Promise<void>;
  };
  readonly isDown: boolean;
}): JSX.Element | null {
  const { list, isDown } = props;
  const hasFailed = list.failure.value !== null;
  if (!hasFailed && !isDown) return null;
  const isShown = list.items.value !== null;
  if (!isShown && !hasFailed) return null;
  return (
    <Notice
      icon={isShown ? "clock" : "warning"}
      tone={isShown ? "stale" : "error"}
      title={isShown ? "This may be old" : "The list could not be loaded"}
      isAlert={!isShown}
      isBoxed
      actions={<Button onClick={() => void list.reload()}>{common.retry}</Button>}
    />
  );
}

export function OlderButton({
  list,
}: {
  readonly list: Pick<PagedQuery<unknown>, "hasMore" | "isLoading" | "more">;
}): JSX.Element | null {
  if (!list.hasMore.value) return null;
  return (
    <p class="older">
      <Button tone="plain" disabled={list.isLoading.value} onClick={() => void list.more()}>
        Older
      </Button>
    </p>
  );
}
