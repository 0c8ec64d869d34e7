import type { ComponentChildren, JSX } from "preact";
import { useState, useEffect } from "preact/hooks";
import { riskSentence } from "../../../src/protocol/options.ts";
import { asksForWords, canSelect, canWrite, type MenuOption, type Pane } from "../../model/pane.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Icon } from "../../ui/button.tsx";
import { moreWords } from "../../words/common.ts";
import { TerminalText } from "../parts/text.tsx";
import { usePress } from "./press.ts";
import { followPrompt } from "../../model/drafts.ts";
import { signatureOf } from "../../model/guard.ts";
import { giveFocus } from "../../ui/focus.ts";

/** What was on the screen when the press began. */
export interface SeenOption {
  readonly pane: Pane;
  readonly option: MenuOption;
}

/** What a press does: it sends the option, opens the reply field, or leads to the terminal. */
export function effectOf({ pane, option }: SeenOption): "send" | "field" | "terminal" {
  if (!canSelect(pane, option)) return "terminal";
  if (!asksForWords(pane, option)) return "send";
  return canWrite(pane) ? "field" : "terminal";
}

/** `armed`: the next press sends it; `sending`: it is on its way; `faded`: another one is. */
export type OptionState = "on" | "off" | "armed" | "sending" | "faded";

/** The preference that switches the warning of a risk off. */
const SWITCHES: Readonly<Partial<Record<string, keyof Preferences>>> = {
  standing_grant: "askGrant",
  deletes: "askDelete",
  rewrites_history: "askForce",
  root: "askRoot",
  runs_download: "askInternet",
};

/** Shown before an option is sent. */
export interface Warning {
  readonly why: string;
  /** The label of the button that sends it. */
  readonly go: string;
}

/** For what the server calls dangerous, and for a prompt that is not shown whole. */
export function warningFor(
  preferences: Preferences,
  prompt: Pick<Pane, "risk" | "cut"> | null,
  option: Pick<MenuOption, "risk" | "declines">,
): Warning | null {
  const risks = [option.declines === true ? null : prompt?.risk, option.risk];
  for (const risk of risks)
    for (const [i, kind] of (risk?.kinds ?? []).entries()) {
      const preference = SWITCHES[kind];
      // A kind that only a newer server knows has no preference, and is always warned of.
      if (preference !== undefined && preferences[preference] !== true) continue;
      const why = riskSentence(kind, i === 0 ? (risk?.text ?? "") : "");
      return { why, go: kind === "standing_grant" ? "Allow always" : "Run it" };
    }
  if (!prompt?.cut) return null;
  return { why: `${moreWords(prompt.cut)}: open the terminal to read all.`, go: "Send it" };
}

export function Option(props: {
  readonly id: string;
  readonly seen: SeenOption;
  readonly state: OptionState;
  /** Said of an option with a warning, and of one that grants more than what is asked. */
  readonly mark: string | false;
  /** The reply that was picked with it. */
  readonly words: string;
  readonly answerWith: Preferences["answerWith"];
  readonly onPress: (seen: SeenOption, pressedAt: number) => void;
}): JSX.Element {
  const { id, seen, state, mark, words, answerWith, onPress } = props;
  const { pane, option } = seen;
  const { preferences } = useBrowser();
  const [isHolding, setHolding] = useState(false);
  const isOn = state === "on" || state === "armed";
  const effect = effectOf(seen);
  const press = usePress(() => seen, onPress, answerWith === "hold" ? setHolding : undefined);
  const isAtCursor = isOn && option.selected && preferences.current.value.showCursor;
  const writesBelow = option.freeform && effect === "send" && option.description === "";
  const description =
    words ||
    (writesBelow ? "Chooses this first; then write below the terminal" : option.description);
  const isAlone = effect === "terminal" && pane.menu.some((other) => canSelect(pane, other));
  const says = isAlone
    ? "Only in its terminal"
    : option.suggested === true && "The agent suggests this one.";
  const end = (
    <span class="option-end flex rigid gap-8 text-3">
      {option.checked !== null && (
        <span class={`checkbox center ${option.checked ? "on" : ""}`}>
          {option.checked && <Icon name="check" />}
          <span class="visually-hidden">{option.checked ? ", ticked" : ", not ticked"}</span>
        </span>
      )}
      {option.freeform && <Icon name="pencil" />}
      {effect === "field" && <span class="visually-hidden">, opens a field</span>}
      {mark !== false && (
        <>
          <Icon name="shield" />
          <span class="visually-hidden">{mark}</span>
        </>
      )}
      {isAtCursor && (
        <span class="option-cursor text-accent">
          <Icon name="cursor" />
          <span class="visually-hidden">, highlighted in the terminal</span>
        </span>
      )}
    </span>
  );
  return (
    <OptionRow
      id={id}
      option={option}
      class={`${state} ${isHolding ? "holding" : ""} ${isAtCursor ? "at-cursor" : ""}`}
      role="option"
      aria-selected={state === "armed"}
      aria-disabled={!isOn}
      aria-busy={state === "sending" || undefined}
      data-key={option.key}
      data-freeform={(isOn && option.freeform) || undefined}
      end={
        state === "armed" && answerWith === "confirm" ? (
          <span class="option-send rigid fs-13 bold round-2">Send</span>
        ) : (
          end
        )
      }
      {...(isOn ? press : {})}
    >
      {description !== "" && <Description text={description} />}
      {says !== false && <span class="option-says own-line fs-12 text-3">{says}</span>}
    </OptionRow>
  );
}

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
        <TerminalText id={labelId} text={option.label} class="option-label own-line fs-16" />
        {children}
      </div>
      {end}
    </div>
  );
}

export const OptionKey = ({ option }: { readonly option: MenuOption }): JSX.Element => (
  <TerminalText text={option.key} dir="ltr" class="option-key center rigid fill-2 text-2" />
);

const LONG_DESCRIPTION = 140;

/** Touch screens cut it after three lines, with More below; a screen reader has all of it. */
function Description({ text }: { readonly text: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const isCut = text.length > LONG_DESCRIPTION && !isOpen;
  const stop = (event: Event) => event.stopPropagation();
  return (
    <>
      <TerminalText
        text={text}
        class={`option-description own-line fs-13 text-2 ${isCut ? "clamp" : ""}`}
      />
      {isCut && (
        <span
          aria-hidden
          class="more-text fs-13 bold text-accent"
          onPointerDown={stop}
          onPointerUp={stop}
          onClick={(event) => {
            event.stopPropagation();
            setOpen(true);
          }}
        >
          More
        </span>
      )}
    </>
  );
}

/** Opens the reply field. */
export const REPLY_KEY = "r";
export const isLetter = (key: string): boolean => /^\p{L}$/u.test(key);

/** The freeform option that the reader is answering in words, while its prompt is still the same. */
export function useFreeform(pane: Pane): MenuOption | null {
  const { drafts } = useServer();
  const draft = drafts.of(pane).value;
  const signature = signatureOf(pane);
  const followed = followPrompt(draft, signature);
  useEffect(() => {
    // With another prompt the text stays, now for the composer.
    if (followed !== draft) drafts.set(pane, { choice: null });
  }, [followed !== draft]);
  const key = followed.choice?.key;
  return pane.menu.find((option) => asksForWords(pane, option) && option.key === key) ?? null;
}

/** Called when the element that replaced the answers of a pane goes, so that the focus stays there. */
export function focusAnswers(paneId: string): void {
  const answers = `[data-options="${CSS.escape(paneId)}"]`;
  requestAnimationFrame(() => giveFocus(document.querySelector<HTMLElement>(answers)));
}
