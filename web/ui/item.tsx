// Rows of a set in a sheet, or of a menu: an icon, a label with a hint below, and a control. `Item` takes
// any control at its end. Then choices by themselves: side by side, and as chips.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon, type IconName, StatusIcon } from "./button.tsx";

interface Text<Label = string> {
  readonly icon?: IconName;
  readonly label: Label;
  readonly hint?: ComponentChildren;
}

function ItemText(props: Text<ComponentChildren> & { readonly id?: string }): JSX.Element {
  const { icon, label, hint, id } = props;
  return (
    <>
      {icon !== undefined && <Icon name={icon} />}
      <span class="grow">
        {label}
        {hint !== undefined && (
          <span class="item-hint" id={id}>
            {hint}
          </span>
        )}
      </span>
    </>
  );
}

const ItemValue = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <span class="item-value inline rigid gap-4 numbers text-2 to-end">{children}</span>
);

export function Item(
  props: Text<ComponentChildren> & {
    readonly value?: string;
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const { value, children, ...text } = props;
  return (
    <div class="item">
      <ItemText {...text} />
      {value !== undefined && <ItemValue>{value}</ItemValue>}
      {children}
    </div>
  );
}

export function SwitchItem(
  props: Text & {
    readonly isOn: boolean;
    readonly onChange: (isOn: boolean) => void;
    readonly disabled?: boolean;
  },
): JSX.Element {
  const { isOn, onChange, disabled = false, ...text } = props;
  const id = useId();
  return (
    <button
      type="button"
      class="item"
      role="switch"
      aria-checked={isOn}
      aria-label={text.label}
      aria-describedby={text.hint === undefined ? undefined : id}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
    >
      <ItemText {...text} id={id} />
      <span class={`switch rigid relative ${isOn ? "on" : ""}`} />
    </button>
  );
}

export function MenuItem(
  props: Text<ComponentChildren> & {
    readonly onClick: () => void;
    readonly isDanger?: boolean;
    readonly children?: ComponentChildren;
  },
): JSX.Element {
  const { onClick, isDanger = false, children, ...text } = props;
  return (
    <button type="button" class={`item ${isDanger ? "text-error" : ""}`} onClick={onClick}>
      <ItemText {...text} />
      {children}
    </button>
  );
}

export function RadioItem(
  props: Text & Parameters<typeof Radio>[0] & { readonly children?: ComponentChildren },
): JSX.Element {
  const { name, isChosen, onChoose, children, ...text } = props;
  return (
    <label class="item relative">
      <Radio {...{ name, isChosen, onChoose }} />
      <ItemText {...text} />
      {children}
      {isChosen && <Icon name="check" />}
    </label>
  );
}

export function LinkItem(
  props: Text<ComponentChildren> & { readonly value?: string; readonly onClick: () => void },
): JSX.Element {
  const { value, ...item } = props;
  return (
    <MenuItem {...item}>
      <ItemValue>
        {value}
        <Icon name="next" class="small" />
      </ItemValue>
    </MenuItem>
  );
}

export function ChoiceItem<T extends string>(
  props: Text & {
    readonly options: Readonly<Record<T, string>>;
    readonly chosen: T;
    readonly onChoose: (value: T) => void;
  },
): JSX.Element {
  const { options, chosen, onChoose, label, hint } = props;
  const id = useId();
  return (
    <label class="item">
      <ItemText label={label} hint={hint} id={id} />
      <span class="item-value inline rigid gap-4 text-2 to-end">
        <Select
          {...{ label, chosen }}
          describedBy={hint === undefined ? undefined : id}
          options={Object.entries<string>(options)}
          // The options are the keys of `options` and nothing else.
          onChoose={(value) => onChoose(value as T)}
        />
      </span>
    </label>
  );
}

interface SelectProps {
  readonly label: string;
  readonly describedBy?: string | undefined;
  readonly class?: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly chosen: string;
  readonly onChoose: (value: string) => void;
}

const Select = (props: SelectProps): JSX.Element => (
  <>
    <select
      class={props.class}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      value={props.chosen}
      onChange={({ currentTarget }) => props.onChoose(currentTarget.value)}
    >
      {props.options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
    <Icon name="down" class="small" />
  </>
);

const STATES = {
  done: { shape: "ok", spoken: "Done:" },
  failed: { shape: "error", spoken: "Failed:" },
  open: { shape: "idle", spoken: "Still to do:" },
  working: { shape: "working", spoken: "" },
} as const;

/** The state of a step or an attempt; in a list also spoken, with what can be done about it below. */
export function StatusLine(props: {
  readonly as?: "li" | "span";
  readonly state: keyof typeof STATES;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { as: Element = "span", state, children } = props;
  const { shape, spoken } = STATES[state];
  return (
    <Element class={`check-line flex start gap-8 fs-13 prose text-2 ${state}`}>
      <StatusIcon shape={shape} {...(Element === "li" && { label: spoken })} />
      {Element === "li" ? <div>{children}</div> : children}
    </Element>
  );
}

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
export const ChipSelect = (props: SelectProps): JSX.Element => (
  <span class={`chip chip-select inline relative fs-13 surface ${props.chosen === "" ? "" : "on"}`}>
    <Select {...props} class="bare" />
  </span>
);
