import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { holdsAnswers, type Answer } from "../../model/answer.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import { waits } from "../../model/pane.ts";
import { agentOf, type Slot } from "../../model/queue/order.ts";
import { placeOf, type Pass, type Stop, GoThrough } from "../../state/server/pass.ts";
import { isMarkable } from "../../model/queue/cards.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { queue as queueWords } from "../../words/queue.ts";
import { useShown } from "../answer/prompt.tsx";
import { useDerived, usePane } from "../parts/derived.ts";
import { ScreenSection, SaidSection } from "./sections.tsx";
import { useBoard, useWorkspace } from "../agents/use.ts";
import { Age, AgentAsks, AgentHeader, AgentNews } from "./agent.tsx";
import { useAgentCard } from "./agent-card.ts";
import { CardHeader, PaneAsks } from "./card.tsx";
import { EntryRow } from "./rows.tsx";
import { giveFocus } from "../../ui/focus.ts";

/** A card that was answered or reviewed is seen to be so before the next one comes. */
const NEXT_AFTER_MS = 1000;

/** The cards one by one: the same buttons in the same place under every one. */
export function QueuePass(): JSX.Element {
  const server = useServer();
  const { router } = useBrowser();
  const part = server.part(GoThrough);
  const workspace = useWorkspace();
  useBoard(workspace);
  const facts = server.workspace.facts.value;
  const isRead = facts.step !== "on" || !facts.hasReview || workspace?.board.drawn.value != null;
  const canBegin = server.panes.isLoaded.value && isRead;
  useEffect(() => {
    // Opened by its address, or after a reload: what stands now is gone through.
    if (workspace?.board.drawn.peek() === null) workspace.board.enter(router.visit.peek());
    if (!canBegin || part.pass.peek() !== null) return;
    if (server.queue.keys.peek().length === 0) server.queue.enter();
    part.begin();
  }, [canBegin, workspace]);
  useEffect(
    () => () => {
      // A phone that is turned draws it anew in other columns: it goes on where it is.
      if (router.beside.peek() !== "pass") part.clear();
    },
    [],
  );
  const pass = part.pass.value;
  const stop = part.stop.value;
  const leave = () => router.back("#/queue");
  return (
    <main class="pass" id="content">
      <h1 class="visually-hidden">Go through</h1>
      {pass !== null && (
        <>
          <PassHeader part={part} pass={pass} onLeave={leave} />
          {stop === null ? (
            <PassEnd part={part} onLeave={leave} />
          ) : (
            <PassCard key={stop.key} part={part} stop={stop} isFirst={pass.at === 0} />
          )}
        </>
      )}
    </main>
  );
}

function PassHeader(props: {
  readonly part: GoThrough;
  readonly pass: Pass;
  readonly onLeave: () => void;
}): JSX.Element {
  const { part, pass, onLeave } = props;
  const { order, at } = pass;
  const place = placeOf(pass);
  const gone = useDerived(() => order.map((stop) => part.isGone(stop)), [order]);
  const markOf = (index: number): string => {
    if (gone[index] === true) return "done";
    if (index === at) return "now";
    return index < at ? "later" : "";
  };
  return (
    <header class="pass-header">
      <IconButton icon="close" label="Back to the queue" onClick={onLeave} />
      <span class="numbers">
        {place !== null && `${queueWords.sections[place.section]}, ${place.n} of ${place.of}`}
      </span>
      <div
        class="pips"
        role="progressbar"
        aria-label="Gone through"
        aria-valuemin={0}
        aria-valuemax={order.length}
        aria-valuenow={gone.filter(Boolean).length}
      >
        {order.map(({ key, section }, index) => {
          const isNewSection = index > 0 && order[index - 1]?.section !== section;
          return <i key={key} class={`${markOf(index)} ${isNewSection ? "gap" : ""}`} />;
        })}
      </div>
    </header>
  );
}

interface PassCardProps {
  readonly part: GoThrough;
  readonly stop: Stop;
}

function PassCard(props: PassCardProps & { readonly isFirst: boolean }): JSX.Element {
  const { part, stop, isFirst } = props;
  const { queue } = useServer();
  const body = useRef<HTMLElement>(null);
  const entry = useDerived(() => queue.entry(stop.key), [stop.key]);
  const [first] = useState(entry);
  const paneId = (entry ?? first)?.paneId ?? null;
  const agentId = (entry ?? first)?.agentId ?? agentOf(stop.key);
  const pane = usePane(paneId ?? "").value;
  const known = useAgentCard(agentId);
  const isDone = useOwnDeed(stop, paneId, agentId);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => part.advance(stop), NEXT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  // The next card begins with its name, for the eye and for the voice.
  useLayoutEffect(() => {
    const title = body.current?.querySelector<HTMLElement>(".card-title");
    giveFocus(title, body.current?.closest("main"));
  }, []);
  const slot: Slot = { key: entry?.key ?? stop.key, paneId, leftAt: null };
  return (
    <>
      <article
        ref={body}
        class="pass-body scroll"
        data-card={stop.key}
        aria-labelledby={`title ${stop.key}`}
      >
        {pane !== null && (
          <PaneParts
            {...{ slot, pane, agentId, card: body }}
            isOver={entry === null && !isDone}
            isAsked={entry?.section === "waiting"}
          />
        )}
        {pane === null && known !== null && agentId !== null && (
          <>
            <AgentHeader
              agent={(known.card.latest ?? known.card.drawn).agent}
              titleId={`title ${stop.key}`}
            >
              <Age slot={slot} card={known.card} />
            </AgentHeader>
            <AgentNews agentId={agentId} isWhole />
            <AgentAsks agentId={agentId} asked={null} />
          </>
        )}
        {entry === null && !isDone && <p class="fine">Nothing is left of it to look at.</p>}
        {known !== null && <SaidSection {...known} isWhole />}
        {pane !== null && entry !== null && !waits(pane) && <ScreenSection pane={pane} />}
      </article>
      <PassFooter {...{ part, stop, agentId, isFirst }} />
    </>
  );
}

