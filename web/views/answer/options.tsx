import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { optionOfDigit, type Answer, type Sent } from "../../model/answer.ts";
import { holdsAnswers } from "../../model/attempt.ts";
import { isGrant } from "../../model/danger.ts";
import { excerptOf } from "../../model/excerpt.ts";
import { SHIELD_MS, signatureOf } from "../../model/guard.ts";
import { asksForWords, canSelect, type MenuOption, type Pane } from "../../model/pane.ts";
import type { Press } from "../../state/server/answers.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useClient } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { answer as words, once } from "../../words/queue.ts";
import { TerminalText } from "../parts/text.tsx";
import { AsksOnce, riskFor } from "./asks-once.tsx";
import { focusAnswers, REPLY_KEY } from "./pass-key.ts";
import { type OptionState, optionState, useOptionPress } from "./option-press.ts";
import type { Steady } from "./steady.ts";

const LONG_DESCRIPTION = 140;

export const optionLabel = (option: MenuOption): string => `${option.key} ${option.label}`;

/** What the reader saw when the press began. */
interface Seen {
  readonly pane: Pane;
  readonly option: MenuOption;
}

/** The answers of one prompt as a listbox: arrows move, digits arm, Enter sends, `r` replies. */
export function Options(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly steady: Steady;
  readonly questionId: string;
}): JSX.Element {
  const { pane, answer, steady, questionId } = props;
  const client = useClient();
  const { canAnswer } = client.server;
  const { arming } = client.browser;
  const preferences = client.browser.preferences.current.value;
  const id = useId();
  const [active, setActive] = useState(0);
  const [asking, setAsking] = useState<{ index: number; signature: string } | null>(null);
  const signature = signatureOf(pane);
  const armedNow = arming.current.value;
  const armed = armedNow?.paneId === pane.id && armedNow.signature === signature ? armedNow : null;
  const isOn = canAnswer.value && pane.menu.some((option) => canSelect(pane, option));
  const isHeld = holdsAnswers(answer);
  const isDisabled = !isOn || isHeld;

  useEffect(() => setActive(0), [signature]);

  const pressOf = ({ pane: seen, option }: Seen, pressedAt: number): Press => {
    const steadySince = steady.since();
    return { pane: seen, option, text: null, label: optionLabel(option), pressedAt, steadySince };
  };
  const about = [pane.question ?? "", ...excerptOf(pane)];
  const risks = pane.menu.map(({ label }) => riskFor(preferences, label, about));
  const choose = (index: number, seen: Seen, pressedAt: number) => {
    if (risks[index] === null) return take(seen, pressedAt);
    // As with arming: only what could be sent is asked.
    if (!client.server.answers.admits(pressOf(seen, pressedAt))) return;
    arming.disarm();
    setAsking({ index, signature: signatureOf(seen.pane) });
  };
  const take = (seen: Seen, pressedAt: number) => {
    if (asksForWords(seen.pane, seen.option)) {
      const choice = { key: seen.option.key, signature: signatureOf(seen.pane) };
      arming.openReply(seen.pane.id);
      client.server.drafts.set(seen.pane, { choice });
      return;
    }
    arming.disarm();
    void client.server.answers.send(pressOf(seen, pressedAt));
  };
  const armByTouch = (index: number, seen: Seen, pressedAt: number) => {
    if (client.server.answers.admits(pressOf(seen, pressedAt))) arm(index, true);
  };
  const confirm = (index: number, seen: Seen, pressedAt: number) => {
    // Send has only just appeared under the finger: a double tap is no second thought.
    if (armed === null || pressedAt - armed.at >= SHIELD_MS) choose(index, seen, pressedAt);
  };
  const arm = (index: number, lapses: boolean) => {
    const option = pane.menu[index];
    if (option === undefined) return;
    setActive(index);
    const at = client.browser.clock.monotonicMs();
    arming.arm({ paneId: pane.id, index, signature, at }, { lapses });
    // By keyboard a row can be armed that is not on the screen.
    if (!lapses) document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: "nearest" });
  };
  const chooseByKey = (index: number) => {
    const option = pane.menu[index];
    if (option !== undefined) choose(index, { pane, option }, performance.now());
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isDisabled || event.metaKey || event.ctrlKey || event.altKey) return;
    const step = STEPS[event.key];
    const keys = pane.menu.map((option) => option.key);
    const freeform = pane.menu.findIndex((option) => option.freeform && canSelect(pane, option));
    const digit = /^[1-9]$/.test(event.key) ? optionOfDigit(keys, event.key) : null;
    if (step !== undefined) arm(Math.min(pane.menu.length - 1, Math.max(0, step(active))), false);
    else if (digit !== null) arm(digit, false);
    else if (event.key === REPLY_KEY && freeform >= 0) chooseByKey(freeform);
    else if (event.key === "Escape" && armed !== null) arming.disarm();
    else if (event.key === "Enter" && armed !== null) {
      if (!event.repeat) chooseByKey(armed.index);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const askedAt = asking?.signature === signature && !isDisabled ? asking.index : -1;
  if (askedAt >= 0)
    return (
      <div class="options" role="group" aria-labelledby={questionId}>
        {pane.menu.map((option, i) => {
          const risk = risks[i] ?? null;
          return i === askedAt && risk !== null ? (
            <AsksOnce
              key={`asks ${i}`}
              optionKey={option.key}
              label={option.label}
              risk={risk}
              see={() => ({ pane, option })}
              onGo={(seen, pressedAt) => {
                setAsking(null);
                take(seen, pressedAt);
              }}
              onClose={() => {
                setAsking(null);
                focusAnswers(pane.id);
              }}
            />
          ) : (
            <FoldedOption key={`${option.key} ${i}`} option={option} />
          );
        })}
      </div>
    );
  const activeId = armed === null ? undefined : `${id}-${armed.index}`;
  return (
    <div
      class="options"
      role="listbox"
      tabIndex={isDisabled ? -1 : 0}
      aria-labelledby={questionId}
      aria-disabled={isDisabled}
      aria-activedescendant={activeId}
      data-options={pane.id}
      onKeyDown={onKeyDown}
    >
      {pane.menu.map((option, i) => (
        <Option
          key={`${option.key} ${i}`}
          id={`${id}-${i}`}
          option={option}
          pane={pane}
          state={optionState(answer, (sent) => isChosen(option, sent), {
            isOn: isOn && canSelect(pane, option),
            isArmed: armed?.index === i,
          })}
          showsCursor={option.selected && preferences.showCursor}
          mark={risks[i] !== null ? "asks" : isGrant(option.label) ? "grants" : null}
          answerWith={
            risks[i] !== null || asksForWords(pane, option) ? "tap" : preferences.answerWith
          }
          onArm={(seen, pressedAt) => armByTouch(i, seen, pressedAt)}
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

/** Two options may share a key; where they have an identity, that tells them apart. */
const isChosen = (option: MenuOption, sent: Sent): boolean =>
  sent.optionId === null ? option.key === sent.key : option.id === sent.optionId;

function Option(props: {
  readonly id: string;
  readonly option: MenuOption;
  readonly pane: Pane;
  readonly state: OptionState;
  /** Whether the terminal's own cursor is on it, and is to be seen. */
  readonly showsCursor: boolean;
  readonly mark: Mark;
  readonly answerWith: Preferences["answerWith"];
  readonly onArm: (seen: Seen, pressedAt: number) => void;
  readonly onConfirm: (seen: Seen, pressedAt: number) => void;
  readonly onChoose: (seen: Seen, pressedAt: number) => void;
}): JSX.Element {
  const { id, option, pane, state, showsCursor, mark, answerWith, onChoose, ...when } = props;
  const asksFirst = answerWith === "confirm";
  const { isOn, isHolding, press } = useOptionPress({
    ...when,
    see: () => ({ pane, option }),
    state,
    asksFirst,
    holds: answerWith === "hold",
    onSend: onChoose,
  });
  const classes = ["option", state, isHolding && "holding", isOn && showsCursor && "at-cursor"];
  return (
    <div
      id={id}
      class={classes.filter(Boolean).join(" ")}
      role="option"
      aria-selected={state === "armed"}
      aria-disabled={!isOn}
      data-key={option.key}
      data-freeform={(isOn && option.freeform) || undefined}
      {...press}
    >
      <span class="option-key">
        {state === "sent" ? <Icon name="check" /> : <TerminalText text={option.key} dir="ltr" />}
      </span>
      <span class="grow">
        <TerminalText text={option.label} class="option-label" />
        <Description pane={pane} option={option} />
      </span>
      <OptionEnd {...{ option, state, showsCursor, mark, asksFirst }} />
    </div>
  );
}

/** One of the options beside that which is being answered: to be read, not to be pressed. */
export function FoldedOption({ option }: { readonly option: MenuOption }): JSX.Element {
  return (
    <div class="option off">
      <span class="option-key">
        <TerminalText text={option.key} dir="ltr" />
      </span>
      <TerminalText text={option.label} class="option-label grow" />
    </div>
  );
}

/** What stands behind an option that is asked once more, or that grants more than what is asked. */
type Mark = "asks" | "grants" | null;

function OptionEnd(props: {
  readonly option: MenuOption;
  readonly state: OptionState;
  readonly showsCursor: boolean;
  readonly mark: Mark;
  readonly asksFirst: boolean;
}): JSX.Element {
  const { option, state, showsCursor, mark, asksFirst } = props;
  if (state === "armed" && asksFirst) return <span class="option-send">{words.send}</span>;
  return (
    <span class="option-end">
      {option.checked !== null && (
        <span class={`checkbox ${option.checked ? "on" : ""}`}>
          {option.checked && <Icon name="check" />}
          <span class="visually-hidden">{option.checked ? words.ticked : words.notTicked}</span>
        </span>
      )}
      {option.freeform && <Icon name="pencil" />}
      {mark !== null && (
        <>
          <Icon name="shield" />
          <span class="visually-hidden">{mark === "asks" ? once.mark : once.grants}</span>
        </>
      )}
      {showsCursor && (state === "on" || state === "armed") && (
        <span class="option-cursor">
          <Icon name="cursor" />
          <span class="visually-hidden">{words.highlighted}</span>
        </span>
      )}
    </span>
  );
}

function freeformHint(pane: Pane, option: MenuOption): string {
  if (!option.freeform) return "";
  return asksForWords(pane, option) ? words.opensReply : words.thenWrite;
}

/** Three lines, then More: never cut off before it can be read. */
function Description(props: {
  readonly pane: Pane;
  readonly option: MenuOption;
}): JSX.Element | null {
  const { pane, option } = props;
  const [isOpen, setOpen] = useState(false);
  const text = option.description || freeformHint(pane, option);
  if (text === "") return null;
  const isLong = text.length > LONG_DESCRIPTION;
  const stop = (event: Event) => event.stopPropagation();
  return (
    <>
      <TerminalText
        text={text}
        class={`option-description ${isLong && !isOpen ? "clamped" : ""}`}
      />
      {isLong && !isOpen && (
        <button
          type="button"
          class="more-text"
          onPointerDown={stop}
          onPointerUp={stop}
          onClick={(event) => {
            event.stopPropagation();
            setOpen(true);
          }}
        >
          {words.moreText}
        </button>
      )}
    </>
  );
}
