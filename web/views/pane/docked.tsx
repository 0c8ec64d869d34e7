import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { sinceOf } from "../../../src/protocol/waiting.ts";
import { type Answer, holdsAnswers } from "../../model/answer.ts";
import { signatureOf } from "../../model/guard.ts";
import { failed, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { Icon } from "../../ui/icons.tsx";
import { common } from "../../words/common.ts";
import { OtherAct, Outcome, useOtherAct } from "../answer/fate.tsx";
import { Prompt, useShown } from "../answer/prompt.tsx";
import { useFreeform } from "../answer/reply.tsx";
import { useUnread } from "../answer/steady.ts";
import { Ago, Wait } from "../parts/wait.tsx";
import { useNextWaiting, usePane, useWaitingCount } from "../parts/derived.ts";
import { BackButton } from "../parts/head.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { SheetButton } from "../parts/links.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Tile } from "../parts/tile.tsx";
import { usePage } from "./head.tsx";

/** The answer that was just sent here, remembered until the pane asks again. */
function useDone(pane: Pane, answer: Answer | null) {
  const [done, setDone] = useState<{ label: string; isConfirmed: boolean } | null>(null);
  useEffect(() => {
    if (answer?.step === "sent")
      setDone({ label: answer.sent.label, isConfirmed: answer.confirmed });
    else if (answer !== null || waits(pane)) setDone(null);
  }, [answer, waits(pane)]);
  return done;
}

/** The focus stays in this place when what had it there goes: an answer that was sent, for one. */
function useKeptFocus(place: { readonly current: HTMLElement | null }) {
  const focused = useRef<EventTarget | null>(null);
  useLayoutEffect(() => {
    const isGone = focused.current instanceof Element && !focused.current.isConnected;
    if (isGone) giveFocus(place.current);
  });
  return {
    onFocusIn: ({ target }: FocusEvent) => {
      focused.current = target;
    },
    onFocusOut: ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        if (target instanceof Element && target.isConnected && focused.current === target)
          focused.current = null;
      }),
  };
}

/** The prompt of the open pane where the thumb is: question, answers, and what comes next. */
export function DockedPrompt(props: {
  readonly pane: Pane;
  /** In its own column nothing is hidden and no handle is shown. */
  readonly isDocked: boolean;
  /** What it asks about is not on the screen beside it. */
  readonly withExcerpt?: boolean;
  /** Something else is read here: it is one row until somebody opens it, for that question. */
  readonly isFolded?: boolean;
  /** Behind the answers. */
  readonly children?: ComponentChildren;
}): JSX.Element | null {
  const { pane, isDocked, withExcerpt = false, isFolded = false, children } = props;
  const { layout, terminal } = useBrowser();
  const card = useRef<HTMLElement>(null);
  const { shown, answer } = useShown(pane);
  const done = useDone(pane, answer);
  const other = useOtherAct(pane);
  const isReplying = useFreeform(pane) !== null && isDocked && layout.columns.value === 1;
  const keptFocus = useKeptFocus(card);
  const isUnread = useUnread(shown);
  const [opened, setOpened] = useState<string | null>(null);
  const isSettled = done?.isConfirmed === true && (answer === null || answer.step === "sent");
  const isAsking = waits(shown) || (failed(shown) && answer !== null);
  if (!isAsking && !isSettled && other === null) return null;
  const question = signatureOf(shown);
  const isPutAway = isFolded ? opened !== question : terminal.isPromptHidden.value;
  const fold = (hides: boolean) => {
    if (isFolded) setOpened(hides ? null : question);
    else terminal.isPromptHidden.value = hides;
  };
  const isHidden = isDocked && isPutAway;
  return (
    <section
      ref={card}
      class={isDocked ? "docked" : "card inspector-prompt"}
      aria-label="Prompt"
      tabIndex={-1}
      {...keptFocus}
    >
      {isSettled && <SentNext pane={pane} label={done.label} />}
      {!isSettled && !isAsking && other !== null && <OtherAct act={other} />}
      {!isSettled && isAsking && (
        <>
          <header class="prompt-header flex gap-8 rigid fs-13">
            <PromptHeader
              {...{ pane: shown, answer, isDocked, isHidden }}
              isBrief={isHidden || isReplying}
              onFold={fold}
            />
          </header>
          {!isHidden && (
            <div class="docked-body scroll">
              <Prompt
                pane={shown}
                answer={answer}
                card={card}
                withExcerpt={withExcerpt || isUnread}
                withQuestion={!isReplying}
                headingLevel={2}
              />
              {children}
            </div>
          )}
        </>
      )}
    </section>
  );
}

