import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useCallback } from "preact/hooks";
import type { SeenAgent, SeenGroup } from "../../../src/protocol/tolerant-agents.ts";
import { appearanceOfAgent, lastSaid } from "../../model/lifecycle.ts";
import {
  aboutOf,
  failed,
  isParked,
  lastLine,
  placeOf,
  waits,
  type Pane,
} from "../../model/pane.ts";
import { agentOf, type Section, type Slot } from "../../model/queue/order.ts";
import { changeLines } from "../../../src/protocol/change-lines.ts";
import { agentHash } from "../../state/browser/router.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { RowParts } from "../../ui/row.tsx";
import { Section as ListSection } from "../../ui/section.tsx";
import { Tag } from "../../ui/tag.tsx";
import * as words from "../../words/queue.ts";
import { more } from "../more.tsx";
import { HostChip } from "../hosts/hosts.tsx";
import { apart } from "../parts/boundary.tsx";
import { useDerived, usePane } from "../parts/derived.ts";
import { Scroll } from "../parts/place.tsx";
import { Row, type RowLines } from "../parts/row.tsx";
import { Skeletons } from "../parts/skeletons.tsx";
import { TerminalText } from "../parts/text.tsx";
import { AgentTile, Tile } from "../parts/tile.tsx";
import { RowTime, Ago } from "../parts/wait.tsx";
import { nameOf, useGroup, useWorkspace } from "../agents/use.ts";
import { ParkedLine } from "../parked/parked.tsx";
import { AlwaysAllowed } from "./end.tsx";
import { NothingWaits } from "./empty.tsx";
import { Picking, QueueHead, SectionHeading, useEntered } from "./queue.tsx";

/** The queue as a list beside the card that is selected in it. */
export function QueueRows(): JSX.Element {
  const { panes, queue } = useServer();
  const { router } = useBrowser();
  // Beside the list it is said at length.
  const isBeside = router.beside.value === "queue";
  const isRead = useEntered();
  const sections = queue.sections.value;
  return (
    <>
      <Scroll list="queue">
        {isRead && <more.ReviewNotice />}
        {!panes.isLoaded.value && <Skeletons />}
        {panes.isLoaded.value && sections.length === 0 && !isBeside && <NothingWaits isBrief />}
        {sections.length > 0 && <QueueHead />}
        {sections.map(({ section, slots }) => (
          <ListSection
            key={section}
            title={words.sections[section]}
            count={section === "waiting" ? queue.count.value : slots.length}
          >
            <ul class="rows">
              {slots.map(({ key, paneId }) => (
                <EntryRow key={key} entryKey={key} paneId={paneId} section={section} />
              ))}
            </ul>
          </ListSection>
        ))}
        <AlwaysAllowed />
      </Scroll>
      <Picking />
    </>
  );
}

