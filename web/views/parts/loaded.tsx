import type { ComponentChildren, JSX } from "preact";
import { sentenceOf, type Failure } from "../../net/api.ts";
import type { Query } from "../../state/server/query.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";

/** What was asked of the server: that it is awaited, why it was not told, else what it is. */
export function Loaded<T>(props: {
  readonly of: Query<T>;
  readonly awaited: string;
  /** What did not succeed, before the server's words. */
  readonly failed: string;
  /** How it is asked again, where that is more than the query; null where something else here asks. */
  readonly retry?: (() => void) | null;
  readonly children: (value: T) => ComponentChildren;
}): JSX.Element {
  const { of: query, awaited, failed, retry = () => void query.load(), children } = props;
  const failure = query.failure.value;
  const value = query.value.value;
  return (
    <>
      {failure !== null && (
        <Notice
          tone="error"
          isAlert
          actions={retry === null ? undefined : <Button onClick={retry}>{common.retry}</Button>}
        >
          {faultText(failed, failure)}
        </Notice>
      )}
      {value === null && failure === null && (
        <p class="page-text" role="status">
          {awaited}
        </p>
      )}
      {value !== null && children(value)}
    </>
  );
}

/** Why the server did not do it, in its words. */
export function faultText(what: string, failure: Failure): string {
  const reason = sentenceOf(failure);
  return reason === "" ? "The server did not answer." : `${what}: ${reason}`;
}
