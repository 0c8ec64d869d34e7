import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import type { OwnWords } from "../../model/review/own-words.ts";
import { review } from "../../words/review.ts";
import { TerminalText } from "../parts/text.tsx";

/** Circles, not keys: choosing sends nothing, and nothing is chosen beforehand. */
export function PlanOptions(props: {
  readonly decision: SeenDecision;
  readonly chosen: string | null;
  readonly questionId: string;
  readonly ownWords: OwnWords;
  readonly onChoose: (optionId: string) => void;
}): JSX.Element {
  const { decision, chosen, questionId, ownWords, onChoose } = props;
  const group = useRef<HTMLDivElement>(null);
  const { options } = decision;
  const isOff = (id: string) => ownWords.ids.includes(id);
  const takesFocus =
    options.find(({ id }) => id === chosen) ?? options.find(({ id }) => !isOff(id));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    // As radio buttons do: round and round, and where the focus is, is the choice.
    const open = options.filter(({ id }) => !isOff(id));
    const from = open.findIndex(({ id }) => id === chosen);
    const option = open[(Math.max(0, from) + step + open.length) % open.length];
    if (option === undefined) return;
    onChoose(option.id);
    const radios = group.current?.querySelectorAll<HTMLElement>("[role=radio]");
    radios?.[options.indexOf(option)]?.focus();
  };
  return (
    <div
      ref={group}
      class="options"
      role="radiogroup"
      aria-labelledby={questionId}
      data-plan={decision.id}
      onKeyDown={onKeyDown}
    >
      {options.map((option) => (
        <button
          key={option.id}
          type="button"
          role="radio"
          aria-checked={option.id === chosen}
          tabIndex={option === takesFocus ? 0 : -1}
          disabled={isOff(option.id)}
          class={`option pickable ${classOf(option.id === chosen, isOff(option.id))}`}
          onClick={() => onChoose(option.id)}
        >
          <span class="circle" />
          <span class="grow">
            <TerminalText text={option.label} class="option-label" />
            {option.description !== "" && (
              <TerminalText text={option.description} class="option-description" />
            )}
            {decision.recommendation === option.id && (
              <span class="option-says">{review.suggests}</span>
            )}
            {isOff(option.id) && <span class="option-says">{review.terminalOnly}</span>}
          </span>
        </button>
      ))}
      {ownWords.added.map(({ key, label }) => (
        <button
          key={key}
          type="button"
          role="radio"
          aria-checked={false}
          disabled
          class="option off pickable"
        >
          <span class="circle" />
          <span class="grow">
            <TerminalText text={label} class="option-label" />
            <span class="option-says">{review.terminalOnly}</span>
          </span>
        </button>
      ))}
    </div>
  );
}

function classOf(isChosen: boolean, isOff: boolean): string {
  if (isOff) return "off";
  return isChosen ? "on chosen" : "on";
}