function PromptHeader(props: {
  readonly pane: Pane;
  readonly answer: Answer | null;
  readonly isDocked: boolean;
  readonly isHidden: boolean;
  /** The reply takes the room, or it is folded: the question goes into the header. */
  readonly isBrief: boolean;
  readonly onFold: (hides: boolean) => void;
}): JSX.Element {
  const { pane, answer, isDocked, isHidden, isBrief, onFold } = props;
  const { browser, server } = useClient();
  const columns = browser.layout.columns.value;
  const isNumber = pane.menu.some(({ key }) => /^[1-9]$/.test(key));
  const fold = isHidden ? (
    <Button size="small" aria-expanded={false} onClick={() => onFold(false)}>
      Answer
    </Button>
  ) : (
    <IconButton icon="down" label="Hide prompt" aria-expanded onClick={() => onFold(true)} />
  );
  return (
    <>
      <Wait pane={pane} isCalm={holdsAnswers(answer)} worded={!isDocked || !isBrief} />
      <span class="grow truncate">
        {isDocked && isBrief && <TerminalText text={pane.question ?? ""} />}
      </span>
      {!isDocked && columns === 3 && server.canAnswer.value && (
        <span class="hint">
          press {isNumber ? "a number" : "its letter"}, then <KeyCaps keys="Enter" />
        </span>
      )}
      {isDocked && columns === 1 && !isBrief && <NextButton id={pane.id} />}
      {isDocked && fold}
    </>
  );
}

function NextButton({ id }: { readonly id: string }): JSX.Element | null {
  const { router } = useBrowser();
  const next = useNextWaiting(id);
  if (next === null) return null;
  return (
    <Button tone="plain" size="small" onClick={() => router.replacePane(next.id)}>
      Next
      <Icon name="next" class="small" />
    </Button>
  );
}

/** What was sent and, in the same place under the thumb, who waits next. */
function SentNext(props: { readonly pane: Pane; readonly label: string }): JSX.Element {
  const { router } = useBrowser();
  const next = useNextWaiting(props.pane.id);
  return (
    <>
      <Outcome label={props.label} isConfirmed>
        , confirmed
      </Outcome>
      {next === null ? (
        <p class="hint">Nobody else waits</p>
      ) : (
        <button
          type="button"
          class="next-card flex gap-12 full fill round-3"
          onClick={() => router.replacePane(next.id)}
        >
          <Tile pane={next} status />
          <span class="grow">
            <b class="truncate fs-13 text-2">
              <TerminalText text={`Next: ${next.name}`} />
            </b>
            <small class="truncate fs-13 text-2">
              <TerminalText text={next.question ?? ""} />
            </small>
          </span>
          <Ago at={sinceOf(next)} class="wait needs_input" />
          <Icon name="next" class="small" />
        </button>
      )}
    </>
  );
}

/** The open pane's card beside a terminal that is too low to dock anything: what it asks about is left to the terminal. */
export function SideCard({ id }: { readonly id: string }): JSX.Element {
  const { router } = useBrowser();
  const pane = usePane(id).value;
  const waiting = useWaitingCount();
  return (
    <>
      <header class="bar plain flex rigid ground">
        <BackButton text={common.tabs[router.tab.value]} />
        {waiting > 0 && <span class="badge numbers">{waiting}</span>}
        <span class="grow" />
        <NextButton id={id} />
        <SheetButton icon="dots" label="More" opens="pane-menu" paneId={id} />
      </header>
      <div class="scroll side-card">{pane !== null && <SideCardBody key={id} pane={pane} />}</div>
    </>
  );
}

function SideCardBody({ pane }: { readonly pane: Pane }): JSX.Element {
  const card = useRef<HTMLElement>(null);
  const { shown, answer } = useShown(pane);
  const isUnread = useUnread(shown);
  const { tab } = usePage(pane.id, pane);
  return (
    <section ref={card} aria-label="Prompt">
      <div class="card-header">
        <Tile pane={shown} />
        <div class="grow">
          <h1 class="name truncate">
            <TerminalText text={shown.name} />
          </h1>
          <div class="where truncate">
            <Place pane={shown} />
          </div>
        </div>
        <Wait pane={shown} isCalm={holdsAnswers(answer)} />
      </div>
      {waits(shown) && (
        <Prompt
          pane={shown}
          answer={answer}
          card={card}
          withExcerpt={tab !== "screen" || isUnread}
          headingLevel={2}
        />
      )}
    </section>
  );
}
