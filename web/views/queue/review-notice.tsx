import type { ComponentChildren, JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { useWorkspace } from "../agents/use.ts";

/** It could not be read, or what is shown may be old. */
export function ReviewNotice(): JSX.Element | null {
  const workspace = useWorkspace();
  const { clock } = useBrowser();
  if (workspace === null) return null;
  const { review, isDown } = workspace;
  const failure = review.failure.value;
  const shown = review.value.value;
  const retry = (
    <div class="actions">
      <Button onClick={() => void review.reload()}>{common.retry}</Button>
    </div>
  );
  if (shown === null && failure !== null)
    return (
      <Boxed>
        <Notice icon="warning" tone="error" title="Review could not be loaded" isAlert>
          The rest of panewatch goes on.
          {retry}
        </Notice>
      </Boxed>
    );
  if (shown === null || (failure === null && !isDown.value)) return null;
  return (
    <Boxed>
      <Notice
        icon="clock"
        tone="stale"
        title={`Not updated since ${timeOfDay(Math.min(shown.generated_at, clock.now.value))}`}
      >
        Marks are off until it is read again.
        {retry}
      </Notice>
    </Boxed>
  );
}

const Boxed = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <div class="boxed-notice">{children}</div>
);
