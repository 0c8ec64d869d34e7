import type { JSX } from "preact";
import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { review as words } from "../../words/review.ts";
import { TerminalText } from "../parts/text.tsx";

/**
 * What an agent asks and its screen does not show: it can be answered only where it is shown, so one
 * line says it and leads to its pane.
 */
export function Unshown(props: {
  /** All that it asks, the oldest first. */
  readonly open: readonly SeenDecision[];
  /** What its screen asks, where that stands above. */
  readonly asked: string | null;
  readonly paneId: string | null;
}): JSX.Element | null {
  const { open, asked, paneId } = props;
  const { router } = useBrowser();
  const { panes } = useServer();
  const other = open.find(({ title }) => title !== asked);
  if (other === undefined) return null;
  const more = open.length - 1;
  if (asked !== null)
    return (
      <p class="fine">
        <TerminalText text={more > 1 ? words.moreQuestions(more) : `Also open: ${other.title}`} />
      </p>
    );
  return (
    <section class="decision">
      <h3 class="question">
        <TerminalText text={other.title} />
      </h3>
      {paneId === null || panes.find(paneId) === null ? (
        <p class="hint">Answer this one in the terminal.</p>
      ) : (
        <div class="actions">
          <Button onClick={() => router.goPane(paneId)}>Open pane</Button>
        </div>
      )}
      {more > 0 && <p class="fine">{words.moreQuestions(more)}</p>}
    </section>
  );
}
