import type { JSX } from "preact";
import { leadFocus } from "./focus.ts";

/** One of a few choices, side by side. Arrows move and choose, as in any group of radio buttons. */
export function Segments<T extends string>(props: {
  readonly label: string;
  readonly options: Readonly<Partial<Record<T, string>>>;
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
  readonly class?: string;
}): JSX.Element {
  const { label, options, chosen, onChoose } = props;
  const values = Object.keys(options) as T[]; // The options are those of the table and nothing else.
  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = (values.indexOf(chosen) + step + values.length) % values.length;
    const next = values[index];
    if (next === undefined) return;
    onChoose(next);
    leadFocus(event.currentTarget.querySelectorAll<HTMLElement>("[role=radio]")[index]);
  };
  return (
    <div
      class={`segments ${props.class ?? ""}`}
      role="radiogroup"
      aria-label={label}
      onKeyDown={onKeyDown}
    >
      {values.map((value) => (
        <button
          key={value}
          type="button"
          role="radio"
          class={value === chosen ? "on" : ""}
          aria-checked={value === chosen}
          tabIndex={value === chosen ? 0 : -1}
          onClick={() => onChoose(value)}
        >
          {options[value]}
        </button>
      ))}
    </div>
  );
}
