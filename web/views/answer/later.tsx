// What the later part draws in a card: why an answer was refused, what became of one elsewhere, a warned
// option, and the field for a reply.
import type { JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Answer, PaneAct } from "../../model/answer.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import {
  appearanceOf,
  canWrite,
  isAnswerable,
  isPlaceholder,
  type MenuOption,
  type Pane,
} from "../../model/pane.ts";
import { cleanInput } from "../../model/text.ts";
import { unknownWord } from "../../model/work.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, IconButton, Icon } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { Notice } from "../../ui/notice.tsx";
import { common, waitText } from "../../words/common.ts";
import { refusedText } from "../../words/refusals.ts";
import { HostAway } from "../hosts/hosts.tsx";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { WriteText } from "../parts/write-text.tsx";
import { FateLine } from "./fate.tsx";
import { focusAnswers, OptionKey, OptionRow, type SeenOption, type Warning } from "./option.tsx";
import { usePress } from "./press.ts";

const TITLES = new Map([
  ["prompt_changed", "Not sent: the prompt changed"],
  ["options_changed", "Not sent: the options changed"],
]);

export function Refusal({ reason }: { readonly reason: string }): JSX.Element {
  if (reason === "changed" || reason === "moved")
    return (
      <Notice icon="refresh" tone="needs" title="This prompt just changed" role="alert">
        Read it again before you answer.
      </Notice>
    );
  return (
    <Notice tone="error" title={TITLES.get(reason) ?? "Not sent"} role="alert">
      {refusedText(reason)}
    </Notice>
  );
}

export function Obstacle({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const isStale = appearanceOf(pane) === "stale";
  if (isStale && pane.host) return <HostAway name={pane.host} />;
  if (isStale)
    return (
      <Notice tone="stale" title="This pane cannot be read">
        What is shown is from before. Answers come back when it can be read.
      </Notice>
    );
  const unknown = unknownWord(pane);
  if (unknown !== null) return <Notice icon="info" tone="stale" title={unknown} />;
  if (!isAnswerable(pane) && !isPlaceholder(pane.id))
    return <Notice icon="lock" tone="stale" title="Answer this one in the terminal." />;
  return null;
}

/** "Yes, from Pixel 9, 5 s ago · confirmed" */
export function OthersFate({ act }: { readonly act: PaneAct }): JSX.Element {
  const { clock } = useBrowser();
  const { config } = useServer();
  const { label, by, at, state } = act;
  const isHere = config.current.value?._info.grant?.id === by.grant;
  const wait = useDerived(() => waitText(Math.max(0, clock.now.value - at)), [at]);
  return (
    <FateLine label={label} isConfirmed={state === "confirmed"} role="status">
      {!isHere && (
        <>
          , from <TerminalText text={by.name} />
        </>
      )}
      , <span aria-live="off">{wait === "now" ? "just now" : `${wait} ago`}</span> · {state}
    </FateLine>
  );
}

/** Nobody knows whether the answer arrived: only a look at the terminal tells. */
export function Uncertain(props: {
  readonly answer: Extract<Answer, { readonly step: "uncertain" }>;
  readonly onInspect: () => void;
}): JSX.Element {
  const { answer, onInspect } = props;
  return (
    <Notice
      icon="eye"
      tone="stale"
      title={
        answer.isPart
          ? `A part of “${answer.sent.label}” was sent, the rest may be missing. Look at its screen.`
          : "May have arrived. Look at its screen."
      }
      role="alert"
      actions={
        <Button tone="primary" onClick={onInspect}>
          <Icon name="terminal" />
          Inspect terminal
        </Button>
      }
    />
  );
}

const CLOSES_MS = 8000;

/** In the place of the row of an option: what it does, Cancel, and the button that sends it. */
export function WarnedOption(props: {
  readonly seen: SeenOption;
  readonly warning: Warning;
  readonly onGo: (seen: SeenOption, pressedAt: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { seen, warning, onGo, onClose } = props;
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
    // The button has only just come under the finger: a double tap has not read the warning.
    (pressed, pressedAt) => {
      if (pressedAt - openedAt.current >= SHIELD_MS) onGo(pressed, pressedAt);
    },
  );
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
    // Digits and letters answer no other card meanwhile; a held Enter presses no button again.
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
        {warning.why}
      </p>
      <div ref={place} class="asks-buttons grid gap-8">
        <Button onClick={onClose}>Cancel</Button>
        <Button class="go" {...go}>
          {warning.go}
        </Button>
      </div>
    </OptionRow>
  );
}

/** For a freeform option, or for a prompt without options. */
export function Reply(props: {
  readonly pane: Pane;
  readonly option: MenuOption | null;
  readonly steadySince: () => number;
  readonly isDisabled: boolean;
}): JSX.Element {
  const { pane, option, steadySince } = props;
  const { acts, drafts, picks } = useServer();
  const { arming } = useBrowser();
  const isDisabled = props.isDisabled || !canWrite(pane);
  const field = useRef<HTMLTextAreaElement>(null);
  const { text } = drafts.of(pane).value;
  useEffect(() => {
    // A field that comes with the page, or with a draft of another tab, must not raise the keyboard.
    if (option === null || !arming.takesFocus(pane.id)) return;
    giveFocus(field.current, field.current?.closest(".options"));
    field.current?.parentElement?.scrollIntoView({ block: "nearest" });
  }, [option?.key]);

  /** What is on the screen when the press begins. */
  const see = () => ({ shown: pane, text: drafts.of(pane).peek().text });
  const send = (seen: ReturnType<typeof see>, pressedAt: number) => {
    // Another tab may have changed the draft.
    const isAsSeen = drafts.of(seen.shown).peek().text === seen.text;
    if (seen.text === "" || isDisabled || !isAsSeen) return;
    const press = { ...seen, option, label: seen.text, pressedAt, steadySince: steadySince() };
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

/** The first snippet, as an answer to an error. */
export function ReadyReply(props: {
  readonly pane: Pane;
  readonly steadySince: () => number;
  readonly isDisabled: boolean;
}): JSX.Element | null {
  const { pane, steadySince, isDisabled } = props;
  const server = useServer();
  const { acts, canAnswer } = server;
  const { preferences } = useBrowser();
  const text = preferences.current.value.snippets[0] ?? null;
  const press = usePress(
    () => ({ shown: pane, text, label: text ?? "" }),
    (seen, pressedAt) =>
      void acts.answer({ ...seen, option: null, pressedAt, steadySince: steadySince() }),
  );
  // A shell would run it as a command; it answers no question, so that the scope "answer" is not enough.
  if (text === null || pane.agent === null || !server.may("type")) return null;
  return (
    <Button disabled={isDisabled || !canWrite(pane) || !canAnswer.value} {...press}>
      {`Reply “${text}”`}
    </Button>
  );
}