function DrawnRow(props: {
  readonly entryKey: string;
  readonly paneId: string | null;
  readonly section: Section;
}): JSX.Element | null {
  const { entryKey, paneId, section } = props;
  const client = useClient();
  const { hosts, queue } = client.server;
  const { layout, router } = client.browser;
  const pane = usePane(paneId ?? "").value;
  const agentId = agentOf(entryKey);
  const group = useGroup(agentId);
  const entry = useDerived(() => queue.entry(entryKey), [entryKey]);
  const agent = group?.agent ?? null;
  if (pane === null && agent === null) return null;
  const isBeside = layout.columns.value > 1;
  const isChosen = queue.chosen.key.value === entryKey;
  const isOpen = paneId !== null && router.paneBeside.value === paneId;
  const isShown = isBeside && (router.beside.value === "queue" ? isChosen : isOpen);
  const choose = () => queue.chosen.choose(entryKey);
  const open = () => {
    if (isBeside) {
      choose();
      router.goTab("queue");
    } else router.go(pane === null ? agentHash(agentId ?? "") : client.pageHash(pane));
  };
  return (
    <li class="row-item agent-row">
      <button
        type="button"
        class={`row ${isShown ? "selected" : ""}`}
        aria-current={isShown ? "true" : undefined}
        data-row={entryKey}
        data-pane={paneId ?? undefined}
        data-agent={agentId ?? undefined}
        data-chosen={isShown ? "" : undefined}
        onFocus={isBeside ? choose : undefined}
        onClick={open}
      >
        <RowParts
          lead={<Lead section={section} pane={pane} agent={agent} />}
          title={<Title pane={pane} agent={agent} />}
          titleEnd={
            <>
              {entry?.isUrgent === true && <Tag tone="error">Urgent</Tag>}
              {entry !== null && <Age since={entry.since} section={section} pane={pane} />}
            </>
          }
          second={
            <>
              {pane !== null && hosts.value.length > 0 && <HostChip pane={pane} />}
              <AnsweredOr paneId={paneId}>
                {entry !== null && pane !== null && isParked(pane) ? (
                  <ParkedLine parked={pane.parked} />
                ) : (
                  <TerminalText
                    text={entry === null ? "Nothing is left here" : lineOf(section, pane, group)}
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

/** A card in one row: who, since when, and what it asks or did. */
export const EntryRow = apart("li", DrawnRow, ({ entryKey, paneId }) => ({
  paneId,
  agentId: agentOf(entryKey),
}));

/** What is picked for it, or was just answered, stands in place of what it says. */
function AnsweredOr(props: {
  readonly paneId: string | null;
  readonly children: JSX.Element;
}): JSX.Element {
  const { paneId, children } = props;
  const { acts, picks } = useServer();
  const label = useDerived(() => {
    const answer = acts.of(paneId ?? "").value;
    if (answer?.step === "sent")
      return `${answer.sent.label}, ${answer.confirmed ? "confirmed" : "sent"}`;
    return picks.isWanted.value ? (picks.of(paneId ?? "")?.label ?? null) : null;
  }, [paneId]);
  if (label === null) return children;
  return (
    <span class="bold text-accent">
      <TerminalText text={label} />
    </span>
  );
}

interface Who {
  readonly pane: Pane | null;
  readonly agent: SeenAgent | null;
}

/** The status is its terminal's; a question that no terminal shows is its agent's. */
function Lead({ section, pane, agent }: Who & { readonly section: Section }): JSX.Element | null {
  const isAsked = section === "waiting" && (pane === null || !waits(pane));
  if (agent === null || (pane !== null && !isAsked))
    return pane === null ? null : <Tile pane={pane} status size="small" />;
  const shape = isAsked ? "needs_input" : appearanceOfAgent(agent);
  return <AgentTile agent={agent} shape={shape} size="small" />;
}

function Title({ pane, agent }: Who): JSX.Element {
  if (pane === null) return <TerminalText text={agent === null ? "" : nameOf(agent, null)} />;
  return (
    <>
      <TerminalText text={pane.name} />{" "}
      <small>
        <TerminalText text={placeOf(pane)[0] ?? ""} />
      </small>
    </>
  );
}

const NEAR = signal(true);

/** How long it waits or has failed, as its terminal tells; else how old its news are. */
function Age(props: {
  readonly since: number;
  readonly section: Section;
  readonly pane: Pane | null;
}): JSX.Element {
  const { since, section, pane } = props;
  if (pane !== null && (waits(pane) || failed(pane))) return <RowTime pane={pane} isNear={NEAR} />;
  return <Ago at={since} class={`row-time ${TONES[section] ?? ""}`} />;
}

const TONES: Readonly<Partial<Record<Section, string>>> = {
  waiting: "needs_input",
  errors: "error",
};

/** What it asks; else what changed first; else what it said last. */
function lineOf(section: Section, pane: Pane | null, group: SeenGroup | null): string {
  if (pane !== null && (section === "errors" || waits(pane))) return aboutOf(pane);
  if (section === "waiting") return group?.decisions[0]?.title ?? "";
  const [first] = group === null ? [] : changeLines(group.changes);
  if (first !== undefined && first.text !== "")
    return first.kind === "done" || first.kind === section
      ? first.text
      : `${words.changes[first.kind]}: ${first.text}`;
  if (pane !== null)
    return section === "finished" ? lastSaid(pane, group?.agent ?? null) : lastLine(pane);
  return group?.agent.context.progress_summary ?? group?.agent.context.goal ?? "";
}

/** Agents that are done, below what waits: a look at them, or a tick, is all that they want. */
export function Finished({ slots }: { readonly slots: readonly Slot[] }): JSX.Element {
  const workspace = useWorkspace();
  const saidIn = useCallback(
    (pane: Pane): RowLines => ({
      second: lastSaid(pane, workspace?.known(pane.agent_id ?? "") ?? null),
    }),
    [workspace],
  );
  return (
    <section>
      <SectionHeading section="finished" count={slots.length} />
      <ul class="rows">
        {slots.map(({ key, paneId }) =>
          paneId === null ? (
            <EntryRow key={key} entryKey={key} paneId={null} section="finished" />
          ) : (
            <Row key={key} id={paneId} linesOf={saidIn} end={more.AgentTick} />
          ),
        )}
      </ul>
      <more.MarkFinished slots={slots} />
    </section>
  );
}
