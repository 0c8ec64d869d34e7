import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { sinceOf } from "../../../src/protocol/card-place.ts";
import type { Answer } from "../../model/answer.ts";
import { holdsAnswers } from "../../model/attempt.ts";
import { signatureOf } from "../../model/guard.ts";
import { failed, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { waitText } from "../../words/common.ts";
import { Outcome } from "../answer/fate.tsx";
import { OtherAct, useOtherAct } from "../answer/other-act.tsx";
import { Prompt, useShown } from "../answer/prompt.tsx";

import { useFreeform } from "../answer/reply.tsx";
import { useUnread } from "../answer/unread.ts";
import { useNextWaiting } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { Wait } from "../parts/wait.tsx";
import { Tile } from "../parts/tile.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { giveFocus } from "../../ui/focus.ts";

interface Done {
  readonly label: string;
  readonly isConfirmed: boolean;
}

/** The answer that was just sent here, remembered until the pane asks again. */
function useDone(pane: Pane, answer: Answer | null): Done | null {
  const [done, setDone] = useState<Done | null>(null);
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
  const isSettled = done?.isConfirmed === true && (answer === null || answer.step === "sent");
  const isAsking = waits(shown) || (failed(shown) && answer !== null);
  const [opened, setOpened] = useState<string | null>(null);
  if (!isAsking && !isSettled)
    return other === null ? null : (
      <section class={isDocked ? "docked" : "card inspector-prompt"} aria-label="Prompt">
        <OtherAct act={other} />
      </section>
    );
  const question = signatureOf(shown);
  const isPutAway = isFolded ? opened !== question : terminal.isPromptHidden.value;
  const isHidden = isDocked && isPutAway && !isSettled;
  const fold = (hides: boolean) => {
    if (isFolded) setOpened(hides ? null : question);
    else terminal.isPromptHidden.value = hides;
  };
  return (
    <section
      ref={card}
      class={isDocked ? "docked" : "card inspector-prompt"}
      aria-label="Prompt"
      tabIndex={-1}
      {...keptFocus}
    >
      {isSettled ? (
        <SentNext pane={pane} done={done} />
      ) : (
        <>
          <PromptHeader
            pane={shown}
            answer={answer}
            isDocked={isDocked}
            isHidden={isHidden}
            isReplying={isReplying}
            onFold={fold}
          />
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
  /** The reply takes the room; the question goes into the header. */
  readonly isReplying: boolean;
  readonly onFold: (hides: boolean) => void;
}): JSX.Element {
  const { pane, answer, isDocked, isHidden, isReplying, onFold } = props;
  const client = useClient();
  const { layout, router } = client.browser;
  const next = useNextWaiting(pane.id);
  if (!isDocked)
    return (
      <header class="prompt-header">
        <Wait pane={pane} isCalm={holdsAnswers(answer)} worded />
        <span class="grow" />
        {layout.columns.value === 3 && client.server.canAnswer.value && (
          <span class="hint">
            {`press ${pane.menu.some(({ key }) => /^[1-9]$/.test(key)) ? "a number" : "its letter"}, then`}{" "}
            <KeyCaps keys="Enter" />
          </span>
        )}
      </header>
    );
  const isBrief = isHidden || isReplying;
  return (
    <header class="prompt-header">
      <Wait pane={pane} isCalm={holdsAnswers(answer)} worded={!isBrief} />
      <span class="grow truncate">{isBrief && <TerminalText text={pane.question ?? ""} />}</span>
      {layout.columns.value === 1 && !isBrief && next !== null && (
        <Button tone="plain" size="small" onClick={() => router.replacePane(next.id)}>
          Next
          <Icon name="next" class="small" />
        </Button>
      )}
      {isHidden ? (
        <Button size="small" aria-expanded={false} onClick={() => onFold(false)}>
          Answer
        </Button>
      ) : (
        <IconButton icon="down" label="Hide prompt" aria-expanded onClick={() => onFold(true)} />
      )}
    </header>
  );
}

/** What was sent and, in the same place under the thumb, who waits next. */
function SentNext({ pane, done }: { readonly pane: Pane; readonly done: Done }): JSX.Element {
  const client = useClient();
  const next = useNextWaiting(pane.id);
  const now = client.browser.clock.now.value;
  return (
    <>
      <Outcome label={done.label} isConfirmed />
      {next === null ? (
        <p class="hint">Nobody else waits</p>
      ) : (
        <button
          type="button"
          class="next-card"
          onClick={() => client.browser.router.replacePane(next.id)}
        >
          <Tile pane={next} status />
          <span class="grow">
            <b class="truncate">
              <TerminalText text={`Next: ${next.name}`} />
            </b>
            <small class="truncate">
              <TerminalText text={next.question ?? ""} />
            </small>
          </span>
          <span class="wait needs_input numbers">{waitText(now - sinceOf(next))}</span>
          <Icon name="next" class="small" />
        </button>
      )}
    </>
  );
}
