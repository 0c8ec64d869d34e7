import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { SHIELD_MS } from "../../model/guard.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { type Asked, OptionRow, type SeenOption, OptionKey, focusAnswers } from "./option.tsx";
import { usePress, type Steady } from "./press.ts";
import { canWrite, type MenuOption, type Pane } from "../../model/pane.ts";
import { cleanInput } from "../../model/text.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { common } from "../../words/common.ts";
import { TerminalText } from "../parts/text.tsx";
import { WriteText } from "../parts/write-text.tsx";

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

/** The reply field: the reader's own words for a freeform option, or for a prompt without options. */
export function Reply(props: {
  readonly pane: Pane;
  readonly option: MenuOption | null;
  readonly steady: Steady;
  readonly isDisabled: boolean;
}): JSX.Element {
  const { pane, option, steady } = props;
  const { acts, drafts, picks } = useServer();
  const { arming } = useBrowser();
  const isDisabled = props.isDisabled || !canWrite(pane);
  const field = useRef<HTMLTextAreaElement>(null);
  const { text } = drafts.of(pane).value;
  useEffect(() => {
    // A field that comes with the page, or with a draft of another tab, raises no keyboard.
    if (option === null || !arming.takesFocus(pane.id)) return;
    giveFocus(field.current, field.current?.closest(".options"));
    field.current?.parentElement?.scrollIntoView({ block: "nearest" });
  }, [option?.key]);

  /** What is on the screen when the press begins. */
  const see = () => ({ shown: pane, text: drafts.of(pane).peek().text });
  const send = (seen: ReturnType<typeof see>, pressedAt: number) => {
    // Another tab may write the same draft.
    const isAsSeen = drafts.of(seen.shown).peek().text === seen.text;
    if (seen.text === "" || isDisabled || !isAsSeen) return;
    const press = { ...seen, option, label: seen.text, pressedAt, steadySince: steady.since() };
    if (!picks.isOn.peek()) return void acts.answer(press);
    if (!acts.admits(press)) return;
    picks.pick(press);
    cancel();
  };
  const press = usePress(see, send);
  const cancel = () => {
    drafts.set(pane, { choice: null });
    focusAnswers(pane.id);
  };
  return (
    <>
      {option !== null && (
        <div class="own-words-head flex gap-12 fs-15">
          <OptionKey option={option} />
          <TerminalText text={option.label} class="grow" />
          <IconButton icon="close" label={common.close} onClick={cancel} />
        </div>
      )}
      <WriteText
        field={field}
        label="Reply"
        placeholder="Your reply"
        value={text}
        onInput={(written) => drafts.set(pane, { text: cleanInput(written).text })}
        onSend={() => send(see(), performance.now())}
        onEscape={option === null ? undefined : cancel}
      />
      <div class="flex gap-8 fs-13 text-2">
        <span class="grow">{!picks.isOn.value && "Sent as your answer."}</span>
        <Button tone="primary" disabled={isDisabled || text === ""} {...press}>
          {picks.isOn.value ? "Pick" : "Send"}
        </Button>
      </div>
    </>
  );
}

/** To an error, by a press that is judged as an answer is. */
export function ReadyReply(props: {
  readonly pane: Pane;
  readonly steady: Steady;
  readonly isDisabled: boolean;
}): JSX.Element | null {
  const { pane, steady, isDisabled } = props;
  const server = useServer();
  const { acts, canAnswer } = server;
  const { preferences } = useBrowser();
  const text = preferences.current.value.snippets[0] ?? null;
  const press = usePress(
    () => ({ shown: pane, text, label: text ?? "" }),
    (seen, pressedAt) =>
      void acts.answer({ ...seen, option: null, pressedAt, steadySince: steady.since() }),
  );
  // A program or a shell would run it as a command; nothing asks, so that to answer is not enough.
  if (text === null || pane.agent === null || !server.may("type")) return null;
  return (
    <Button disabled={isDisabled || !canWrite(pane) || !canAnswer.value} {...press}>
      {`Reply “${text}”`}
    </Button>
  );
}
