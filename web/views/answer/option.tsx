import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { MenuOption } from "../../model/pane.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { Icon } from "../../ui/icons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { usePress } from "./press.ts";

const LONG_DESCRIPTION = 140;

/** One of several answers, and what a reader saw of it when the press began. */
export interface Choice<Seen> {
  readonly seen: Seen;
  readonly key: string;
  readonly label: string;
  readonly description: string;
  /** What the server says of it alone. */
  readonly own: Pick<MenuOption, "risk" | "declines">;
  /** Said below it. */
  readonly note?: string | null;
  /** What a press does: sends it, opens a field for words, or leads to its terminal. */
  readonly does: "send" | "field" | "terminal";
  /** It takes words, here or once it was chosen. */
  readonly isFreeform: boolean;
  readonly checked: boolean | null;
  /** The terminal's own cursor is on it, and is to be seen. */
  readonly isAtCursor: boolean;
  /** It is what is on its way. */
  readonly isSent: boolean;
  /** It is picked, and leaves with others. */
  readonly isPicked: boolean;
}

/** How an option stands: to be taken, taken once, on its way, or beside one that is. */
export type OptionState = "on" | "off" | "armed" | "sending" | "faded";

/** What stands behind an option that is asked once more, or that grants more than what is asked. */
export type OptionMark = "asks" | "grants" | null;

/** One option as it stands in its list. */
export function Option<Seen>(props: {
  readonly id: string;
  readonly choice: Choice<Seen>;
  readonly state: OptionState;
  readonly mark: OptionMark;
  readonly answerWith: Preferences["answerWith"];
  readonly onArm: (seen: Seen, pressedAt: number) => void;
  /** Where a tap asks first: it is armed, and the next one sends. */
  readonly onConfirm: (seen: Seen, pressedAt: number) => void;
  readonly onChoose: (seen: Seen, pressedAt: number) => void;
}): JSX.Element {
  const { id, choice, state, mark, answerWith, onArm, onConfirm, onChoose } = props;
  const [isHolding, setHolding] = useState(false);
  const isOn = state === "on" || state === "armed";
  const asksFirst = answerWith === "confirm";
  const press = usePress<Seen>({
    see: () => choice.seen,
    release: (seen, pressedAt) => {
      if (!isOn) return;
      if (!asksFirst) onChoose(seen, pressedAt);
      else if (state === "armed") onConfirm(seen, pressedAt);
      else onArm(seen, pressedAt);
    },
    holds: answerWith === "hold",
    onHolding: setHolding,
  });
  const isAtCursor = isOn && choice.isAtCursor;
  const classes = ["option", state, isHolding && "holding", isAtCursor && "at-cursor"];
  return (
    <div
      id={id}
      class={classes.filter(Boolean).join(" ")}
      role="option"
      aria-selected={state === "armed"}
      aria-disabled={!isOn}
      aria-busy={state === "sending" || undefined}
      data-key={choice.key}
      data-freeform={(isOn && choice.isFreeform) || undefined}
      {...(isOn ? press : {})}
    >
      <OptionKey choice={choice} />
      <span class="grow">
        <TerminalText text={choice.label} class="option-label" />
        <Description text={choice.description} />
        {choice.note != null && <span class="option-says">{choice.note}</span>}
      </span>
      {state === "armed" && asksFirst ? (
        <span class="option-send">Send</span>
      ) : (
        <OptionEnd {...{ choice, mark, isAtCursor }} />
      )}
    </div>
  );
}

const OptionKey = ({ choice }: { readonly choice: Choice<unknown> }): JSX.Element => (
  <span class="option-key">
    <TerminalText text={choice.key} dir="ltr" />
  </span>
);

/** One of the options beside that which is being answered: to be read; a press unfolds them again. */
export function FoldedOption(props: {
  readonly choice: Choice<unknown>;
  readonly onUnfold: () => void;
}): JSX.Element {
  return (
    <div class="option folded" onClick={props.onUnfold}>
      <OptionKey choice={props.choice} />
      <TerminalText text={props.choice.label} class="option-label grow" />
    </div>
  );
}

function OptionEnd(props: {
  readonly choice: Choice<unknown>;
  readonly mark: OptionMark;
  readonly isAtCursor: boolean;
}): JSX.Element {
  const { choice, mark, isAtCursor } = props;
  const { checked, does, isFreeform } = choice;
  return (
    <span class="option-end">
      {checked !== null && (
        <span class={`checkbox ${checked ? "on" : ""}`}>
          {checked && <Icon name="check" />}
          <span class="visually-hidden">{checked ? ", ticked" : ", not ticked"}</span>
        </span>
      )}
      {isFreeform && <Icon name="pencil" />}
      {does === "field" && <span class="visually-hidden">, opens a field</span>}
      {mark !== null && (
        <>
          <Icon name="shield" />
          <span class="visually-hidden">
            {mark === "asks" ? ", asks once more" : ", allows more than this"}
          </span>
        </>
      )}
      {isAtCursor && (
        <span class="option-cursor">
          <Icon name="cursor" />
          <span class="visually-hidden">, highlighted in the terminal</span>
        </span>
      )}
    </span>
  );
}

/** Three lines, then More: never cut off before it can be read. */
function Description({ text }: { readonly text: string }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  if (text === "") return null;
  const isCut = text.length > LONG_DESCRIPTION && !isOpen;
  const stop = (event: Event) => event.stopPropagation();
  return (
    <>
      <TerminalText text={text} class={`option-description ${isCut ? "clamped" : ""}`} />
      {isCut && (
        <button
          type="button"
          class="more-text"
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
