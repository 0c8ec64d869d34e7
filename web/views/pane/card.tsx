import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { sinceOf } from "../../../src/protocol/waiting.ts";
import type { Answer } from "../../model/answer.ts";
import { signatureOf } from "../../model/guard.ts";
import { failed, waits, type Pane, appearanceOf } from "../../model/pane.ts";
import { aboutOf } from "../../model/work.ts";
import type { PageTab } from "../../state/browser/router.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { Card, CardHead, useShown } from "../answer/card.tsx";
import { NATIVE } from "../answer/fate.tsx";
import { useFreeform } from "../answer/option.tsx";
import { usePane, useWaitingCount } from "../parts/derived.ts";
import { useNextWaiting, usePage } from "./head.tsx";
import { BackButton } from "../parts/head.tsx";
import { useFocusRestoration } from "../../ui/focus.ts";
import { KeyCaps } from "../parts/key-caps.tsx";
import { SheetButton } from "../parts/links.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Ago, Tile, Wait } from "../parts/status.tsx";
import { Section } from "../../ui/list.tsx";
import { HostFacts } from "../hosts/hosts.tsx";
import { AgentFacts } from "../agents/facts.tsx";
import { ChangesSide } from "../changes/page.tsx";
import { Parked } from "../parked/parked.tsx";
import { FactList } from "../parts/facts.tsx";

/** The answer that was confirmed here, remembered until the pane asks again. */
function useDone(pane: Pane, answer: Answer | null): Answer | null {
  const [done, setDone] = useState<Answer | null>(null);
  useEffect(() => {
    if (answer?.step === "sent") setDone(answer);
    else if (answer !== null || waits(pane)) setDone(null);
  }, [answer, waits(pane)]);
  return done?.step === "sent" && done.confirmed ? done : null;
}

/**
 * Whether the prompt has changed while the terminal beside it stood still, scrolled up or with a
 * selection: what it asks about is not on the screen then, and must be shown with it.
 */
function useUnread(pane: Pane): boolean {
  const { terminal } = useBrowser();
  const signature = signatureOf(pane);
  const read = useRef(signature);
  if (terminal.isFollowing.value && !terminal.isPaused.value) read.current = signature;
  return read.current !== signature;
}

/**
 * The card of the open pane where the thumb is, or beside its page; once answered, who waits next. `side`:
 * beside a terminal that is too low to dock anything, with the name that stands nowhere else then.
 */
export function PaneCard(props: {
  readonly pane: Pane;
  readonly size: "beside" | "docked" | "side";
  /** What is read of its page: beside the screen what it asks about is not shown once more. */
  readonly tab: PageTab;
}): JSX.Element | null {
  const { pane: latest, size, tab } = props;
  const { canAnswer } = useServer();
  const { layout, terminal } = useBrowser();
  const columns = layout.columns.value;
  const { pane, answer, isHeld, other } = useShown(latest);
  const done = useDone(latest, answer);
  const isDocked = size === "docked";
  // Something else is read here: it is one row until somebody opens it.
  const isOneRow = isDocked && tab === "changes";
  const isReplying = useFreeform(latest) !== null && isDocked && columns === 1;
  // The focus stays in this place.
  const keptFocus = useFocusRestoration((_, place) => () => place);
  const isUnread = useUnread(pane);
  const isSettled = done !== null && (answer === null || answer.step === "sent");
  const isAsking = waits(pane) || (failed(pane) && answer !== null);
  if (!isAsking && !isSettled && other === null && size !== "side") return null;
  const isOver = isSettled || !isAsking;
  const question = signatureOf(pane);
  const { value: folding } = terminal.folding;
  const isPutAway = folding?.question === question ? folding.isFolded : isOneRow;
  const fold = (isFolded: boolean) => (terminal.folding.value = { question, isFolded });
  const isHidden = isDocked && isPutAway && !isOver;
  // The reply takes the room, or it is folded: what it asks goes into the head.
  const asked = isReplying ? (pane.question ?? "") : aboutOf(pane);
  const isBrief = isHidden || isReplying;
  const isNumber = pane.menu.some(({ key }) => /^[1-9]$/.test(key));
  // Alone beside a narrow screen it has the age above it, in the head of the page.
  const hasHead = !isOver && (isDocked || columns > 1);
  const head = hasHead && (
    <header class="prompt-header flex gap-8 rigid fs-13">
      <Wait pane={pane} isCalm={isHeld} worded={!isBrief} />
      <span class="grow truncate">{isBrief && <TerminalText text={asked} />}</span>
      {!isDocked && columns === 3 && canAnswer.value && (
        <span class="hint">
          press {isNumber ? "a number" : "its letter"}, then <KeyCaps keys="Enter" />
        </span>
      )}
      {isDocked && columns === 1 && !isBrief && <NextButton id={pane.id} />}
      {isDocked && !isHidden && (
        <IconButton icon="down" label="Hide prompt" aria-expanded onClick={() => fold(true)} />
      )}
      {isHidden && (
        <Button size="small" aria-expanded={false} onClick={() => fold(false)}>
          Answer
        </Button>
      )}
    </header>
  );
  return (
    <Card
      size={isDocked ? "docked" : "beside"}
      {...{ pane, other, isOver }}
      answer={isSettled ? done : answer}
      isFolded={isHidden}
      withExcerpt={tab !== "screen" || isUnread}
      withQuestion={!isReplying}
      frame={{ "aria-label": "Question", tabIndex: -1, ...keptFocus }}
      head={
        size === "side" ? (
          <CardHead pane={pane} level={1} end={<Wait pane={pane} isCalm={isHeld} />} />
        ) : (
          head
        )
      }
    >
      {isSettled && <NextCard id={latest.id} />}
    </Card>
  );
}