function PaneParts(props: {
  readonly slot: Slot;
  readonly pane: NonNullable<ReturnType<typeof usePane>["value"]>;
  readonly agentId: string | null;
  readonly card: { readonly current: HTMLElement | null };
  readonly isOver: boolean;
  /** It is in Waiting. */
  readonly isAsked: boolean;
}): JSX.Element {
  const { slot, pane, agentId, card, isOver, isAsked } = props;
  const { shown, answer } = useShown(pane);
  const titleId = `title ${slot.key}`;
  return (
    <>
      <CardHeader
        {...{ slot, answer, titleId, isOver }}
        pane={shown}
        isAsked={isAsked && !waits(shown) && !holdsAnswers(answer)}
      />
      {agentId !== null && <AgentNews agentId={agentId} isWhole />}
      <PaneAsks pane={shown} {...{ answer, card, agentId }} />
    </>
  );
}

/** Whether this card was answered here and that is confirmed, or was reviewed here, since it is shown. */
function useOwnDeed(stop: Stop, paneId: string | null, agentId: string | null): boolean {
  const { acts } = useServer();
  const workspace = useWorkspace();
  const now = useDerived(() => {
    if (paneId !== null && isConfirmed(acts.of(paneId).value)) return true;
    if (agentId === null || workspace === null) return false;
    return workspace.marks.of(agentId).value?.step === "reviewed";
  }, [stop.key, paneId, agentId, workspace]);
  const [before] = useState(now);
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (now && !before) setDone(true);
  }, [now]);
  return isDone;
}

const isConfirmed = (attempt: Answer | null): boolean =>
  attempt?.step === "sent" && attempt.confirmed;

/** Never moves. A tap right after the card was swapped was meant for the one before. */
function PassFooter(
  props: PassCardProps & { readonly agentId: string | null; readonly isFirst: boolean },
): JSX.Element {
  const { part, agentId, isFirst } = props;
  const { clock } = useBrowser();
  const known = useAgentCard(agentId);
  const mark = known?.workspace.marks.of(known.card.agentId).value ?? null;
  const canMark = known !== null && isMarkable(known.card) && mark?.step !== "reviewed";
  const steady = (run: () => void) => () => {
    if (clock.monotonicMs() - part.swappedAt.peek() >= SHIELD_MS) run();
  };
  return (
    <footer class="pass-footer" data-acts>
      <Button aria-label="Previous" disabled={isFirst} onClick={steady(() => part.step(-1))}>
        <Icon name="back" />
      </Button>
      <Button data-later onClick={steady(() => part.later())}>
        Later
      </Button>
      <Button
        data-mark
        disabled={!canMark || mark?.step === "marking" || known.workspace.isDown.value}
        onClick={steady(() => void known?.workspace.marks.mark(known.card.drawn))}
      >
        <Icon name="check" />
        {mark?.step === "failed" ? "Not marked" : "Reviewed"}
      </Button>
      <Button aria-label="Next" onClick={steady(() => part.step(1))}>
        <Icon name="next" />
      </Button>
    </footer>
  );
}

/** What is left, with what each is left for. */
function PassEnd(props: { readonly part: GoThrough; readonly onLeave: () => void }): JSX.Element {
  const { part, onLeave } = props;
  const { queue } = useServer();
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => giveFocus(heading.current, heading.current?.closest("main")), []);
  const left = useDerived(() => part.left(), [part]);
  return (
    <>
      <div class="pass-body scroll">
        <div class="pass-low">
          <h2 class="pass-through" ref={heading} tabIndex={-1}>
            {left.length === 0 ? "Nothing left" : `${left.length} left for later`}
          </h2>
          <ul class="rows">
            {left.map(({ key, section }) => (
              <EntryRow
                key={key}
                entryKey={queue.entry(key)?.key ?? key}
                paneId={queue.entry(key)?.paneId ?? null}
                section={queue.entry(key)?.section ?? section}
              />
            ))}
          </ul>
        </div>
      </div>
      <footer class="pass-footer end">
        <Button aria-label="Previous" onClick={() => part.step(-1)}>
          <Icon name="back" />
        </Button>
        <Button tone="primary" onClick={onLeave}>
          Done
        </Button>
      </footer>
    </>
  );
}
