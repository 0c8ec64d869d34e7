// A text of several lines that grows with its content. Ctrl or Cmd with Enter sends, or Enter alone by preference.
import type { JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";

const MAX_HEIGHT_PX = 180;
const growsByItself = CSS.supports("field-sizing", "content");

export function WriteText(props: {
  readonly label: string;
  readonly placeholder?: string; // The label when absent.
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly onEscape?: (() => void) | undefined;
  readonly field?: RefObject<HTMLTextAreaElement | null> | undefined;
  readonly area?: JSX.IntrinsicElements["textarea"] & Readonly<Record<`data-${string}`, string>>;
  readonly onSend?: () => void;
}): JSX.Element {
  const { label, placeholder = label, value, onInput, onSend, onEscape } = props;
  const { preferences } = useBrowser();
  const own = useRef<HTMLTextAreaElement>(null);
  const field = props.field ?? own;
  useEffect(() => growWithText(field.current), [value]);
  const actOf = (event: KeyboardEvent) => {
    if (event.key === "Escape") return onEscape;
    const isSend = event.metaKey || event.ctrlKey || preferences.current.value.enterSends;
    const isWhole = !event.shiftKey && !event.isComposing && !event.repeat;
    return event.key === "Enter" && isSend && isWhole ? onSend : undefined;
  };
  return (
    <textarea
      ref={field}
      class="text-box grows full"
      rows={2}
      dir="auto"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
      onKeyDown={(event) => {
        const act = actOf(event);
        if (act === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        act();
      }}
      {...props.area}
    />
  );
}

/** For browsers without `field-sizing`. */
function growWithText(field: HTMLTextAreaElement | null): void {
  if (field === null || growsByItself) return;
  field.style.setProperty("height", "auto");
  field.style.setProperty("height", `${Math.min(field.scrollHeight, MAX_HEIGHT_PX)}px`);
}
