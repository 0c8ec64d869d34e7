import type { JSX, RefObject } from "preact";
import { useId } from "preact/hooks";
import { holdsAnswers, type Answer, type PaneAct } from "../../model/answer.ts";
import { evidenceAsks } from "../../model/excerpt.ts";
import { signatureOf } from "../../model/guard.ts";
import { takesInput, waits, type MenuOption, type Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { Excerpt } from "../parts/excerpt.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Fate } from "./fate.tsx";
import { AnswerNotice, NativeDoubt } from "./notices.tsx";
import { Options } from "./options.tsx";
import { Reply, useFreeform } from "./reply.tsx";
import { useSteady, type Steady } from "./press.ts";

/** Question, evidence and answers of one pane. `card` is the element that must not move under a press. */
export function Prompt(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly card: RefObject<HTMLElement | null>;
  readonly other: PaneAct | null;
  readonly withExcerpt: boolean;
  readonly withQuestion: boolean;
  readonly headingLevel: 2 | 3;
}): JSX.Element {
  const { pane, answer, card, other, withExcerpt, withQuestion, headingLevel } = props;
  const questionId = useId();
  const freeform = useFreeform(pane);
  // What takes a press here may be another thing over the same prompt.
  const offered = [signatureOf(pane), freeform?.key, holdsAnswers(answer), other?.key].join(" ");
  const steady = useSteady(card, offered);
  const Heading = `h${headingLevel}` as const;
  return (
    <>
      <AnswerNotice pane={pane} answer={answer} />
      <NativeDoubt pane={pane} />
      {withExcerpt && <Excerpt pane={pane} />}
      {pane.question !== null && (
        <Heading
          class={withQuestion ? questionClass(pane) : "visually-hidden"}
          id={questionId}
          tabIndex={-1}
        >
          <TerminalText text={pane.question} />
        </Heading>
      )}
      <Fate paneId={pane.id} {...{ answer, other }}>
        <PromptAnswers {...{ pane, answer, freeform, questionId, steady }} />
      </Fate>
    </>
  );
}

/** A program's own sentence stands below what it is about, small. */
export const questionClass = (pane: Pane): string =>
  evidenceAsks(pane) ? "question own-sentence" : "question";

function PromptAnswers(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly freeform: MenuOption | null;
  readonly questionId: string;
  readonly steady: Steady;
}): JSX.Element | null {
  const { pane, answer, freeform, steady } = props;
  const server = useServer();
  const { canAnswer, picks } = server;
  // Who may only look reads what can be answered.
  if (!server.may("answer"))
    return (
      <ol class="stack gap-8 mt-8 text-2">
        {pane.menu.map(({ key, label }) => (
          <li key={key}>
            <TerminalText text={label} />
          </li>
        ))}
      </ol>
    );
  if (picks.isOn.value && waits(pane) && !picks.takes(pane))
    return (
      <p class="hint">
        This one cannot be picked ahead. Answer it with “Answer now”, or in its pane.
      </p>
    );
  const isOff = !takesInput(pane) || !canAnswer.value || holdsAnswers(answer);
  const reply = <Reply pane={pane} option={freeform} steady={steady} isDisabled={isOff} />;
  if (pane.menu.length > 0) return <Options {...props} reply={reply} />;
  return waits(pane) ? reply : null;
}
