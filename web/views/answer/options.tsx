import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { isGrant } from "../../../src/protocol/options.ts";
import { holdsAnswers, optionOfDigit, type Answer, type Submission } from "../../model/answer.ts";
import { SHIELD_MS, signatureOf } from "../../model/guard.ts";
import { asksForWords, canSelect, type MenuOption, type Pane } from "../../model/pane.ts";
import { useClient } from "../../state/client.ts";
import { more } from "../more.tsx";
import { Boundary, FailureNotice } from "../parts/boundary.tsx";
import {
  focusAnswers,
  isLetter,
  REPLY_KEY,
  effectOf,
  Option,
  OptionRow,
  type OptionState,
  type SeenOption,
  warningFor,
} from "./option.tsx";

/**
 * The answers to the question of a pane as a listbox: arrows move, digits arm, Enter sends, `r` replies.
 * A warning or the reply field opens in the place of its option, with the others folded.
 */
export function Options(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly questionId: string;
  readonly steadySince: () => number;
  /** The option that is answered in words, and the field for them. */
  readonly freeform: MenuOption | null;
  readonly reply: JSX.Element;
}): JSX.Element {
  const { pane, answer, questionId, steadySince, freeform, reply } = props;
  const { browser, server } = useClient();
  const { acts, canAnswer, drafts, picks } = server;
  const { arming, preferences, router } = browser;
  const { menu } = pane;
  const signature = signatureOf(pane);
  const isPicking = picks.isOn.value;
  const answerWith = isPicking ? "tap" : preferences.current.value.answerWith;
  const id = useId();
  const [active, setActive] = useState(0);
  const [warned, setWarned] = useState<{ index: number; signature: string } | null>(null);
  const armedNow = arming.current.value;
  const armed = armedNow?.paneId === pane.id && armedNow.signature === signature ? armedNow : null;
  const isHeld = holdsAnswers(answer);
  const isOn = canAnswer.value && menu.some((option) => canSelect(pane, option));
  const isDisabled = !isOn || isHeld;
  const pickedAt = isPicking ? picks.placeIn(pane) : -1;
  const seenAt = menu.map((option): SeenOption => ({ pane, option }));
  const warnings = seenAt.map((seen) =>
    effectOf(seen) === "terminal" ? null : warningFor(preferences.current.value, pane, seen.option),
  );

  // After a moment in which it cannot be answered, nothing is open or armed.
  useEffect(() => {
    setActive(0);
    setWarned(null);
    return () => {
      if (arming.current.peek()?.paneId === pane.id) arming.disarm();
    };
  }, [signature, isDisabled]);

  const pressOf = ({ pane: shown, option }: SeenOption, pressedAt: number) => {
    const times = { pressedAt, steadySince: steadySince() };
    return { ...times, shown, option, text: null, label: option.label };
  };
  const admits = (seen: SeenOption, pressedAt: number) => acts.admits(pressOf(seen, pressedAt));
  const take = (seen: SeenOption, pressedAt: number) => {
    if (effectOf(seen) === "terminal") return router.goPane(seen.pane.id);
    arming.disarm();
    const press = pressOf(seen, pressedAt);
    const asks =
      asksForWords(seen.pane, seen.option) && seen.pane.menu.indexOf(seen.option) !== pickedAt;
    if (isPicking && !asks) return void (acts.admits(press) && picks.pick(press));
    if (!asks) return void acts.answer(press);
    arming.openReply(seen.pane.id);
    const choice = { key: seen.option.key, signature: signatureOf(seen.pane) };
    drafts.set(seen.pane, { choice });
  };
  const choose = (index: number, seen: SeenOption, pressedAt: number) => {
    if (warnings[index] === null || index === pickedAt) return take(seen, pressedAt);
    // As with arming: there is a warning only of what could be sent.
    if (!admits(seen, pressedAt)) return;
    arming.disarm();
    setWarned({ index, signature });
  };
  const arm = (index: number, lapses: boolean) => {
    if (menu[index] === undefined) return;
    setActive(index);
    arming.arm({ paneId: pane.id, index, signature, at: performance.now() }, { lapses });
    // By keyboard a row can be armed that is not on the screen.
    if (!lapses) document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: "nearest" });
  };
  /** Where a tap asks first the option is armed, and the next one sends. */
  const press = (index: number, asksFirst: boolean) => (seen: SeenOption, pressedAt: number) => {
    if (!asksFirst) return choose(index, seen, pressedAt);
    if (armed?.index !== index) return void (admits(seen, pressedAt) && arm(index, true));
    // Send has only just appeared under the finger: a double tap is no second thought.
    if (pressedAt - armed.at >= SHIELD_MS) choose(index, seen, pressedAt);
  };
  const chooseByKey = (index: number) => {
    const seen = seenAt[index];
    if (seen !== undefined) choose(index, seen, performance.now());
  };
  const armOrPick = (index: number) => (isPicking ? chooseByKey(index) : arm(index, false));
  const onKeyDown = (event: KeyboardEvent) => {
    if (isDisabled || event.metaKey || event.ctrlKey || event.altKey) return;
    const step = STEPS[event.key];
    const keys = menu.map(({ key }) => key);
    const inWords = seenAt.findIndex(
      (seen) => seen.option.freeform && effectOf(seen) !== "terminal",
    );
    const digit = /^[1-9]$/.test(event.key) ? optionOfDigit(keys, event.key) : null;
    if (step !== undefined) arm(Math.min(menu.length - 1, Math.max(0, step(active))), false);
    else if (digit !== null) armOrPick(digit);
    else if (isLetter(event.key) && keys.includes(event.key)) armOrPick(keys.indexOf(event.key));
    else if (event.key === REPLY_KEY && inWords >= 0) chooseByKey(inWords);
    else if (event.key === "Escape" && armed !== null) arming.disarm();
    else if (event.key === "Enter" && armed !== null) {
      if (!event.repeat) chooseByKey(armed.index);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const unfold = () => {
    setWarned(null);
    drafts.set(pane, { choice: null });
    focusAnswers(pane.id);
  };
  const warnedAt = warned?.signature === signature && !isDisabled ? warned.index : -1;
  const openAt = isHeld || freeform === null ? -1 : menu.indexOf(freeform);
  if (openAt >= 0 || warnedAt >= 0)
    return (
      <div class="options grid gap-8 round-3" role="group" aria-labelledby={questionId}>
        {seenAt.map((seen, i) => {
          const warning = warnings[i] ?? null;
          if (i === openAt) return reply;
          // The others can still be read; a press unfolds them.
          if (i !== warnedAt || warning === null)
            return (
              <OptionRow
                key={`${seen.option.key} ${i}`}
                option={seen.option}
                class="folded"
                onClick={unfold}
              />
            );
          return (
            <Boundary key={`asks ${i}`} instead={(retry) => <FailureNotice onRetry={retry} />}>
              <more.WarnedOption
                seen={seen}
                warning={warning}
                onGo={(pressed, pressedAt) => {
                  setWarned(null);
                  take(pressed, pressedAt);
                }}
                onClose={unfold}
              />
            </Boundary>
          );
        })}
      </div>
    );
  const stateOf = (option: MenuOption, index: number): OptionState => {
    if (isHeld) return isSent(option, answer.sent) ? "sending" : "faded";
    if (!isOn) return "off";
    return index === pickedAt || armed?.index === index ? "armed" : "on";
  };
  return (
    <div
      class="options grid gap-8 round-3"
      role="listbox"
      tabIndex={isDisabled ? -1 : 0}
      aria-labelledby={questionId}
      aria-disabled={isDisabled}
      aria-activedescendant={armed === null ? undefined : `${id}-${armed.index}`}
      data-options={pane.id}
      onKeyDown={onKeyDown}
    >
      {seenAt.map((seen, i) => {
        const { option } = seen;
        const isPlain = warnings[i] === null && effectOf(seen) === "send";
        return (
          <Option
            key={`${option.key} ${i}`}
            id={`${id}-${i}`}
            seen={seen}
            state={stateOf(option, i)}
            mark={
              warnings[i] !== null
                ? ", asks once more"
                : isGrant(option.label) && ", allows more than this"
            }
            words={i === pickedAt ? (picks.of(pane.id)?.text ?? "") : ""}
            answerWith={isPlain ? answerWith : "tap"}
            onPress={press(i, isPlain && answerWith === "confirm")}
          />
        );
      })}
    </div>
  );
}

const STEPS: Readonly<Record<string, (index: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: () => Number.MAX_SAFE_INTEGER,
};

/** Two options may share a key; where they have an identity, that tells them apart. */
const isSent = (option: MenuOption, sent: Submission): boolean =>
  sent.option?.id === undefined ? option.key === sent.option?.key : option.id === sent.option.id;
