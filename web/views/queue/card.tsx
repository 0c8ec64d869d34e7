import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { waits, type Pane } from "../../model/pane.ts";
import { isNews, type Slot } from "../../model/queue.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useClient } from "../../state/client.ts";
import { useFocusRestoration } from "../../ui/focus.ts";
import { Card, CardHead, useAnswerState } from "../answer/card.tsx";
import { optional } from "../more.tsx";
import { useLastPane } from "../parts/derived.ts";
import { Ago, QuestionAge, Wait } from "../parts/status.tsx";

/** `isWhole`: by itself, with its buttons at the foot of the page. */
export function QueueCard(props: {
  readonly slot: Slot;
  readonly isWhole?: boolean;
}): JSX.Element | null {
  const { slot, isWhole = false } = props;
  const { card, section, leftAt } = slot;
  const client = useClient();
  const titleId = useId();
  const pane = useLastPane(card.pane_id);
  const shown = useAnswerState(pane);
  // When the answers go, the card takes their focus.
  const keptFocus = useFocusRestoration((_, place) => () => place);
  if (shown.pane === null && card.agent === null) return null;
  // A card of news goes as it is: it was marked here, or has nothing new any more.
  const isOver = leftAt !== null && !shown.isHeld && !isNews(section);
  const open = () =>
    client.browser.router.go(
      shown.pane === null ? agentHash(card.agent_id ?? "") : client.pageHash(shown.pane),
    );
  const isAbove = shown.pane !== null && waits(shown.pane);
  return (
    <Card
      size="whole"
      {...shown}
      answer={isOver ? null : shown.answer}
      isOver={isOver}
      head={
        <CardHead
          pane={shown.pane}
          {...{ card, titleId }}
          level={2}
          end={<CardAge {...{ slot, isOver }} {...shown} />}
          onOpen={open}
        />
      }
      frame={{
        "aria-labelledby": titleId,
        tabIndex: -1,
        ...keptFocus,
        "data-card": card.key,
        "data-pane": pane?.id,
        "data-agent": card.agent_id ?? undefined,
      }}
    >
      {!isOver && shown.pane === null && section === "blocked" && card.agent !== null && (
        <optional.ParkedAgent agent={card.agent} />
      )}
      {!isOver && card.asks !== null && <optional.AgentAsks card={card} isAbove={isAbove} />}
      {(!isOver || isWhole) && card.agent_id !== null && (
        // Room for a line that comes with the later part.
        <div class="mt-4 tap">
          {card.agent !== null && (
            <optional.AgentNews card={card} isOpen={isWhole || isNews(section)} />
          )}
        </div>
      )}
      {!isOver && !isWhole && (
        <footer class="queue-foot flex wrap between gap-8">
          <optional.CardActs slot={slot} isOff={shown.isHeld} />
        </footer>
      )}
    </Card>
  );
}

function CardAge(props: {
  readonly slot: Slot;
  readonly pane: Pane | null;
  readonly isOver: boolean;
  readonly isHeld: boolean;
}): JSX.Element {
  const { slot, pane, isOver, isHeld } = props;
  const { agent, since } = slot.card;
  if (isOver || (pane === null && slot.leftAt !== null))
    return <span class="wait idle">No longer waiting</span>;
  // Its agent asks what its terminal does not show.
  if (slot.section === "waiting" && !isHeld && (pane === null || !waits(pane)))
    return <QuestionAge at={since} />;
  if (pane !== null) return <Wait pane={pane} isCalm={isHeld} />;
  return <Ago at={since} class={`wait ${agent?.lifecycle === "error" ? "error" : "idle"}`} />;
}
