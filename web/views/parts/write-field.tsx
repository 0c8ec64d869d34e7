// WriteField: a text that grows with what is written, and a button that sends it.
// Props: label, placeholder (the label when absent), value, onInput (the raw text), see (what was on
// the screen when the press began), send (gets that, and when), sendLabel, isOff (nothing can be sent),
// field, onEscape, area (further attributes of the text). Enter sends with Mod, or alone where the
// reader wants it so; the same press guards the button and the key.
import type { JSX, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { usePress } from "../answer/press.ts";
import { growWithText } from "./grow.ts";

export function WriteField<Seen>(props: {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
  readonly see: () => Seen;
  /** `pressedAt` is in monotonic milliseconds. */
  readonly send: (seen: Seen, pressedAt: number) => void;
  readonly sendLabel: string;
  readonly isOff: boolean;
  readonly field?: RefObject<HTMLTextAreaElement | null>;
  readonly onEscape?: () => void;
  readonly area?: JSX.IntrinsicElements["textarea"] & Readonly<Record<`data-${string}`, string>>;
}): JSX.Element {
  const { label, placeholder = label, value, onInput, see, send, sendLabel, isOff } = props;
  const { clock, preferences } = useBrowser();
  const own = useRef<HTMLTextAreaElement>(null);
  const field = props.field ?? own;
  useEffect(() => growWithText(field.current), [value]);
  const press = usePress<Seen>({ see, release: send, holds: false });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && props.onEscape !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      return props.onEscape();
    }
    const isSend = event.metaKey || event.ctrlKey || preferences.current.value.enterSends;
    if (event.key !== "Enter" || !isSend || event.shiftKey || event.isComposing || event.repeat)
      return;
    event.preventDefault();
    send(see(), clock.monotonicMs());
  };
  return (
    <>
      <textarea
        ref={field}
        class="text-box grow"
        rows={1}
        dir="auto"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        {...props.area}
      />
      <button type="button" class="send" aria-label={sendLabel} disabled={isOff} {...press}>
        <Icon name="send" />
      </button>
    </>
  );
}
