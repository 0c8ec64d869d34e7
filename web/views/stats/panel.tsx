import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { reasonOf, type Failure } from "../../net/api.ts";
import { Button } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { stats as words } from "../../words/stats.ts";

/** One part of Stats. It fails alone: what was known stays, and Retry is beside the reason. */
export function Panel(props: {
  readonly title: string;
  readonly end?: ComponentChildren;
  readonly failure?: Failure | null;
  readonly onRetry?: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, end, failure = null, onRetry, children } = props;
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {end}
      </div>
      {failure !== null && (
        <div class="panel-failure" role="alert">
          <span class="grow">{words.failedBecause(reasonOf(failure))}</span>
          <Button size="small" onClick={onRetry}>
            {common.retry}
          </Button>
        </div>
      )}
      {children}
    </section>
  );
}
