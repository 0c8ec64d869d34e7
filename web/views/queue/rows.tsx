import type { JSX } from "preact";
import { useCallback, useEffect } from "preact/hooks";
import { appearanceOfAgent } from "../../model/lifecycle.ts";
import { failed, isParked, placeOf, waits, type Pane } from "../../model/pane.ts";
import { aboutOf, lastLine } from "../../model/work.ts";
import type { Card, Section, Slot } from "../../model/queue.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { RowParts } from "../../ui/list.tsx";
import { Skeletons } from "../../ui/notice.tsx";
import { Tag } from "../../ui/heading.tsx";
import { useSpokenFate, sentWord } from "../answer/fate.tsx";
import { PickBar } from "./picks.tsx";
import { ConnectionChip } from "../parts/screen-header.tsx";
import { HostChip } from "../hosts/hosts.tsx";
import { withBoundary } from "../parts/boundary.tsx";
import { useDerived, useLastPane } from "../parts/derived.ts";
import { Scroll } from "../parts/scroll.tsx";
import { PaneRow, type RowLines, RowTime } from "../parts/row.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile, Ago, Tile } from "../parts/status.tsx";
import { ParkedLine } from "../parked/parked.tsx";
import { AlwaysAllowed } from "./end.tsx";
import { NothingWaits } from "./empty.tsx";
import { AgentTick, MarkFinished } from "./acts.tsx";
import { KINDS } from "./news.tsx";
import { mayPick, Mode, QueueHead, QueueSection } from "./queue.tsx";

export function QueueRows(): JSX.Element {
  const { panes, picks, queue } = useServer();
  const { router } = useBrowser();
  // The column beside the list says it at length.
  const isBeside = router.beside.value === "queue";
  useEffect(() => queue.enter(), []);
  const sections = queue.sections.value;
  return (
    <>
      <Scroll list="queue">
        {!panes.isLoaded.value && <Skeletons />}
        {panes.isLoaded.value && sections.length === 0 && !isBeside && <NothingWaits isBrief />}
        {sections.length > 0 && <QueueHead />}
        {sections.map(({ section, slots }) => (
          <QueueSection key={section} {...{ section, slots }}>
            <ul class="rows">
              {slots.map((slot) => (
                <EntryRow key={slot.card.key} slot={slot} />
              ))}
            </ul>
          </QueueSection>
        ))}
        <AlwaysAllowed />
      </Scroll>
      {picks.isOn.value && <PickBar />}
    </>
  );
}

function DrawnRow({ slot }: { readonly slot: Slot }): JSX.Element | null {
  const { card, leftAt } = slot;
  const client = useClient();
  const { hosts, queue } = client.server;
  const { layout, router } = client.browser;
  const pane = useLastPane(card.pane_id);
  if (pane === null && card.agent === null) return null;
  const isBeside = layout.columns.value > 1;
  const isChosen = queue.selection.key.value === card.key;
  const isOpen = card.pane_id !== null && router.paneBeside.value === card.pane_id;
  const isShown = isBeside && (router.beside.value === "queue" ? isChosen : isOpen);
  const choose = () => queue.selection.choose(card.key);
  const open = () => {
    if (isBeside) choose();
    const page = pane === null ? agentHash(card.agent_id ?? "") : client.pageHash(pane);
    router.go(isBeside ? "#/queue" : page);
  };
  return (
    <li class="row-item agent-row">
      <button
        type="button"
        class={`row full ${isShown ? "selected" : ""}`}
        aria-current={isShown ? "true" : undefined}
        data-row={card.key}
        data-pane={card.pane_id ?? undefined}
        data-agent={card.agent_id ?? undefined}
        data-chosen={isShown ? "" : undefined}
        onFocus={isBeside ? choose : undefined}
        onClick={open}
      >
        <RowParts
          lead={<Lead slot={slot} pane={pane} />}
          title={<Title card={card} pane={pane} />}
          titleEnd={leftAt === null && <Age slot={slot} pane={pane} />}
          second={
            <>
              {leftAt === null && card.urgent && <Tag tone="error">Urgent</Tag>}{" "}
              {pane !== null && hosts.value.length > 0 && <HostChip pane={pane} />}
              <AnsweredOr paneId={card.pane_id}>
                {leftAt === null && pane !== null && isParked(pane) ? (
                  <ParkedLine parked={pane.parked} />
                ) : (
                  <TerminalText
                    text={leftAt === null ? lineOf(slot, pane) : "Nothing is left here"}
                  />
                )}
              </AnsweredOr>
            </>
          }
        />
      </button>
    </li>
  );
}

