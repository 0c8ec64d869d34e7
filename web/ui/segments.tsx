import type { JSX } from "preact";
import { useId } from "preact/hooks";

/** One of a few choices, side by side. */
export function Segments<T extends string>(props: {
  readonly label: string;
  readonly options: Readonly<Partial<Record<T, string>>>;
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
  readonly class?: string;
}): JSX.Element {
  const { label, options, chosen, onChoose, class: extra = "" } = props;
  const name = useId();
  const values = Object.keys(options) as T[]; // The options are those of the table and nothing else.
  return (
    <div class={`segments ${extra}`} role="radiogroup" aria-label={label}>
      {values.map((value) => (
        <label key={value}>
          <Radio name={name} isChosen={value === chosen} onChoose={() => onChoose(value)} />
          {options[value]}
        </label>
      ))}
    </div>
  );
}

/**
 * Over the whole of its label, which draws what it is: arrows lead from one of a name to the next. One that
 * is chosen already may be chosen again.
 */
export const Radio = (props: {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): JSX.Element => (
  <input
    type="radio"
    class="radio"
    name={props.name}
    checked={props.isChosen}
    // Arrows click as well; a change is not told of the one that holds.
    onClick={props.onChoose}
  />
);
