import type { JSX } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { DecisionOption } from "../../../src/protocol/agents.ts";
import type { SeenAgent, SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { holdsAnswers, type Attempt } from "../../model/attempt.ts";
import { excerptOf } from "../../model/excerpt.ts";
import { SHIELD_MS, steadyMs } from "../../model/guard.ts";
import { waits } from "../../model/pane.ts";
import type { OwnWords } from "../../model/review/own-words.ts";
import { signatureOf } from "../../model/review/decision.ts";
import { useBrowser } from "../../state/client.ts";
import type { DecisionPress, SentChoice } from "../../state/server/agents/replies.ts";
import { Icon } from "../../ui/icons.tsx";
import { answer, once } from "../../words/queue.ts";
import { review as words } from "../../words/review.ts";
import { AsksOnce } from "../answer/asks-once.tsx";
import { riskFor } from "../answer/risk.ts";
import { type OptionState, optionState, useOptionPress } from "../answer/option-press.ts";
import type { Steady } from "../answer/steady.ts";
import { focusAnswers } from "../answer/pass-key.ts";
import { TerminalText } from "../parts/text.tsx";
import { usePaneOf } from "./use.ts";

/** What the reader saw when the press began. */
interface Seen {
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
  readonly option: DecisionOption;
  readonly place: number;
}

/** The options of one decision as a listbox: arrows and digits arm, Enter sends. */
export function DecisionOptions(props: {
  readonly agent: SeenAgent;
  readonly decision: SeenDecision;
  readonly attempt: Attempt<SentChoice> | null;
  readonly isOn: boolean;
  readonly steady: Steady;
  readonly questionId: string;
  readonly ownWords: OwnWords;
  readonly onSend: (press: DecisionPress) => void;
}): JSX.Element {
  const { agent, decision, attempt, isOn, steady, questionId, ownWords, onSend } = props;
  const { arming, clock, preferences } = useBrowser();
  const id = useId();
  const [active, setActive] = useState(0);
  const [asking, setAsking] = useState<{ index: number; signature: string } | null>(null);
  const pane = usePaneOf(agent);
  const signature = signatureOf(decision);
  const armedNow = arming.current.value;
  const isOwn = armedNow?.paneId === decision.id && armedNow.signature === signature;
  const armed = isOwn ? armedNow : null;
  const isDisabled = !isOn || holdsAnswers(attempt);
  const { answerWith } = preferences.current.value;
  const shown = pane !== null && waits(pane) ? excerptOf(pane) : [];
  const about = [decision.title, decision.description, ...shown];
  const risks = decision.options.map(({ label }) =>
    riskFor(preferences.current.value, label, about),
  );
  const last = decision.options.length - 1;

  useEffect(() => setActive(0), [signature]);

  const arm = (index: number, lapses: boolean) => {
    const option = decision.options[index];
    if (option === undefined) return;
    setActive(index);
    if (ownWords.ids.includes(option.id)) return arming.disarm();
    arming.arm({ paneId: decision.id, index, signature, at: clock.monotonicMs() }, { lapses });
    if (!lapses) document.getElementById(`${id}-${index}`)?.scrollIntoView({ block: "nearest" });
  };
  const send = ({ option, place: _place, ...seen }: Seen, pressedAt: number) => {
    arming.disarm();
    const times = { pressedAt, steadySince: steady.since() };
    onSend({
      ...seen,
      optionId: option.id,
      label: option.label,
      steadyMs: steadyMs(times, clock.monotonicMs()),
    });
  };
  const choose = (seen: Seen, pressedAt: number) => {
    if (risks[seen.place - 1] === null) return send(seen, pressedAt);
    arming.disarm();
    setAsking({ index: seen.place - 1, signature });
  };
  const confirm = (seen: Seen, pressedAt: number) => {
    // Send has only just appeared under the finger: a double tap is no second thought.
    if (armed === null || pressedAt - armed.at >= SHIELD_MS) choose(seen, pressedAt);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isDisabled || event.metaKey || event.ctrlKey || event.altKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const digit = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
    if (step !== undefined) arm(Math.min(last, Math.max(0, active + step)), false);
    else if (digit >= 0 && digit <= last) arm(digit, false);
    else if (event.key === "Escape" && armed !== null) arming.disarm();
    else if (event.key === "Enter" && armed !== null) {
      const option = decision.options[armed.index];
      if (option && !event.repeat)
        choose({ agent, decision, option, place: armed.index + 1 }, performance.now());
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const askedAt = asking?.signature === signature && !isDisabled ? asking.index : -1;
  if (askedAt >= 0)
    return (
      <div class="options" role="group" aria-labelledby={questionId}>
        {decision.options.map((option, index) => {
          const [risk, place] = [risks[index] ?? null, index + 1];
          return index === askedAt && risk !== null ? (
            <AsksOnce
              key={`asks ${option.id}`}
              optionKey={String(place)}
              label={option.label}
              risk={risk}
              see={(): Seen => ({ agent, decision, option, place })}
              onGo={(seen, pressedAt) => {
                setAsking(null);
                send(seen, pressedAt);
              }}
              onClose={() => {
                setAsking(null);
                focusAnswers(decision.id);
              }}
            />
          ) : (
            <div key={option.id} class="option off">
              <span class="option-key">{place}</span>
              <TerminalText text={option.label} class="option-label grow" />
            </div>
          );
        })}
      </div>
    );
  return (
    <div
      class="options"
      role="listbox"
      tabIndex={isDisabled ? -1 : 0}
      aria-labelledby={questionId}
      aria-disabled={isDisabled}
      aria-activedescendant={armed === null ? undefined : `${id}-${armed.index}`}
      data-options={decision.id}
      onKeyDown={onKeyDown}
    >
      {decision.options.map((option, index) => (
        <Option
          key={option.id}
          id={`${id}-${index}`}
          seen={{ agent, decision, option, place: index + 1 }}
          isSuggested={decision.recommendation === option.id}
          state={optionState(attempt, ({ optionId }) => optionId === option.id, {
            isOn: isOn && !ownWords.ids.includes(option.id),
            isArmed: armed?.index === index,
          })}
          isOwnWords={ownWords.ids.includes(option.id)}
          asksAgain={risks[index] !== null}
          asksFirst={risks[index] === null && answerWith === "confirm"}
          holds={risks[index] === null && answerWith === "hold"}
          onArm={() => arm(index, true)}
          onConfirm={confirm}
          onSend={choose}
        />
      ))}
      {ownWords.added.map(({ key, label, description }) => (
        <div key={key} class="option off" role="option" aria-selected={false} aria-disabled>
          <span class="option-key">{key}</span>
          <span class="grow">
            <TerminalText text={label} class="option-label" />
            {description !== "" && <TerminalText text={description} class="option-description" />}
            <InTerminal />
          </span>
        </div>
      ))}
    </div>
  );
}

/** It asks for words of the person's own. */
export function InTerminal(): JSX.Element {
  return <span class="option-says">{words.terminalOnly}</span>;
}

function Option(props: {
  readonly id: string;
  readonly seen: Seen;
  readonly isSuggested: boolean;
  readonly state: OptionState;
  readonly isOwnWords: boolean;
  /** What it allows is asked once more. */
  readonly asksAgain: boolean;
  readonly asksFirst: boolean;
  readonly holds: boolean;
  readonly onArm: () => void;
  readonly onConfirm: (seen: Seen, pressedAt: number) => void;
  readonly onSend: (seen: Seen, pressedAt: number) => void;
}): JSX.Element {
  const { id, seen, isSuggested, state, isOwnWords, asksAgain, ...when } = props;
  const { option, place } = seen;
  const { isOn, isHolding, press } = useOptionPress({ ...when, see: () => seen, state });
  return (
    <div
      id={id}
      class={["option", state, isHolding && "holding"].filter(Boolean).join(" ")}
      role="option"
      aria-selected={state === "armed"}
      aria-disabled={!isOn}
      data-key={place}
      {...press}
    >
      <span class="option-key">{place}</span>
      <span class="grow">
        <TerminalText text={option.label} class="option-label" />
        {option.description !== "" && (
          <TerminalText text={option.description} class="option-description" />
        )}
        {isSuggested && <span class="option-says">{words.suggests}</span>}
        {isOwnWords && <InTerminal />}
      </span>
      {state === "armed" && when.asksFirst && <span class="option-send">{answer.send}</span>}
      {asksAgain && (
        <span class="option-end">
          <Icon name="shield" />
          <span class="visually-hidden">{once.mark}</span>
        </span>
      )}
    </div>
  );
}
