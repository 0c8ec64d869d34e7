import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { sinceOf } from "../../../src/protocol/waiting.ts";
import type { Answer } from "../../model/answer.ts";
import { signatureOf } from "../../model/guard.ts";
import { failed, waits, type Pane, appearanceOf } from "../../model/pane.ts";
import { aboutOf } from "../../model/work.ts";
import type { PageTab } from "../../state/browser/router.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Button, IconButton, Icon } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { momentText } from "../../words/times.ts";
import { Card, CardHead, useAnswerState } from "../answer/card.tsx";
import { NATIVE } from "../answer/fate.tsx";
import { useFreeform } from "../answer/option.tsx";
import { usePane, useToday, useWaitingCount } from "../parts/derived.ts";
import { NextButton, useNextWaiting, usePage } from "./head.tsx";
import { BackButton } from "../parts/head.tsx";
import { useFocusRestoration } from "../../ui/focus.ts";
import { KeyCaps } from "../parts/key-caps.tsx";
import { SheetButton } from "../parts/links.tsx";
import { Banner } from "../parts/screen-header.tsx";
import { TerminalText } from "../parts/text.tsx";
import { Ago, Tile, Wait } from "../parts/status.tsx";
import { Section } from "../../ui/list.tsx";
import { HostFacts } from "../hosts/hosts.tsx";
import { AgentFacts } from "../agents/facts.tsx";
import { ChangesSide } from "../changes/page.tsx";
import { Parked } from "../parked/parked.tsx";
import { FactList } from "../parts/facts.tsx";
import { WaitingDock } from "../waiting/dock.tsx";

/** The answer that was confirmed here, remembered until the pane asks again. */
function useConfirmedAnswer(pane: Pane, answer: Answer | null): Answer | null {
  const [last, setLast] = useState<Answer | null>(null);
  useEffect(() => {
    if (answer?.step === "sent") setLast(answer);
    else if (answer !== null || waits(pane)) setLast(null);
  }, [answer, waits(pane)]);
  return last?.step === "sent" && last.confirmed ? last : null;
}

/** Whether the prompt changed while the terminal was scrolled up or had a selection: it shows older lines then. */
function useUnreadPrompt(pane: Pane): boolean {
  const { terminal } = useBrowser();
  const signature = signatureOf(pane);
  const read = useRef<string | null>(null);
  if (terminal.isFollowing.value && !terminal.isPaused.value) read.current = signature;
  return read.current !== signature;
}

/** What the open pane asks; once answered, the pane that waits next. `side` is for `SideCard`, with its name. */
export function PaneCard(props: {
  readonly pane: Pane;
  readonly size: "beside" | "docked" | "side";
  /** The open tab: beside the terminal the lines that the question is about are not repeated. */
  readonly tab: PageTab;
}): JSX.Element | null {
  const { pane: latest, size, tab } = props;
  const { canAnswer } = useServer();
  const { layout, preferences, terminal } = useBrowser();
  const columns = layout.columns.value;
  const { pane, answer, isHeld, other } = useAnswerState(latest);
  const confirmed = useConfirmedAnswer(latest, answer);
  const isDocked = size === "docked";
  // Over the files that changed the card is one row until a person unfolds it.
  const isOneRow = isDocked && tab === "changes";
  const isReplying = useFreeform(latest) !== null && isDocked && columns === 1;
  // When the element with the focus goes, the card itself takes it.
  const keptFocus = useFocusRestoration((_, place) => () => place);
  const isUnread = useUnreadPrompt(pane);
  const isSettled = confirmed !== null && (answer === null || answer.step === "sent");
  const isAsking = waits(pane) || (failed(pane) && answer !== null);
  if (!isAsking && !isSettled && other === null && size !== "side") return null;
  const isOver = isSettled || !isAsking;
  const question = signatureOf(pane);
  const { value: folding } = terminal.folding;
  const isPutAway = folding?.question === question ? folding.isFolded : isOneRow;
  const fold = (isFolded: boolean) => (terminal.folding.value = { question, isFolded });
  const isHidden = isDocked && isPutAway && !isOver;
  // Folded, or with the room taken by the reply field, it has its question in the head.
  const asked = isReplying ? (pane.question ?? "") : aboutOf(pane);
  const isBrief = isHidden || isReplying;
  const hasKeys = pane.menu.length > 0 && preferences.current.value.singleKeys;
  const isNumber = pane.menu.some(({ key }) => /^[1-9]$/.test(key));
  // Beside a terminal on a low phone the head of the page says how long it waits.
  const hasHead = !isOver && (isDocked || columns > 1);
  const head = hasHead && (
    <header class="prompt-header flex gap-8 rigid fs-13">
      <Wait pane={pane} isCalm={isHeld} worded={!isBrief} />
      <span class="grow truncate">{isBrief && <TerminalText text={asked} />}</span>
      {hasKeys && !isDocked && columns === 3 && canAnswer.value && (
        <span class="hint">
          press {isNumber ? "a number" : "its letter"}, then <KeyCaps keys="Enter" />
        </span>
      )}
      {isDocked && columns === 1 && !isBrief && <NextButton id={pane.id} tone="plain" />}
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
      answer={isSettled ? confirmed : answer}
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

/** In place of the list, beside a page that is too low to dock a card. */
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
        <NextButton id={id} tone="plain" />
        <SheetButton icon="dots" label="More" opens="pane-menu" paneId={id} />
      </header>
      <Banner />
      <div class="scroll side-card">
        {pane !== null && (
          <>
            <PaneCard key={id} size="side" {...{ pane, tab }} />
            <Parked pane={pane} class="card" />
            <WaitingDock pane={pane} />
          </>
        )}
      </div>
    </>
  );
}

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

export function PaneFacts({ pane }: { readonly pane: Pane }): JSX.Element {
  const { config } = useServer();
  const today = useToday();
  const status = common.status[appearanceOf(pane)];
  const native = pane.native_agent;
  const isUnready = native?.interactive_ready === false;
  const facts = {
    Status: `${status}, since ${momentText(sinceOf(pane), today)}`,
    Pane: pane.target,
    Command: pane.command,
    Folder: pane.cwd,
    [config.labels.value[pane.provider] ?? pane.provider]: native?.present
      ? `${NATIVE[native.status]}${isUnready ? ", not ready for input" : ""}`
      : "",
    // A title of one word is the default of a terminal: its machine, its program or its folder.
    Title: /\s/.test(pane.title) ? pane.title : "",
  };
  return (
    <Section kind="panel" title="Pane details">
      <FactList facts={Object.entries(facts)} />
    </Section>
  );
}
