import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { optionOfDigit, type Answer, type Sent } from "../../model/answer.ts";
import { holdsAnswers } from "../../model/attempt.ts";
import { isGrant } from "../../model/danger.ts";
import { excerptOf } from "../../model/excerpt.ts";
import { SHIELD_MS, signatureOf } from "../../model/guard.ts";
import { asksForWords, canSelect, type MenuOption, type Pane } from "../../model/pane.ts";
import type { Press } from "../../state/server/answers.ts";
import { useClient } from "../../state/client.ts";
import { AsksOnce } from "./asks-once.tsx";
import { riskFor } from "./risk.ts";
import { focusAnswers, isLetter, REPLY_KEY } from "./pass-key.ts";
import { FoldedOption, Option, type Seen } from "./option.tsx";
import { optionState } from "./option-press.ts";
import type { Steady } from "./steady.ts";

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
    return { pane: seen, option, text: null, label: option.label, pressedAt, steadySince };
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
    else if (isLetter(event.key) && keys.includes(event.key)) arm(keys.indexOf(event.key), false);
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
