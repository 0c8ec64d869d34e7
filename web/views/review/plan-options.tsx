import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { SeenDecision } from "../../../src/protocol/tolerant-agents.ts";
import { review } from "../../words/review.ts";
import { TerminalText } from "../parts/text.tsx";

/** Circles, not keys: choosing sends nothing, and nothing is chosen beforehand. */
export function PlanOptions(props: {
  readonly decision: SeenDecision;
  readonly chosen: string | null;
  readonly questionId: string;
  readonly onChoose: (optionId: string) => void;
}): JSX.Element {
  const { decision, chosen, questionId, onChoose } = props;
  const group = useRef<HTMLDivElement>(null);
  const { options } = decision;
  const at = Math.max(
    0,
    options.findIndex(({ id }) => id === chosen),
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    // As radio buttons do: round and round, and where the focus is, is the choice.
    const next = (at + step + options.length) % options.length;
    const option = options[next];
    if (option === undefined) return;
    onChoose(option.id);
    group.current?.querySelectorAll<HTMLElement>("[role=radio]")[next]?.focus();
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
      {options.map((option, index) => (
        <button
          key={option.id}
          type="button"
          role="radio"
          aria-checked={option.id === chosen}
          tabIndex={index === at ? 0 : -1}
          class={`option on pickable ${option.id === chosen ? "chosen" : ""}`}
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
          </span>
        </button>
      ))}
    </div>
  );
}
