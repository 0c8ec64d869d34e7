import type { ComponentChildren, JSX } from "preact";

/** A row that is a switch. */
export function SwitchRow(props: {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly children: ComponentChildren;
  readonly disabled?: boolean;
}): JSX.Element {
  const { isOn, onChange, children, disabled = false } = props;
  return (
    <button
      type="button"
      class="menu-row"
      role="switch"
      aria-checked={isOn}
      disabled={disabled}
      onClick={() => onChange(!isOn)}
    >
      {children}
      <span class={`switch ${isOn ? "on" : ""}`} />
    </button>
  );
}
