import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { MenuOption, Pane } from "../../model/pane.ts";
import { TerminalText } from "../parts/text.tsx";

/** What was on the screen when the press began. */
export interface SeenOption {
  readonly pane: Pane;
  readonly option: MenuOption;
}

const LONG_DESCRIPTION = 140;

/** One row of the answers: the key of an option, its label, what is said below it, and what ends it. */
export function OptionRow(
  props: Omit<JSX.IntrinsicElements["div"], "class"> &
    Readonly<Record<`data-${string}`, unknown>> & {
      readonly option: MenuOption;
      readonly class: string;
      readonly labelId?: string;
      readonly end?: ComponentChildren;
    },
): JSX.Element {
  const { option, class: look, labelId, end, children, ...row } = props;
  return (
    <div class={`option flex gap-12 fill round-3 ${look}`} {...row}>
      <OptionKey option={option} />
      <div class="grow">
        <TerminalText id={labelId} text={option.label} class="option-label fs-16" />
        {children}
      </div>
      {end}
    </div>
  );
}

export const OptionKey = ({ option }: { readonly option: MenuOption }): JSX.Element => (
  <TerminalText text={option.key} dir="ltr" class="option-key center rigid fill-2 text-2" />
);

/** Three lines, then More: never cut off before it can be read. */
export function Description({ text }: { readonly text: string }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (text === "") return null;
  const isCut = text.length > LONG_DESCRIPTION && !isOpen;
  const stop = (event: Event) => event.stopPropagation();
  return (
    <>
      <TerminalText
        text={text}
        class={`option-description fs-13 text-2 ${isCut ? "clamped" : ""}`}
      />
      {isCut && (
        <button
          type="button"
          class="more-text fs-13 bold text-accent"
          onPointerDown={stop}
          onPointerUp={stop}
          onClick={(event) => {
            event.stopPropagation();
            setOpen(true);
          }}
        >
          More
        </button>
      )}
    </>
  );
}
