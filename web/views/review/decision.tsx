import type { JSX, RefObject } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { SeenAgent, SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { holdsAnswers, type Attempt } from "../../model/attempt.ts";
import { enderOf, signatureOf, type Obstacle } from "../../model/review/decision.ts";
import type { DecisionPress, SentChoice } from "../../state/server/agents/replies.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { NO_OWN_WORDS } from "../../model/review/own-words.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { answer as answerWords } from "../../words/queue.ts";
import { review as words } from "../../words/review.ts";
import { Notice } from "../../ui/notice.tsx";
import { Doubt, Fate, hasFate, Outcome } from "../answer/fate.tsx";
import { useSteady } from "../answer/steady.ts";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { useOwnWords } from "./use.ts";
import { DecisionOptions } from "./options.tsx";

const LONG_TEXT = 280;

/** One decision with its answers. `card` is the element that must not move under a press. */
export function Decision(props: {
  readonly workspace: Workspace;
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
  /** The server still has it open. */
  readonly isOpen: boolean;
  readonly card: RefObject<HTMLElement | null>;
  readonly headingLevel: 2 | 3;
}): JSX.Element {
  const { workspace, agent, isOpen, card, headingLevel } = props;
  const { board, replies } = workspace;
  const { clock } = useBrowser();
  const decision = board.newest(props.decision);
  const attempt = replies.of(decision.id).value;
  // Looked at with every second: what is shown becomes old by itself where no socket lives.
  const isFresh = useDerived(
    () => clock.now.value > 0 && board.isFresh(clock.monotonicMs()),
    [board],
  );
  // Not open any more and not read since: it has ended, whatever was last known of it.
  const isOver = !isOpen && decision.status === "pending";
  const obstacle = isOver ? "over" : replies.obstacle(agent, decision, isFresh);
  const send = async (press: DecisionPress) => {
    if ((await replies.send(press)) === "sent") workspace.goingThrough.answered(decision.id);
  };
  const ownWords = useOwnWords(workspace, agent, decision);
  const questionId = useId();
  const steady = useSteady(card, `${signatureOf(decision)} ${holdsAnswers(attempt)}`);
  // Where it stands as well: what grows below another heading moves it without a word to it.
  useEffect(() => clock.now.subscribe(() => void steady.since()), []);
  const Heading = `h${headingLevel}` as const;
  const isUncertain = obstacle === "uncertain" && attempt?.step !== "sending";
  return (
    <section class="decision" data-decision={decision.id}>
      <DecisionNotice attempt={attempt} />
      <Heading class="question" id={questionId}>
        <TerminalText text={decision.title} />
      </Heading>
      <Description text={decision.description} />
      {isUncertain ? (
        <Doubt paneId={agent.pane_id} />
      ) : (
        <>
          {obstacle !== "over" && !hasFate(attempt) && (
            <DecisionOptions
              {...{ agent, decision, attempt, steady, questionId }}
              ownWords={obstacle === "terminal" ? NO_OWN_WORDS : ownWords}
              isOn={obstacle === null}
              onSend={(press) => void send(press)}
            />
          )}
          <Ending {...{ decision, attempt, obstacle, agent }} />
        </>
      )}
    </section>
  );
}

export function Description({ text }: { readonly text: string }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (text === "") return null;
  const isLong = text.length > LONG_TEXT || text.split("\n").length > 4;
  return (
    <div class="decision-text">
      <p class={isLong && !isOpen ? "clamped" : ""}>
        <TerminalText text={text} />
      </p>
      {isLong && (
        <Button tone="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? words.fewer : answerWords.moreText}
        </Button>
      )}
    </div>
  );
}

function DecisionNotice(props: {
  readonly attempt: Attempt<SentChoice> | null;
}): JSX.Element | null {
  const { attempt } = props;
  if (attempt?.step === "changed")
    return (
      <Notice icon="refresh" tone="needs" title={answerWords.changedTitle} isAlert>
        {answerWords.changedText}
      </Notice>
    );
  if (attempt?.step !== "refused") return null;
  if (attempt.conflict === "no_connection")
    return (
      <Notice icon="warning" tone="error" title={words.movedTitle} isAlert>
        {answerWords.refusedText.no_connection}
      </Notice>
    );
  return (
    <Notice icon="warning" tone="error" title={words.changedTitle} isAlert>
      {words.changedText}
    </Notice>
  );
}

/** What became of it, or why nothing can be sent from here. */
function Ending(props: {
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
  readonly attempt: Attempt<SentChoice> | null;
  readonly obstacle: Obstacle | null;
}): JSX.Element | null {
  const { agent, decision, attempt, obstacle } = props;
  if (obstacle === "over") {
    const ender = enderOf(decision, attempt);
    if (ender === "here" && holdsAnswers(attempt))
      return <Outcome label={attempt.sent.label} isConfirmed />;
    return (
      <p class="fine" role="status">
        <Icon name="check" class="small" />
        {words.ended[ender](timeOfDay(decision.updated_at))}
      </p>
    );
  }
  if (hasFate(attempt)) return <Fate attempt={attempt} paneId={agent.pane_id} />;
  if (obstacle === "submitting") return <p class="hint">{words.onItsWay}</p>;
  if (obstacle === "terminal")
    return (
      <>
        <Notice icon="lock" tone="stale" title={words.terminalOnly} />
        <OpenPane paneId={agent.pane_id} />
      </>
    );
  return obstacle === "stale" ? <p class="hint">{words.staleText}</p> : null;
}

export function OpenPane({ paneId }: { readonly paneId: string | null }): JSX.Element | null {
  const { router } = useBrowser();
  if (paneId === null) return null;
  return (
    <div class="actions">
      <Button onClick={() => router.goPane(paneId)}>{words.openPane}</Button>
    </div>
  );
}
