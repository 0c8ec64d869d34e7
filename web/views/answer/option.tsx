import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { asksForWords, type MenuOption, type Pane } from "../../model/pane.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { Icon } from "../../ui/icons.tsx";
import { answer as words, once } from "../../words/queue.ts";
import { TerminalText } from "../parts/text.tsx";
import { type OptionState, useOptionPress } from "./option-press.ts";

const LONG_DESCRIPTION = 140;

/** What the reader saw when the press began. */
export interface Seen {
  readonly pane: Pane;
  readonly option: MenuOption;
}

/** One option of a prompt, as it stands in its list. */
export function Option(props: {
  readonly id: string;
  readonly option: MenuOption;
  readonly pane: Pane;
  readonly state: OptionState;
  /** Whether the terminal's own cursor is on it, and is to be seen. */
  readonly showsCursor: boolean;
  readonly mark: Mark;
  readonly answerWith: Preferences["answerWith"];
  readonly onArm: (seen: Seen, pressedAt: number) => void;
  readonly onConfirm: (seen: Seen, pressedAt: number) => void;
  readonly onChoose: (seen: Seen, pressedAt: number) => void;
}): JSX.Element {
  const { id, option, pane, state, showsCursor, mark, answerWith, onChoose, ...when } = props;
  const asksFirst = answerWith === "confirm";
  const { isOn, isHolding, press } = useOptionPress({
    ...when,
    see: () => ({ pane, option }),
    state,
    asksFirst,
    holds: answerWith === "hold",
    onSend: onChoose,
  });
  const classes = ["option", state, isHolding && "holding", isOn && showsCursor && "at-cursor"];
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
      {...press}
    >
      <span class="option-key">
        <TerminalText text={option.key} dir="ltr" />
      </span>
      <span class="grow">
        <TerminalText text={option.label} class="option-label" />
        <Description pane={pane} option={option} />
      </span>
      <OptionEnd {...{ option, state, showsCursor, mark, asksFirst }} />
    </div>
  );
}

/** One of the options beside that which is being answered: to be read, not to be pressed. */
export function FoldedOption({ option }: { readonly option: MenuOption }): JSX.Element {
  return (
    <div class="option off">
      <span class="option-key">
        <TerminalText text={option.key} dir="ltr" />
      </span>
      <TerminalText text={option.label} class="option-label grow" />
    </div>
  );
}

/** What stands behind an option that is asked once more, or that grants more than what is asked. */
type Mark = "asks" | "grants" | null;

function OptionEnd(props: {
  readonly option: MenuOption;
  readonly state: OptionState;
  readonly showsCursor: boolean;
  readonly mark: Mark;
  readonly asksFirst: boolean;
}): JSX.Element {
  const { option, state, showsCursor, mark, asksFirst } = props;
  if (state === "armed" && asksFirst) return <span class="option-send">{words.send}</span>;
  return (
    <span class="option-end">
      {option.checked !== null && (
        <span class={`checkbox ${option.checked ? "on" : ""}`}>
          {option.checked && <Icon name="check" />}
          <span class="visually-hidden">{option.checked ? words.ticked : words.notTicked}</span>
        </span>
      )}
      {option.freeform && <Icon name="pencil" />}
      {mark !== null && (
        <>
          <Icon name="shield" />
          <span class="visually-hidden">{mark === "asks" ? once.mark : once.grants}</span>
        </>
      )}
      {showsCursor && (state === "on" || state === "armed") && (
        <span class="option-cursor">
          <Icon name="cursor" />
          <span class="visually-hidden">{words.highlighted}</span>
        </span>
      )}
    </span>
  );
}

function freeformHint(pane: Pane, option: MenuOption): string {
  if (!option.freeform) return "";
  return asksForWords(pane, option) ? words.opensReply : words.thenWrite;
}

/** Three lines, then More: never cut off before it can be read. */
function Description(props: {
  readonly pane: Pane;
  readonly option: MenuOption;
}): JSX.Element | null {
  const { pane, option } = props;
  const [isOpen, setOpen] = useState(false);
  const text = option.description || freeformHint(pane, option);
  if (text === "") return null;
  const isLong = text.length > LONG_DESCRIPTION;
  const stop = (event: Event) => event.stopPropagation();
  return (
    <>
      <TerminalText
        text={text}
        class={`option-description ${isLong && !isOpen ? "clamped" : ""}`}
      />
      {isLong && !isOpen && (
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
          {words.moreText}
        </button>
      )}
    </>
  );
}
