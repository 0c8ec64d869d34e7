import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { optionOfDigit } from "../../model/answer.ts";
import {
  choosables,
  type Choosable,
  type Choice,
  type Question,
} from "../../model/queue/collect.ts";
import { cleanInput } from "../../model/text.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { collect as words } from "../../words/collect.ts";
import { once } from "../../words/queue.ts";
import { AsksOnce } from "../answer/asks-once.tsx";
import { usePress } from "../answer/press.ts";
import { askedFor } from "../answer/risk.ts";
import { growWithText } from "../parts/grow.ts";
import { TerminalText } from "../parts/text.tsx";
import { giveFocus, leadFocus } from "../../ui/focus.ts";

interface RadiosProps {
  readonly question: Question;
  readonly choice: Choice | null;
  readonly labelledBy: string;
  readonly onChoose: (seen: Question, option: Choosable | null, text?: string) => void;
}

/** Circles, not keys: choosing sends nothing, and nothing is chosen beforehand. Arrows move, digits choose. */
export function Radios(props: RadiosProps): JSX.Element {
  const { question, choice, labelledBy, onChoose } = props;
  const { preferences } = useBrowser();
  const group = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<{ key: string; as: "asks" | "field" } | null>(null);
  const { prompt } = question;
  const options = choosables(question);
  const riskOf = ({ own }: Choosable) => askedFor(preferences.current.value, prompt, own);
  const keyNow = choice?.option.key ?? null;
  // Another question: what was open for the one before is not meant for it.
  useEffect(() => setOpened(null), [prompt.prompt_since]);

  const take = (seen: Question, option: Choosable) => {
    const isChosen = option.key === keyNow;
    setOpened(null);
    if (isChosen) return onChoose(seen, null);
    if (option.freeform) return setOpened({ key: option.key, as: "field" });
    if (riskOf(option) !== null) return setOpened({ key: option.key, as: "asks" });
    onChoose(seen, option);
  };
  const close = () => {
    setOpened(null);
    giveFocus(group.current?.querySelector<HTMLElement>("[role=radio]"), group.current);
  };
  const focus = (at: number) =>
    leadFocus(group.current?.querySelectorAll<HTMLElement>("[role=radio]")[at]);
  const onKeyDown = (event: KeyboardEvent) => {
    const { target, key } = event;
    if (event.metaKey || event.ctrlKey || event.altKey || target instanceof HTMLTextAreaElement)
      return;
    const radios = [...(group.current?.querySelectorAll("[role=radio]") ?? [])];
    const at = Math.max(0, radios.indexOf(document.activeElement as Element));
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
    const keys = options.map((option) => option.key);
    const place = /^[1-9]$/.test(key) ? optionOfDigit(keys, key) : keys.indexOf(key);
    const option = options[place];
    if (step !== undefined) focus((at + step + radios.length) % radios.length);
    else if (key === "0") onChoose(question, null);
    else if (option !== undefined) {
      if (option.key !== keyNow) take(question, option);
      focus(place);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const first = options.find(({ key }) => key === keyNow) ?? options[0];
  return (
    <div
      ref={group}
      class="options"
      role="radiogroup"
      tabIndex={-1}
      aria-labelledby={labelledBy}
      data-options={question.id}
      onKeyDown={onKeyDown}
    >
      {options.map((option) => {
        const risk = riskOf(option);
        if (opened?.key !== option.key || (opened.as === "asks" && risk === null))
          return (
            <Radio
              key={option.key}
              {...{ question, option }}
              isChosen={option.key === keyNow}
              text={option.key === keyNow ? (choice?.text ?? null) : null}
              takesFocus={option === first}
              hasShield={risk !== null}
              onTake={take}
            />
          );
        if (opened.as === "asks" && risk !== null)
          return (
            <AsksOnce
              key={`asks ${option.key}`}
              optionKey={option.key}
              label={option.label}
              asked={risk}
              see={() => question}
              onGo={(seen) => {
                onChoose(seen, option);
                close();
              }}
              onClose={close}
            />
          );
        return (
          <OwnWords
            key={`field ${option.key}`}
            {...{ prompt, option }}
            onUse={(text) => {
              onChoose(question, option, text);
              close();
            }}
            onClose={close}
          />
        );
      })}
    </div>
  );
}

function Radio(props: {
  readonly question: Question;
  readonly option: Choosable;
  readonly isChosen: boolean;
  readonly text: string | null;
  readonly takesFocus: boolean;
  readonly hasShield: boolean;
  readonly onTake: (seen: Question, option: Choosable) => void;
}): JSX.Element {
  const { question, option, isChosen, text, takesFocus, hasShield, onTake } = props;
  // What was on the screen when the finger came down is what is chosen.
  const press = usePress({
    see: () => question,
    release: (seen) => onTake(seen, option),
    holds: false,
  });
  const below = text ?? option.description;
  return (
    <button
      type="button"
      role="radio"
      aria-checked={isChosen}
      tabIndex={takesFocus ? 0 : -1}
      class={`option pickable on ${isChosen ? "chosen" : ""}`}
      {...press}
    >
      <span class="circle" />
      <span class="grow">
        <TerminalText text={option.label} class="option-label" />
        {below !== "" && <TerminalText text={below} class="option-description" />}
        {option.isSuggested && <span class="option-says">{words.suggests}</span>}
        {option.freeform && <span class="visually-hidden">{words.opensField}</span>}
        {hasShield && <span class="visually-hidden">{once.mark}</span>}
      </span>
      {option.freeform && <Icon name="pencil" class="small" />}
      {hasShield && <Icon name="shield" class="small" />}
    </button>
  );
}

/** Words of the person's own for an option: they stay the draft of their pane. */
function OwnWords(props: {
  readonly prompt: Pane;
  readonly option: Choosable;
  readonly onUse: (text: string) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { prompt, option, onUse, onClose } = props;
  const { drafts } = useServer();
  const field = useRef<HTMLTextAreaElement>(null);
  const { text } = drafts.of(prompt).value;
  useEffect(() => giveFocus(field.current, field.current?.closest(".options")), []);
  useEffect(() => growWithText(field.current), [text]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <div class="option on own-words" onKeyDown={onKeyDown}>
      <div class="grow">
        <TerminalText text={option.label} class="option-label" />
        <textarea
          ref={field}
          class="text-box"
          rows={1}
          dir="auto"
          aria-label={words.ownWords}
          value={text}
          onInput={(event) =>
            drafts.set(prompt, { text: cleanInput(event.currentTarget.value).text })
          }
        />
        <div class="asks-buttons">
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button tone="primary" disabled={text === ""} onClick={() => onUse(text)}>
            {words.useWords}
          </Button>
        </div>
      </div>
    </div>
  );
}
