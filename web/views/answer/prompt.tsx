import type { JSX, RefObject } from "preact";
import { useId } from "preact/hooks";
import type { Answer, Sent } from "../../model/answer.ts";
import { holdsAnswers } from "../../model/answer.ts";
import { evidenceAsks } from "../../model/excerpt.ts";
import { signatureOf } from "../../model/guard.ts";
import {
  asksForWords,
  canSelect,
  canWrite,
  takesInput,
  waits,
  type MenuOption,
  type Pane,
} from "../../model/pane.ts";
import { useClient, useServer } from "../../state/client.ts";
import { Excerpt } from "../parts/excerpt.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Fate, hasFate } from "./fate.tsx";
import { AnswerNotice, NativeDoubt } from "./notices.tsx";
import type { Choice } from "./option.tsx";
import { Options } from "./options.tsx";
import { OtherAct, useOtherAct } from "./other-act.tsx";
import { Reply, useFreeform } from "./reply.tsx";
import { useSteady, type Steady } from "./steady.ts";

/** The pane as it is to be shown: while an answer is on its way, as the reader saw it. */
export function useShown(pane: Pane): { readonly shown: Pane; readonly answer: Answer | null } {
  const answer = useServer().acts.of(pane.id).value;
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
  const questionId = useId();
  const freeform = useFreeform(pane);
  const other = useOtherAct(pane);
  const isOthers = other !== null && answer === null;
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
        <Heading class={withQuestion ? questionClass(pane) : "visually-hidden"} id={questionId}>
          <TerminalText text={pane.question} />
        </Heading>
      )}
      {hasFate(answer) && <Fate attempt={answer} paneId={pane.id} />}
      {isOthers && <OtherAct act={other} />}
      {!hasFate(answer) && !isOthers && (
        <PromptAnswers {...{ pane, answer, freeform, questionId, steady }} />
      )}
    </>
  );
}

/** A program's own sentence stands below what it is about, small. */
export const questionClass = (pane: Pane): string =>
  evidenceAsks(pane) ? "question own-sentence" : "question";

interface Seen {
  readonly pane: Pane;
  readonly option: MenuOption;
}

function PromptAnswers(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly freeform: MenuOption | null;
  readonly questionId: string;
  readonly steady: Steady;
}): JSX.Element | null {
  const { pane, answer, freeform, questionId, steady } = props;
  const { browser, server } = useClient();
  const { acts, canAnswer, drafts, picks } = server;
  const { arming, preferences, router } = browser;
  const isHeld = holdsAnswers(answer);
  const isOff = !takesInput(pane) || !canAnswer.value || isHeld;
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
  const reply = <Reply pane={pane} option={freeform} steady={steady} isDisabled={isOff} />;
  if (picks.isOn.value && waits(pane) && !picks.takes(pane))
    return (
      <p class="hint">
        This one cannot be picked ahead. Answer it with “Answer now”, or in its pane.
      </p>
    );
  if (pane.menu.length === 0) return waits(pane) ? reply : null;
  const pressOf = (seen: Seen, pressedAt: number) => {
    const { label } = seen.option;
    return { ...seen, text: null, label, pressedAt, steadySince: steady.since() };
  };
  const isPicking = picks.isOn.value;
  const pickedAt = isPicking ? picks.placeIn(pane) : -1;
  const take = (seen: Seen, pressedAt: number) => {
    const { key } = seen.option;
    if (doing(seen.pane, seen.option) === "terminal") return router.goPane(seen.pane.id);
    arming.disarm();
    const press = pressOf(seen, pressedAt);
    const asks =
      asksForWords(seen.pane, seen.option) && seen.pane.menu.indexOf(seen.option) !== pickedAt;
    if (isPicking && !asks) return void (acts.admits(press) && picks.pick(press));
    if (!asks) return void acts.answer(press);
    arming.openReply(seen.pane.id);
    drafts.set(seen.pane, { choice: { key, signature: signatureOf(seen.pane) } });
  };
  return (
    <Options<Seen>
      of={pane.id}
      signature={signatureOf(pane)}
      choices={choicesOf(
        pane,
        answer,
        preferences.current.value.showCursor,
        pickedAt,
        picks.of(pane.id)?.text ?? "",
      )}
      prompt={pane}
      isOn={canAnswer.value && pane.menu.some((option) => canSelect(pane, option))}
      isPicking={isPicking}
      isHeld={isHeld}
      questionId={questionId}
      field={freeform && { at: pane.menu.indexOf(freeform), box: reply }}
      admits={(seen, pressedAt) => acts.admits(pressOf(seen, pressedAt))}
      onTake={take}
      onUnfold={() => drafts.set(pane, { choice: null })}
    />
  );
}

function choicesOf(
  pane: Pane,
  answer: Answer | null,
  showCursor: boolean,
  pickedAt: number,
  pickedWords: string,
): Choice<Seen>[] {
  const hasOthers = pane.menu.some((option) => canSelect(pane, option));
  return pane.menu.map((option, index) => {
    const { checked, description, freeform, key, label, selected } = option;
    const does = doing(pane, option);
    const ownWords = index === pickedAt ? pickedWords : "";
    const suggests = option.suggested === true ? "The agent suggests this one." : null;
    const note = hasOthers && does === "terminal" ? "Only in its terminal" : suggests;
    const writesBelow = freeform && does === "send" && description === "";
    return {
      ...{ seen: { pane, option }, own: option, key, label, checked, does, isFreeform: freeform },
      description:
        ownWords ||
        (writesBelow ? "Chooses this first; then write below the terminal" : description),
      note,
      isAtCursor: selected && showCursor,
      isSent: holdsAnswers(answer) && isSent(option, answer.sent),
      isPicked: index === pickedAt,
    };
  });
}

function doing(pane: Pane, option: MenuOption): Choice<Seen>["does"] {
  if (!canSelect(pane, option)) return "terminal";
  if (!asksForWords(pane, option)) return "send";
  return canWrite(pane) ? "field" : "terminal";
}

/** Two options may share a key; where they have an identity, that tells them apart. */
const isSent = (option: MenuOption, sent: Sent): boolean =>
  sent.optionId === null ? option.key === sent.key : option.id === sent.optionId;
