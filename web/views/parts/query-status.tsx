import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Failure, isUncertain, type Result, sentenceOf } from "../../net/api.ts";
import { useBrowser } from "../../state/client.ts";
import type { PagedQuery, Query } from "../../state/server/query.ts";
import { Button } from "../../ui/button.tsx";
import { Notice, Skeletons } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";

/** In place of a value or above it: that its query is loading, has failed, or shows an old one. */
export function QueryStatus(props: {
  readonly query: Query<unknown>;
  /** What did not succeed; the reason of the server follows. */
  readonly failed?: string;
  readonly isDown?: boolean;
  /** Nothing is drawn while it loads. */
  readonly isQuiet?: boolean;
  /** In place of loading the query again. */
  readonly retry?: () => void;
}): JSX.Element | null {
  const { query, failed = "This could not be loaded", isDown = false, isQuiet = false } = props;
  const { retry = () => void query.reload() } = props;
  const isShown = query.value.value !== null;
  const failure = query.failure.value;
  if (!isShown && failure === null) return isQuiet ? null : <Skeletons />;
  if (failure === null && !isDown) return null;
  const title = isShown ? "This may be old" : failed;
  return (
    <Notice
      tone={isShown ? "stale" : "error"}
      title={failure === null ? title : faultOf(title, failure)}
      role={isShown ? undefined : "alert"}
      isBoxed
      actions={<Button onClick={retry}>{common.retry}</Button>}
    />
  );
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

/**
 * Calls `look` at once and then at intervals, once the last one has ended, while the page is visible;
 * another `session` starts anew.
 */
export function usePolling(
  isOn: boolean,
  everyMs: number,
  look: (signal: AbortSignal) => Promise<unknown>,
  session: string | null = null,
): void {
  const { isVisible } = useBrowser();
  const isSeen = isOn && isVisible.value;
  useEffect(() => {
    if (!isSeen) return;
    const looking = new AbortController();
    let isUnderWay = false;
    const next = async () => {
      if (isUnderWay) return;
      isUnderWay = true;
      await look(looking.signal).finally(() => (isUnderWay = false));
    };
    void next();
    const timer = setInterval(() => void next(), everyMs);
    return () => {
      clearInterval(timer);
      looking.abort();
    };
  }, [isSeen, session]);
}

/**
 * The state of a request that a button sends. `unsure` is the text for a request of which nobody knows
 * whether it was carried out.
 */
export function useAct(notDone = "Not done", unsure?: string) {
  const [isBusy, setBusy] = useState(false);
  /** Of the last request. */
  const [failure, setFailure] = useState<Failure | null>(null);
  const fault = failure === null ? "" : faultOf(notDone, failure, unsure);
  /** Null where a request is running already. */
  async function run<T>(ask: () => Promise<Result<T>>): Promise<Result<T> | null> {
    if (isBusy) return null;
    setBusy(true);
    setFailure(null);
    const result = await ask();
    setBusy(false);
    if (!result.ok) setFailure(result.failure);
    return result;
  }
  return { isBusy, failure, fault, run, forget: () => setFailure(null) };
}

/** Below the row or button that failed; nothing where there is no text. */
export const Fault = ({ children }: { readonly children: ComponentChildren }) =>
  children ? (
    <p class="saving wrong" role="alert">
      {children}
    </p>
  ) : null;

/** What was not done, and the reason of the server. */
export function faultOf(notDone: string, failure: Failure, unsure?: string): string {
  if (unsure !== undefined && isUncertain(failure)) return unsure;
  if (failure.kind === "lost") return `${notDone}: the server did not answer.`;
  const reason = sentenceOf(failure);
  return reason === "" ? `${notDone}.` : `${notDone}: ${reason}`;
}
