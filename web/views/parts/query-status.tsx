import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Failure, isUncertain, type Result, sentenceOf } from "../../net/api.ts";
import { useBrowser } from "../../state/client.ts";
import type { PagedQuery, Query } from "../../state/server/query.ts";
import { Button } from "../../ui/button.tsx";
import { Notice, Skeletons } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";

/** Above a list: that its query is loading, has failed, or shows an old value. */
export function QueryStatus(props: {
  readonly query: Query<unknown>;
  readonly failed?: string;
  readonly isDown?: boolean;
  /** Nothing is drawn while it loads. */
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

/** Why a query failed, with Retry. */
export function QueryFailure(props: {
  readonly of: Query<unknown>;
  /** What did not succeed; the reason of the server follows. */
  readonly failed: string;
  /** In place of loading the query again; null where another button of this view retries. */
  readonly retry?: (() => void) | null;
}): JSX.Element | null {
  const { of: query, failed, retry = () => void query.load() } = props;
  const failure = query.failure.value;
  if (failure === null) return null;
  return (
    <Notice
      tone="error"
      isAlert
      actions={retry === null ? undefined : <Button onClick={retry}>{common.retry}</Button>}
    >
      {faultOf(failed, failure)}
    </Notice>
  );
}

/** The value of a query, or why it is not there. */
export function QueryView<T>(
  props: Parameters<typeof QueryFailure>[0] & {
    readonly of: Query<T>;
    readonly loadingText: string;
    readonly children: (value: T) => ComponentChildren;
  },
): JSX.Element {
  const { of: query, loadingText, children, ...rest } = props;
  const value = query.value.value;
  return (
    <>
      <QueryFailure of={query} {...rest} />
      {value === null && query.failure.value === null && (
        <p class="page-text" role="status">
          {loadingText}
        </p>
      )}
      {value !== null && children(value)}
    </>
  );
}

/** Calls `look` at once and then at intervals, while the page is visible; another `session` starts anew. */
export function usePolling(
  isOn: boolean,
  everyMs: number,
  look: (signal: AbortSignal) => void,
  session: string | null = null,
): void {
  const { presence } = useBrowser();
  const isSeen = isOn && presence.attention.value === "visible";
  useEffect(() => {
    if (!isSeen) return;
    const looking = new AbortController();
    look(looking.signal);
    const timer = setInterval(() => look(looking.signal), everyMs);
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
