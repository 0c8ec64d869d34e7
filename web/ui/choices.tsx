import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "./icons.tsx";

/** Radio buttons side by side. */
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

/** An invisible radio button over the whole of its label, so that arrow keys move within the group. */
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
    // Arrow keys click too. No `change` comes for the one that is checked already.
    onClick={props.onChoose}
  />
);

export interface Chip<T extends string> {
  readonly value: T;
  readonly label: ComponentChildren;
  readonly mark?: ComponentChildren;
  readonly count?: number | undefined;
}

/** Filters a list by one value; a second press on the chosen chip takes the filter off. */
export function Chips<T extends string>(props: {
  readonly label: string;
  readonly all: Omit<Chip<T>, "value">;
  readonly chips: readonly Chip<T>[];
  readonly chosen: T | null;
  readonly onChoose: (value: T | null) => void;
}): JSX.Element {
  const { label, all, chips, chosen, onChoose } = props;
  return (
    <div class="chips flex scrolls-x gap-8" role="group" aria-label={label}>
      <ChipButton chip={all} isOn={chosen === null} onPress={() => onChoose(null)} />
      {chips.map((chip) => (
        <ChipButton
          key={chip.value}
          chip={chip}
          isOn={chip.value === chosen}
          onPress={() => onChoose(chip.value === chosen ? null : chip.value)}
        />
      ))}
    </div>
  );
}

export function ChipButton(props: {
  readonly chip: Omit<Chip<string>, "value">;
  /** Absent where a press acts instead of choosing. */
  readonly isOn?: boolean;
  readonly title?: string;
  readonly onPress: () => void;
}): JSX.Element {
  const { chip, isOn, title, onPress } = props;
  return (
    <button
      type="button"
      title={title}
      class={`chip inline rigid relative gap-6 fs-13 surface ${isOn === true ? "on" : ""}`}
      aria-pressed={isOn}
      onClick={onPress}
    >
      {chip.mark}
      {chip.label}
      {chip.count !== undefined && <span class="chip-count text-3 numbers">{chip.count}</span>}
    </button>
  );
}

/** A native select in the shape of a chip; the option with an empty value stands for no filter. */
export function ChipSelect(props: {
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
}): JSX.Element {
  const { label, options, chosen, onChoose } = props;
  return (
    <span class={`chip chip-select inline relative fs-13 surface ${chosen === "" ? "" : "on"}`}>
      <select
        class="bare"
        aria-label={label}
        value={chosen}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="down" class="small" />
    </span>
  );
}
