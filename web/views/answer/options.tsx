import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { optionOfDigit } from "../../model/answer.ts";
import { isGrant } from "../../../src/protocol/labels.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser } from "../../state/client.ts";
import { AsksOnce } from "./asks-once.tsx";
import { askedFor } from "./risk.ts";
import { focusAnswers, isLetter, REPLY_KEY } from "./pass-key.ts";
import { FoldedOption, Option, type Choice, type OptionState } from "./option.tsx";

/**
 * The answers to one question as a listbox: arrows move, digits arm, Enter sends, `r` replies. What
 * one of them asks for, once more or in words, opens in its place, with the others folded.
 */
export function Options<Seen>(props: {
  /** The pane or decision that asks. */
  readonly of: string;
  readonly signature: string;
  readonly choices: readonly Choice<Seen>[];
  /** What the server says of the question, for all of its answers. */
  readonly prompt: Pick<Pane, "risk" | "cut"> | null;
  readonly isOn: boolean;
  /** One of them is on its way. */
  readonly isHeld: boolean;
  /** A tap, and a digit, picks. */
  readonly isPicking: boolean;
  readonly questionId: string;
  /** The field for words of one's own, and the choice that it stands in place of. */
  readonly field?: { readonly at: number; readonly box: JSX.Element } | null;
  readonly admits?: (seen: Seen, pressedAt: number) => boolean;
  readonly onTake: (seen: Seen, pressedAt: number) => void;
  /** The words or the question once more are put aside. */
  readonly onUnfold?: () => void;
}): JSX.Element {
  const { of, signature, choices, prompt, isOn, isHeld, questionId, isPicking } = props;
  const { admits = () => true, field = null, onTake, onUnfold = () => {} } = props;
  const { arming, clock, preferences } = useBrowser();
  const answerWith = isPicking ? "tap" : preferences.current.value.answerWith;
  const id = useId();
  const [active, setActive] = useState(0);
  const [asking, setAsking] = useState<{ index: number; signature: string } | null>(null);
  const armedNow = arming.current.value;
  const armed = armedNow?.paneId === of && armedNow.signature === signature ? armedNow : null;
  const isDisabled = !isOn || isHeld;
  const risks = choices.map(({ own, does }) =>
    does === "terminal" ? null : askedFor(preferences.current.value, prompt, own),
  );

  useEffect(() => setActive(0), [signature]);

  const choose = (index: number, seen: Seen, pressedAt: number) => {
    if (risks[index] === null || choices[index]?.isPicked === true) return onTake(seen, pressedAt);
    // As with arming: only what could be sent is asked.
    if (!admits(seen, pressedAt)) return;
    arming.disarm();
    setAsking({ index, signature });
  };
  const confirm = (index: number, seen: Seen, pressedAt: number) => {
    // Send has only just appeared under the finger: a double tap is no second thought.
    if (armed === null || pressedAt - armed.at >= SHIELD_MS) choose(index, seen, pressedAt);
  };
  const arm = (index: number, lapses: boolean) => {
    if (choices[index] === undefined) return;
    setActive(index);
    arming.arm({ paneId: of, index, signature, at: clock.monotonicMs() }, { lapses });
    // By keyboard a row can be armed that is not on the screen.
    if (!lapses) document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: "nearest" });
  };
  const chooseByKey = (index: number) => {
    const choice = choices[index];
    if (choice !== undefined) choose(index, choice.seen, performance.now());
  };
  const armOrPick = (index: number) => (isPicking ? chooseByKey(index) : arm(index, false));
  const onKeyDown = (event: KeyboardEvent) => {
    if (isDisabled || event.metaKey || event.ctrlKey || event.altKey) return;
    const step = STEPS[event.key];
    const keys = choices.map(({ key }) => key);
    const freeform = choices.findIndex((one) => one.isFreeform && one.does !== "terminal");
    const digit = /^[1-9]$/.test(event.key) ? optionOfDigit(keys, event.key) : null;
    if (step !== undefined) arm(Math.min(choices.length - 1, Math.max(0, step(active))), false);
    else if (digit !== null) armOrPick(digit);
    else if (isLetter(event.key) && keys.includes(event.key)) armOrPick(keys.indexOf(event.key));
    else if (event.key === REPLY_KEY && freeform >= 0) chooseByKey(freeform);
    else if (event.key === "Escape" && armed !== null) arming.disarm();
    else if (event.key === "Enter" && armed !== null) {
      if (!event.repeat) chooseByKey(armed.index);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const unfold = () => {
    setAsking(null);
    onUnfold();
    focusAnswers(of);
  };
  const askedAt = asking?.signature === signature && !isDisabled ? asking.index : -1;
  const open = isHeld || field === null ? -1 : field.at;
  const boxAt = (index: number): JSX.Element | null => {
    const [choice, asked = null] = [choices[index], risks[index]];
    if (index === open) return field?.box ?? null;
    if (index !== askedAt || choice === undefined || asked === null) return null;
    return (
      <AsksOnce
        key={`asks ${index}`}
        optionKey={choice.key}
        label={choice.label}
        asked={asked}
        see={() => choice.seen}
        onGo={(seen, pressedAt) => {
          setAsking(null);
          onTake(seen, pressedAt);
        }}
        onClose={unfold}
      />
    );
  };
  if (open >= 0 || askedAt >= 0)
    return (
      <div class="options" role="group" aria-labelledby={questionId}>
        {choices.map(
          (choice, i) =>
            boxAt(i) ?? (
              <FoldedOption key={`${choice.key} ${i}`} choice={choice} onUnfold={unfold} />
            ),
        )}
      </div>
    );
  const stateOf = (choice: Choice<Seen>, index: number): OptionState => {
    if (isHeld) return choice.isSent ? "sending" : "faded";
    if (!isOn) return "off";
    return choice.isPicked || armed?.index === index ? "armed" : "on";
  };
  return (
    <div
      class="options"
      role="listbox"
      tabIndex={isDisabled ? -1 : 0}
      aria-labelledby={questionId}
      aria-disabled={isDisabled}
      aria-activedescendant={armed === null ? undefined : `${id}-${armed.index}`}
      data-options={of}
      onKeyDown={onKeyDown}
    >
      {choices.map((choice, i) => (
        <Option
          key={`${choice.key} ${i}`}
          id={`${id}-${i}`}
          choice={choice}
          state={stateOf(choice, i)}
          mark={risks[i] !== null ? "asks" : isGrant(choice.label) ? "grants" : null}
          answerWith={risks[i] !== null || choice.does !== "send" ? "tap" : answerWith}
          onArm={(seen, pressedAt) => {
            if (admits(seen, pressedAt)) arm(i, true);
          }}
          onConfirm={(seen, pressedAt) => confirm(i, seen, pressedAt)}
          onChoose={(seen, pressedAt) => choose(i, seen, pressedAt)}
        />
      ))}
    </div>
  );
}

const STEPS: Readonly<Record<string, (index: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  Home: () => 0,
  End: () => Number.MAX_SAFE_INTEGER,
};
