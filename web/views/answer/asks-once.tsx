import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { SHIELD_MS } from "../../model/guard.ts";
import { Button } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import type { Asked } from "./asked.ts";
import { OptionRow, type SeenOption } from "./option-row.tsx";
import { usePress } from "./press.ts";

const CLOSES_MS = 8000;

/** The row of an option that is asked once more: what it does, a way back, and the way on. */
export function AsksOnce(props: {
  readonly seen: SeenOption;
  readonly asked: Asked;
  readonly onGo: (seen: SeenOption, pressedAt: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { seen, asked, onGo, onClose } = props;
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const openedAt = useRef(performance.now());
  useEffect(() => {
    const row = place.current?.closest(".option");
    giveFocus(row?.querySelector("button"), row?.parentElement);
    const timer = setTimeout(onClose, CLOSES_MS);
    return () => clearTimeout(timer);
  }, []);
  const go = usePress(
    () => seen,
    // The button has only just come under the finger: a double tap is no second thought.
    (pressed, pressedAt) => {
      if (pressedAt - openedAt.current >= SHIELD_MS) onGo(pressed, pressedAt);
    },
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
    // Digits and letters belong to no other card while this one asks; Enter holds at its buttons.
    if (event.key !== "Tab") event.stopPropagation();
    if (event.key === "Enter" && event.repeat) event.preventDefault();
  };
  return (
    <OptionRow
      option={seen.option}
      class="asks-once start"
      labelId={`${id}-label`}
      role="alertdialog"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-why`}
      onKeyDown={onKeyDown}
    >
      <p class="mt-4 fs-13" id={`${id}-why`}>
        {asked.why}
      </p>
      <div ref={place} class="asks-buttons grid gap-8">
        <Button onClick={onClose}>Cancel</Button>
        <Button class="go" {...go}>
          {asked.go}
        </Button>
      </div>
    </OptionRow>
  );
}