/** In one row, since the window is low. */
export function FlatHead({ said }: { readonly said: string }): JSX.Element {
  return (
    <div class="flat-head flex gap-8 fs-13 text-2 numbers">
      {mayPick(useServer()) ? <Mode /> : <p class="grow">{said}</p>}
      <ConnectionChip />
    </div>
  );
}

export const EntryRow = withBoundary("li", DrawnRow, ({ slot: { card } }) => ({
  paneId: card.pane_id,
  agentId: card.agent_id,
}));

/** The answer that was picked or just given, in the place of the line. */
function AnsweredOr(props: {
  readonly paneId: string | null;
  readonly children: JSX.Element;
}): JSX.Element {
  const { paneId, children } = props;
  const { answers, picks } = useServer();
  // Read out here, since an answer leads on to another card at once.
  useSpokenFate(answers.of(paneId ?? "").value);
  const label = useDerived(() => {
    const answer = answers.of(paneId ?? "").value;
    if (answer?.step === "sent") return `${answer.sent.label}, ${sentWord(answer)}`;
    return picks.isWanted.value ? (picks.of(paneId ?? "")?.label ?? null) : null;
  }, [paneId]);
  if (label === null) return children;
  return <TerminalText as="b" text={label} class="text-accent" />;
}

interface EntryProps {
  readonly slot: Slot;
  readonly pane: Pane | null;
}

/** The status of the terminal; of the agent where it asks what no terminal shows. */
function Lead({ slot: { card, section }, pane }: EntryProps): JSX.Element | null {
  const isAsked = section === "waiting" && (pane === null || !waits(pane));
  if (card.agent === null || (pane !== null && !isAsked))
    return pane === null ? null : <Tile pane={pane} status />;
  const shape = isAsked ? "needs_input" : appearanceOfAgent(card.agent);
  return <AgentTile agent={card.agent} shape={shape} />;
}

function Title(props: { readonly card: Card; readonly pane: Pane | null }): JSX.Element {
  const { card, pane } = props;
  if (pane === null) return <TerminalText text={card.title} />;
  return (
    <>
      <TerminalText text={pane.name} />{" "}
      <small class="fs-13 regular text-2">
        <TerminalText text={placeOf(pane)[0] ?? ""} />
      </small>
    </>
  );
}

function Age({ slot: { card, section }, pane }: EntryProps): JSX.Element {
  if (pane !== null && (waits(pane) || failed(pane))) return <RowTime pane={pane} />;
  return <Ago at={card.since} class={`row-time ${TONES[section] ?? ""}`} />;
}

const TONES: Readonly<Partial<Record<Section, string>>> = {
  waiting: "needs_input",
  errors: "error",
};

const saidOf = (card: Card | null): string =>
  card?.lines.find(({ kind }) => kind === "said")?.text ?? "";

function lineOf({ card, section }: Slot, pane: Pane | null): string {
  if (pane !== null && (section === "errors" || waits(pane))) return aboutOf(pane);
  if (section === "waiting") return card.about?.text ?? "";
  const [first] = card.news;
  if (first !== undefined && first.text !== "")
    return first.kind === "done" || first.kind === section || first.kind === "unknown"
      ? first.text
      : `${KINDS[first.kind].word}: ${first.text}`;
  const lastSaid = pane === null || section === "finished" ? saidOf(card) : "";
  return lastSaid || (pane === null ? "" : lastLine(pane));
}

export function Finished({ slots }: { readonly slots: readonly Slot[] }): JSX.Element {
  const { queue } = useServer();
  const saidIn = useCallback(
    (pane: Pane): RowLines => ({ second: saidOf(queue.card(`pane:${pane.id}`)) || lastLine(pane) }),
    [],
  );
  return (
    <QueueSection section="finished" slots={slots}>
      <ul class="rows">
        {slots.map((slot) =>
          slot.card.pane_id === null ? (
            <EntryRow key={slot.card.key} slot={slot} />
          ) : (
            <PaneRow key={slot.card.key} id={slot.card.pane_id} linesOf={saidIn} end={AgentTick} />
          ),
        )}
      </ul>
      <MarkFinished slots={slots} />
    </QueueSection>
  );
}
