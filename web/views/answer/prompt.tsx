import type { JSX } from "preact";
import type { RefObject } from "preact";
import { useId } from "preact/hooks";
import type { Answer } from "../../model/answer.ts";
import { holdsAnswers } from "../../model/attempt.ts";
import { signatureOf } from "../../model/guard.ts";
import { takesInput, waits, type Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { Excerpt } from "../parts/excerpt.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Fate, hasFate } from "./fate.tsx";
import { AnswerNotice, NativeDoubt } from "./notices.tsx";
import { Options } from "./options.tsx";
import { Reply, useFreeform } from "./reply.tsx";
import { useSteady } from "./steady.ts";

/** The pane as it is to be shown: while an answer is on its way, as the reader saw it. */
export function useShown(pane: Pane): { readonly shown: Pane; readonly answer: Answer | null } {
  const answer = useServer().answers.of(pane.id).value;
  const isFrozen = holdsAnswers(answer);
  return { shown: isFrozen ? answer.sent.shown : pane, answer };
}

/** Question, evidence and answers of one pane. `card` is the element that must not move under a press. */
export function Prompt(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly card: RefObject<HTMLElement | null>;
  readonly withExcerpt: boolean;
  readonly withQuestion?: boolean;
  readonly headingLevel: 2 | 3;
}): JSX.Element {
  const { pane, answer, card, withExcerpt, withQuestion = true, headingLevel } = props;
  const { canAnswer } = useServer();
  const questionId = useId();
  const freeform = useFreeform(pane);
  // What takes a press here may be another thing over the same prompt.
  const offered = [signatureOf(pane), freeform?.key, holdsAnswers(answer)].join(" ");
  const steady = useSteady(card, offered);
  const Heading = `h${headingLevel}` as const;
  const isOff = !takesInput(pane) || !canAnswer.value || holdsAnswers(answer);
  return (
    <>
      <AnswerNotice pane={pane} answer={answer} />
      <NativeDoubt pane={pane} />
      {withExcerpt && <Excerpt pane={pane} />}
      {pane.question !== null && (
        <Heading class={withQuestion ? "question" : "visually-hidden"} id={questionId}>
          <TerminalText text={pane.question} />
        </Heading>
      )}
      <PromptAnswers
        pane={pane}
        answer={answer}
        freeform={freeform}
        questionId={questionId}
        steady={steady}
        isOff={isOff}
      />
    </>
  );
}

function PromptAnswers(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly freeform: ReturnType<typeof useFreeform>;
  readonly questionId: string;
  readonly steady: ReturnType<typeof useSteady>;
  readonly isOff: boolean;
}): JSX.Element | null {
  const { pane, answer, freeform, questionId, steady, isOff } = props;
  if (hasFate(answer)) return <Fate attempt={answer} paneId={pane.id} />;
  if (freeform !== null && !holdsAnswers(answer))
    return <Reply pane={pane} option={freeform} steady={steady} isDisabled={isOff} />;
  if (pane.menu.length > 0)
    return <Options pane={pane} answer={answer} steady={steady} questionId={questionId} />;
  return waits(pane) ? (
    <Reply pane={pane} option={null} steady={steady} isDisabled={isOff} />
  ) : null;
}
