// Rows of a set in a sheet, or of a menu: an icon, a label with a hint below, and a control. `Item` takes
// any control at its end.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Icon, type IconName, StatusIcon } from "./icons.tsx";
import { Radio } from "./choices.tsx";

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

export function Item(
  props: Text<ComponentChildren> & { readonly children?: ComponentChildren },
): JSX.Element {
  const { children, ...text } = props;
  return (
    <div class="item">
      <ItemText {...text} />
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
      <span class="item-value inline rigid gap-4 numbers text-2 to-end">
        {value}
        <Icon name="next" class="small" />
      </span>
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
        <select
          aria-label={label}
          aria-describedby={hint === undefined ? undefined : id}
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
