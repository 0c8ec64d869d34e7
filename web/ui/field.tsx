import type { ComponentChildren, JSX, RefObject } from "preact";
import { useRef } from "preact/hooks";
import { IconButton, Icon } from "./button.tsx";
import { leadFocus } from "./focus.ts";

/** The box around an input and its icons. */
export function Field(props: {
  readonly isWrong?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { isWrong = false, class: extra = "", children } = props;
  return <div class={`field edge ${isWrong ? "wrong" : ""} ${extra}`}>{children}</div>;
}

export function SearchField(props: {
  /** Also the placeholder. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Called on Escape in an empty field, which else loses the focus. */
  readonly onLeave?: () => void;
  /** The key `/` leads here. */
  readonly isFilter?: boolean;
  readonly maxLength?: number;
  readonly field?: RefObject<HTMLInputElement | null>;
}): JSX.Element {
  const { label, value, onChange, onLeave, isFilter = false, maxLength } = props;
  const own = useRef<HTMLInputElement>(null);
  const field = props.field ?? own;
  const clear = () => {
    onChange("");
    leadFocus(field.current);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (value !== "") return onChange("");
    if (onLeave === undefined) field.current?.blur();
    else onLeave();
  };
  return (
    <search class="field grow">
      <Icon name="search" />
      <input
        ref={field}
        class="grow"
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        maxLength={maxLength}
        data-filter={isFilter ? "" : undefined}
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {value !== "" && <IconButton icon="close" label="Clear search" onClick={clear} />}
    </search>
  );
}
