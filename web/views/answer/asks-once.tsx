import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { SHIELD_MS } from "../../model/guard.ts";
import { Button } from "../../ui/button.tsx";
import { TerminalText } from "../parts/text.tsx";
import { usePress } from "./press.ts";
import { giveFocus } from "../../ui/focus.ts";
import type { Asked } from "./risk.ts";

const CLOSES_MS = 8000;

/** The row of an option that is asked once more: what it does, a way back, and the way on. */
export function AsksOnce<Seen>(props: {
  readonly optionKey: string;
  readonly label: string;
  readonly asked: Asked;
  readonly see: () => Seen;
  readonly onGo: (seen: Seen, pressedAt: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { optionKey, label, asked, see, onGo, onClose } = props;
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const openedAt = useRef(performance.now());
  useEffect(() => {
    giveFocus(place.current?.querySelector("button"), place.current?.parentElement);
    const timer = setTimeout(onClose, CLOSES_MS);
    return () => clearTimeout(timer);
  }, []);
  const go = usePress<Seen>({
    see,
    // The button has only just come under the finger: a double tap is no second thought.
    release: (seen, pressedAt) => {
      if (pressedAt - openedAt.current >= SHIELD_MS) onGo(seen, pressedAt);
    },
    holds: false,
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
    // Digits and letters belong to no other card while this one asks; Enter holds at its buttons.
    if (event.key !== "Tab") event.stopPropagation();
    if (event.key === "Enter" && event.repeat) event.preventDefault();
  };
  return (
    <div
      ref={place}
      class="option asks-once"
      role="alertdialog"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-why`}
      onKeyDown={onKeyDown}
    >
      <span class="option-key">
        <TerminalText text={optionKey} dir="ltr" />
      </span>
      <div class="grow">
        <span id={`${id}-label`}>
          <TerminalText text={label} class="option-label" />
        </span>
        <p id={`${id}-why`}>{asked.why}</p>
        <div class="asks-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button class="go" {...go}>
            {asked.go}
          </Button>
        </div>
      </div>
    </div>
  );
}
