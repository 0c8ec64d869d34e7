import type { ComponentChildren, JSX } from "preact";
import { Icon } from "./icons.tsx";

interface Text {
  readonly label: string;
  readonly hint?: ComponentChildren;
}

function ItemText({ label, hint }: Text): JSX.Element {
  return (
    <span class="grow">
      {label}
      {hint !== undefined && <span class="item-hint">{hint}</span>}
    </span>
  );
}

/** A row of a set with a control at its end. */
export function Item(props: Text & { readonly children?: ComponentChildren }): JSX.Element {
  const { children, ...text } = props;
  return (
    <div class="item">
      <ItemText {...text} />
      {children}
    </div>
  );
}

/** A row that is a switch. */
export function SwitchItem(
  props: Text & {
    readonly isOn: boolean;
    readonly onChange: (isOn: boolean) => void;
    readonly disabled?: boolean;
  },
): JSX.Element {
  const { isOn, onChange, disabled = false, label, hint } = props;
  return (
    <button
      type="button"
      class="item"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
    >
      <ItemText label={label} hint={hint} />
      <span class={`switch ${isOn ? "on" : ""}`} />
    </button>
  );
}

/** A row that leads on to more. */
export function LinkItem(
  props: Text & { readonly value?: string; readonly onClick: () => void },
): JSX.Element {
  const { value, onClick, ...text } = props;
  return (
    <button type="button" class="item" onClick={onClick}>
      <ItemText {...text} />
      <span class="item-value numbers">
        {value}
        <Icon name="next" class="small" />
      </span>
    </button>
  );
}

/** A row whose value is one of a list. */
export function ChoiceItem<T extends string>(
  props: Text & {
    readonly options: Readonly<Record<T, string>>;
    readonly chosen: T;
    readonly onChoose: (value: T) => void;
  },
): JSX.Element {
  const { options, chosen, onChoose, label, hint } = props;
  return (
    <label class="item">
      <ItemText label={label} hint={hint} />
      <span class="item-value">
        <select
          aria-label={label}
          value={chosen}
          // The options are the keys of `options` and nothing else.
          onChange={(event) => onChoose(event.currentTarget.value as T)}
        >
          {Object.entries<string>(options).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        <Icon name="down" class="small" />
      </span>
    </label>
  );
}