function NextButton({ id }: { readonly id: string }): JSX.Element | null {
  const { goBeside } = useClient();
  const next = useNextWaiting(id);
  if (next === null) return null;
  return (
    <Button tone="plain" size="small" onClick={() => goBeside(next)}>
      Next
      <Icon name="next" class="small" />
    </Button>
  );
}

/** In the same place under the thumb, who waits next. */
function NextCard({ id }: { readonly id: string }): JSX.Element {
  const { goBeside } = useClient();
  const next = useNextWaiting(id);
  if (next === null) return <p class="hint">Nobody else waits</p>;
  return (
    <button
      type="button"
      class="next-card flex full gap-12 mt-8 fill round-3"
      onClick={() => goBeside(next)}
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
  );
}

/** In place of the list, beside a page that is too low to dock anything. */
export function SideCard({ id }: { readonly id: string }): JSX.Element {
  const { router } = useBrowser();
  const pane = usePane(id).value;
  const waiting = useWaitingCount();
  const { tab } = usePage(id, pane);
  return (
    <>
      <header class="bar plain flex rigid ground">
        <BackButton text={common.tabs[router.tab.value]} />
        {waiting > 0 && <span class="badge numbers">{waiting}</span>}
        <span class="grow" />
        <NextButton id={id} />
        <SheetButton icon="dots" label="More" opens="pane-menu" paneId={id} />
      </header>
      <div class="scroll side-card">
        {pane !== null && <PaneCard key={id} size="side" {...{ pane, tab }} />}
      </div>
    </>
  );
}

/** The third column: what the pane asks, and what is known of its agent, its files or itself. */
export function Inspector({ id }: { readonly id: string }): JSX.Element {
  const pane = usePane(id).value;
  const { tab, at, agentId } = usePage(id, pane);
  return (
    <aside class="column stack inspector scroll ground" aria-label="Inspector">
      {pane !== null && <PaneCard key={id} size="beside" {...{ pane, tab }} />}
      {pane?.host && <HostFacts name={pane.host} />}
      {pane !== null && <Parked pane={pane} class="card" />}
      {tab === "changes" && <ChangesSide id={id} path={at} />}
      {tab !== "changes" && agentId !== null && <AgentFacts key={agentId} id={agentId} />}
      {tab !== "changes" && pane !== null && <PaneFacts pane={pane} />}
    </aside>
  );
}

/** What is known of the pane itself. */
export function PaneFacts({ pane }: { readonly pane: Pane }): JSX.Element {
  const { config } = useServer();
  const status = common.status[appearanceOf(pane)];
  const native = pane.native_agent;
  const isUnready = native?.interactive_ready === false;
  const facts = {
    Status: `${status}, since ${timeOfDay(sinceOf(pane))}`,
    Pane: pane.target,
    Command: pane.command,
    Folder: pane.cwd,
    [config.labels.value[pane.provider] ?? pane.provider]: native?.present
      ? `${NATIVE[native.status]}${isUnready ? ", not ready for input" : ""}`
      : "",
    // One word is what a terminal begins with: the name of its machine, of its program, its folder.
    Title: /\s/.test(pane.title) ? pane.title : "",
  };
  return (
    <Section kind="panel" title="Pane details">
      <FactList facts={Object.entries(facts)} />
    </Section>
  );
}
