import type { ComponentChildren, JSX } from "preact";
import { leadFocus } from "./focus.ts";

interface Segment<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly icon?: ComponentChildren;
}

/** One of a few choices, side by side. Arrows move and choose, as in any group of radio buttons. */
export function Segments<T extends string>(props: {
  readonly label: string;
  readonly options: readonly Segment<T>[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
  readonly class?: string;
}): JSX.Element {
  const { label, options, chosen, onChoose } = props;
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = options.findIndex(({ value }) => value === chosen);
    const index = (at + step + options.length) % options.length;
    const next = options[index];
    if (next === undefined) return;
    onChoose(next.value);
    leadFocus(event.currentTarget.querySelectorAll<HTMLElement>("[role=radio]")[index]);
  };
  return (
    <div
      class={`segments ${props.class ?? ""}`}
      role="radiogroup"
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          class={option.value === chosen ? "on" : ""}
          aria-checked={option.value === chosen}
          tabIndex={option.value === chosen ? 0 : -1}
          onClick={() => onChoose(option.value)}
        >
          {option.icon}
          {option.label}
        </button>
      ))}
    </div>
  );
}
