import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { asksForWords, canSelect, canWrite, type MenuOption, type Pane } from "../../model/pane.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useBrowser } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { usePress } from "./press.ts";

const LONG_DESCRIPTION = 140;

/** What was on the screen when the press began. */
export interface SeenOption {
  readonly pane: Pane;
  readonly option: MenuOption;
}

/** What a press does: sends it, opens a field for words, or leads to its terminal. */
export function doing({ pane, option }: SeenOption): "send" | "field" | "terminal" {
  if (!canSelect(pane, option)) return "terminal";
  if (!asksForWords(pane, option)) return "send";
  return canWrite(pane) ? "field" : "terminal";
}

/** How an option stands: to be taken, taken once, on its way, or beside one that is. */
export type OptionState = "on" | "off" | "armed" | "sending" | "faded";

/** What stands behind an option that is asked once more, or that grants more than what is asked. */
export type OptionMark = "asks" | "grants" | null;

/** One option as it stands in its list. */
export function Option(props: {
  readonly id: string;
  readonly seen: SeenOption;
  readonly state: OptionState;
  readonly mark: OptionMark;
  /** Own words that were picked with it. */
  readonly words: string;
  readonly answerWith: Preferences["answerWith"];
  readonly onPress: (seen: SeenOption, pressedAt: number) => void;
}): JSX.Element {
  const { id, seen, state, mark, words, answerWith, onPress } = props;
  const { pane, option } = seen;
  const { preferences } = useBrowser();
  const [isHolding, setHolding] = useState(false);
  const isOn = state === "on" || state === "armed";
  const does = doing(seen);
  const press = usePress<SeenOption>({
    see: () => seen,
    release: (pressed, pressedAt) => {
      if (isOn) onPress(pressed, pressedAt);
    },
    holds: answerWith === "hold",
    onHolding: setHolding,
  });
  const isAtCursor = isOn && option.selected && preferences.current.value.showCursor;
  const classes = [
    "option flex gap-12 fill round-3",
    state,
    isHolding && "holding",
    isAtCursor && "at-cursor",
  ];
  const writesBelow = option.freeform && does === "send" && option.description === "";
  const isAlone = does === "terminal" && pane.menu.some((other) => canSelect(pane, other));
  return (
    <div
      id={id}
      class={classes.filter(Boolean).join(" ")}
      role="option"
      aria-selected={state === "armed"}
      aria-disabled={!isOn}
      aria-busy={state === "sending" || undefined}
      data-key={option.key}
      data-freeform={(isOn && option.freeform) || undefined}
      {...(isOn ? press : {})}
    >
      <OptionKey option={option} />
      <span class="grow">
        <TerminalText text={option.label} class="option-label" />
        <Description
          text={
            words ||
            (writesBelow ? "Chooses this first; then write below the terminal" : option.description)
          }
        />
        {isAlone && <span class="option-says fs-12 text-3">Only in its terminal</span>}
        {!isAlone && option.suggested === true && (
          <span class="option-says fs-12 text-3">The agent suggests this one.</span>
        )}
      </span>
      {state === "armed" && answerWith === "confirm" ? (
        <span class="option-send">Send</span>
      ) : (
        <span class="option-end flex rigid gap-8 text-3">
          {option.checked !== null && (
            <span class={`checkbox ${option.checked ? "on" : ""}`}>
              {option.checked && <Icon name="check" />}
              <span class="visually-hidden">{option.checked ? ", ticked" : ", not ticked"}</span>
            </span>
          )}
          {option.freeform && <Icon name="pencil" />}
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
      )}
    </div>
  );
}

const OptionKey = ({ option }: { readonly option: MenuOption }): JSX.Element => (
  <span class="option-key">
    <TerminalText text={option.key} dir="ltr" />
  </span>
);

/** One of the options beside that which is being answered: to be read; a press unfolds them again. */
export function FoldedOption(props: {
  readonly option: MenuOption;
  readonly onUnfold: () => void;
}): JSX.Element {
  return (
    <div class="option folded flex gap-12 fill round-3" onClick={props.onUnfold}>
      <OptionKey option={props.option} />
      <TerminalText text={props.option.label} class="option-label grow" />
    </div>
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
