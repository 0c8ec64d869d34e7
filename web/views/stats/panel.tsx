import type { ComponentChildren, JSX } from "preact";
import { reasonOf, type Failure } from "../../net/api.ts";
import { Button } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { Section } from "../../ui/section.tsx";
import { Notice } from "../../ui/notice.tsx";

/** One part of Stats. It fails alone: what was known stays, and Retry is beside the reason. */
export function Panel(props: {
  readonly title: string;
  readonly end?: ComponentChildren;
  readonly failure?: Failure | null;
  readonly onRetry?: () => void;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, end, failure = null, onRetry, children } = props;
  return (
    <Section kind="panel" title={title} end={end}>
      {failure !== null && (
        <Notice tone="error" isAlert actions={<Button onClick={onRetry}>{common.retry}</Button>}>
          {`This could not be loaded${reasonOf(failure) === "" ? "." : `: ${reasonOf(failure)}`}`}
        </Notice>
      )}
      {children}
    </Section>
  );
}
