import type { JSX, RefObject } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { DecisionOption } from "../../../src/protocol/agents.ts";
import type { SeenAgent, SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { holdsAnswers, type Attempt } from "../../model/attempt.ts";
import { steadyMs } from "../../model/guard.ts";
import { enderOf, signatureOf, type Obstacle } from "../../model/queue/decision.ts";
import { plainLabel } from "../../model/queue/own-words.ts";
import type { DecisionPress, SentChoice } from "../../state/server/agents/replies.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { answer as answerWords } from "../../words/queue.ts";
import { review as words } from "../../words/review.ts";
import { Notice } from "../../ui/notice.tsx";
import { Doubt, Fate, hasFate, Outcome } from "./fate.tsx";
import type { Choice } from "./option.tsx";
import { Options } from "./options.tsx";
import { useSteady, type Steady } from "./steady.ts";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";

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
  const questionId = useId();
  const steady = useSteady(card, `${signatureOf(decision)} ${holdsAnswers(attempt)}`);
  // Where it stands as well: what grows below another heading moves it without a word to it. Not in
  // the turn that draws it, where a look would have all of the page laid out.
  useEffect(() => {
    const drawnAt = clock.now.peek();
    return clock.now.subscribe((now) => void (now !== drawnAt && steady.since()));
  }, []);
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
              isOn={obstacle === null}
              onSend={(press) => void replies.send(press)}
            />
          )}
          <Ending {...{ decision, attempt, obstacle, agent }} />
        </>
      )}
    </section>
  );
}

interface Seen {
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
  readonly option: DecisionOption;
}

function DecisionOptions(props: {
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
  readonly attempt: Attempt<SentChoice> | null;
  readonly isOn: boolean;
  readonly steady: Steady;
  readonly questionId: string;
  readonly onSend: (press: DecisionPress) => void;
}): JSX.Element {
  const { agent, decision, attempt, isOn, steady, questionId, onSend } = props;
  const { arming, clock } = useBrowser();
  const pane = useServer().panes.latest(agent.pane_id ?? "");
  const choices = decision.options.map((option, index): Choice<Seen> => ({
    ...{ seen: { agent, decision, option }, key: String(index + 1) },
    ...{ label: option.label, description: option.description },
    own: pane?.menu.find(({ label }) => plainLabel(label) === plainLabel(option.label)) ?? {},
    note: decision.recommendation === option.id ? words.suggests : null,
    ...{ does: "send", isFreeform: false, checked: null, isAtCursor: false },
    isSent: holdsAnswers(attempt) && attempt.sent.optionId === option.id,
  }));
  const send = ({ option, ...seen }: Seen, pressedAt: number) => {
    arming.disarm();
    const times = { pressedAt, steadySince: steady.since() };
    const { id: optionId, label } = option;
    onSend({ ...seen, optionId, label, steadyMs: steadyMs(times, clock.monotonicMs()) });
  };
  return (
    <Options<Seen>
      of={decision.id}
      signature={signatureOf(decision)}
      prompt={{ risk: decision.risk ?? pane?.risk ?? null, cut: pane?.cut ?? null }}
      isHeld={holdsAnswers(attempt)}
      admits={(seen) => signatureOf(seen.decision) === signatureOf(decision)}
      onTake={send}
      {...{ choices, isOn, questionId }}
    />
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
  const { answers } = useServer();
  if (obstacle === "over") {
    const ender = enderOf(decision, attempt);
    // The screen says what becomes of an answer that was given there.
    if (holdsAnswers(answers.of(agent.pane_id ?? "").value)) return null;
    const given = ender === "elsewhere" ? answers.given(decision.prompt_fingerprint) : null;
    const label = ender === "here" && holdsAnswers(attempt) ? attempt.sent.label : given;
    if (label !== null) return <Outcome label={label} isConfirmed />;
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
