import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Group } from "../../model/filter.ts";
import { appearanceOf, type Pane, placeOf } from "../../model/pane.ts";
import { aboutOf } from "../../model/work.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Button, IconButton, Icon, StatusIcon } from "../../ui/button.tsx";
import { toggleStar } from "../pane/menu.tsx";
import { withBoundary } from "../parts/boundary.tsx";
import { Lines } from "../parts/excerpt.tsx";
import { PaneRow, RowLink, type RowLines, RowList, useLazyRow, RowGroup } from "../parts/row.tsx";
import { TerminalText } from "../parts/text.tsx";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { hasEnded, lastSeenAt, shapeOfAgent } from "../../model/lifecycle.ts";
import { rankMatch, searchWords } from "../../model/search.ts";
import { agentHash } from "../../state/browser/router.ts";
import { RowParts } from "../../ui/list.tsx";
import { QueryStatus, OlderButton } from "../parts/query-status.tsx";
import { useDerived } from "../parts/derived.ts";
import { InnerLink } from "../parts/links.tsx";
import { AgentTile, Ago } from "../parts/status.tsx";
import { nameOf, useWatch, useWorkspace } from "../agents/use.ts";

export function SessionGroup(props: {
  readonly group: Group;
  /** Never folded, as while searching. */
  readonly isOpen: boolean;
}): JSX.Element {
  const { group, isOpen } = props;
  const { preferences } = useBrowser();
  const listId = useId();
  const { collapsed } = preferences.current.value;
  const isCollapsed = !isOpen && collapsed.includes(group.key);
  const toggle = () => {
    const others = collapsed.filter((key) => key !== group.key);
    preferences.set({ collapsed: isCollapsed ? others : [...others, group.key] });
  };
  const fallback = group.key === "cfg:" ? "Not running" : "Other";
  return (
    <section>
      <h2>
        <button
          type="button"
          class="group-title flex full gap-8 fs-13 bold text-2 tap"
          aria-expanded={!isCollapsed}
          aria-controls={listId}
          onClick={toggle}
        >
          <Icon name="down" class={isCollapsed ? "turned" : ""} />
          <TerminalText text={group.label === "" ? fallback : group.label} class="truncate" />
          <span class="grow regular numbers text-3">{group.ids.length}</span>
          {group.waiting > 0 && (
            <span class="wait needs_input numbers">
              <StatusIcon shape="needs_input" label="Waiting" />
              {group.waiting}
            </span>
          )}
        </button>
      </h2>
      <div id={listId}>{!isCollapsed && <PaneList ids={group.ids} />}</div>
    </section>
  );
}

/** On a phone the rows take swipes and long presses. */
export function PaneList({ ids }: { readonly ids: readonly string[] }): JSX.Element {
  const isNarrow = useBrowser().layout.columns.value === 1;
  return (
    <RowList>
      {ids.map((id) =>
        isNarrow ? <PeekRow key={id} id={id} /> : <PaneRow key={id} id={id} linesOf={briefly} />,
      )}
    </RowList>
  );
}

const briefly = (pane: Pane): RowLines => ({ second: briefOf(pane) });

/** Shows its last lines after a long press or a swipe, and is starred by a swipe to the other side. */
function PeekRowView(props: { readonly id: string }): JSX.Element | null {
  const { id } = props;
  const client = useClient();
  const { panes } = client.server;
  const { router } = client.browser;
  const item = useRef<HTMLLIElement>(null);
  const [isOpen, setOpen] = useState(false);
  const toggle = () => setOpen((open) => !open);
  const { isSwiped, gestures } = useRowGestures(toggle, (direction) => {
    const pane = panes.latest(id);
    if (direction === "start") toggle();
    else if (pane !== null) void toggleStar(client, pane);
  });
  return useLazyRow(item, id, (pane) => (
    <li class={`row-item peekable clip ${isSwiped ? "swiped" : ""}`} ref={item} {...gestures}>
      {isSwiped && !isOpen && (
        <span class="swipe-hint flex between text-accent" aria-hidden="true">
          <Icon name="star" />
          <Icon name="eye" />
        </span>
      )}
      <RowLink pane={pane} second={whereOf(pane)} mono={isOpen ? "" : briefOf(pane)} />
      {isOpen && (
        <div class="peek" role="group" aria-label={`Last lines of ${pane.name}`}>
          <Lines lines={pane.preview} />
          <footer class="excerpt-foot flex fs-12 text-2 fill">
            <IconButton icon="close" label="Hide last lines" onClick={() => setOpen(false)} />
            <span class="grow">Last lines</span>
            <Button tone="plain" size="small" onClick={() => router.goPane(pane.id)}>
              Open
            </Button>
          </footer>
        </div>
      )}
    </li>
  ));
}

const PeekRow = withBoundary("li", PeekRowView, ({ id }) => ({ paneId: id }));

/** The window of the pane, unless the pane's name contains it. */
function whereOf(pane: Pane): string {
  const window = pane.hierarchy.find(({ kind }) => kind === "window" || kind === "tab");
  const place = window?.label || placeOf(pane).join(" › ");
  return pane.name.includes(place) ? "" : place;
}

function briefOf(pane: Pane): string {
  if (appearanceOf(pane) === "offline") return "Configured, not running";
  return aboutOf(pane);
}

const LONG_PRESS_MS = 450;
const SLOP_PX = 10;
const SWIPE_PX = 64;

interface Finger {
  readonly x: number;
  readonly y: number;
  /** Of a long press. */
  readonly timer: ReturnType<typeof setTimeout>;
  /** Pixels moved sideways. */
  dx: number;
}

/**
 * Event handlers for a long press and a sideways swipe, to the start or the end of the line. The row follows
 * the finger by `--swipe`; the click that follows a gesture is swallowed, so that it does not open the row.
 */
function useRowGestures(onLongPress: () => void, onSwipe: (direction: "end" | "start") => void) {
  const finger = useRef<Finger | null>(null);
  const isUsed = useRef(false);
  const [isSwiped, setSwiped] = useState(false);
  const cancel = () => {
    clearTimeout(finger.current?.timer);
    finger.current = null;
    setSwiped(false);
  };
  useEffect(() => cancel, []);
  const swallow = (event: Event) => {
    if (!isUsed.current) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const gestures: JSX.IntrinsicElements["li"] = {
    onPointerDown: (event) => {
      isUsed.current = false;
      cancel();
      if (!event.isPrimary || event.button !== 0) return;
      const timer = setTimeout(() => {
        isUsed.current = true;
        finger.current = null;
        onLongPress();
      }, LONG_PRESS_MS);
      finger.current = { x: event.clientX, y: event.clientY, timer, dx: 0 };
    },
    onPointerMove: (event) => {
      const { current: touch } = finger;
      if (touch === null) return;
      const [x, y] = [event.clientX - touch.x, event.clientY - touch.y];
      if (Math.hypot(x, y) <= SLOP_PX) return;
      clearTimeout(touch.timer);
      if (event.pointerType === "mouse" || Math.abs(y) > Math.abs(x)) return cancel();
      isUsed.current = true;
      touch.dx = x;
      const offset = Math.max(-SWIPE_PX, Math.min(SWIPE_PX, x));
      event.currentTarget.style.setProperty("--swipe", `${offset}px`);
      setSwiped(true);
    },
    onPointerUp: ({ currentTarget }) => {
      const dx = finger.current?.dx ?? 0;
      cancel();
      if (Math.abs(dx) < SWIPE_PX) return;
      const isRightToLeft = getComputedStyle(currentTarget).direction === "rtl";
      onSwipe(dx > 0 === isRightToLeft ? "start" : "end");
    },
    onPointerCancel: cancel,
    onPointerLeave: cancel,
    onClickCapture: swallow,
    onContextMenu: swallow,
    // No click follows a swipe: the next may be of a key.
    onKeyDown: () => {
      isUsed.current = false;
    },
  };
  return { isSwiped, gestures };
}

/** Sessions that are in no pane: they have ended, or nobody knows where they run. */
export function SessionsWithoutPane({ search }: { readonly search: string }): JSX.Element | null {
  const workspace = useWorkspace();
  const { panes } = useServer();
  useWatch(workspace?.agents ?? null);
  const inPanes = useDerived(() => panes.all.value.flatMap(({ agent_id }) => agent_id ?? []), []);
  if (workspace === null) return null;
  const { agents, isDown } = workspace;
  const outside = (agents.items.value ?? []).filter(({ id }) => !inPanes.includes(id));
  const words = searchWords(search);
  const matches = outside.filter((agent) => rankMatch(words, [textOf(agent)]) !== null);
  return (
    <>
      <QueryStatus query={agents} isDown={isDown.value} isQuiet />
      <RowGroup title="Pane not known" of={matches.filter((agent) => !hasEnded(agent))}>
        {rowOf}
      </RowGroup>
      <RowGroup title="Ended" of={matches.filter(hasEnded)}>
        {rowOf}
      </RowGroup>
      <OlderButton list={agents} />
    </>
  );
}

function DrawnRow({ agent }: { readonly agent: SeenAgent }): JSX.Element {
  const { router } = useBrowser();
  const { config } = useServer();
  const shape = shapeOfAgent(agent, null);
  const isShown = router.openAgent.value?.id === agent.id;
  const { goal } = agent.context;
  return (
    <li class="row-item agent-row">
      <InnerLink
        class={`row ${isShown ? "selected" : ""}`}
        hash={agentHash(agent.id)}
        isShown={isShown}
        row={agent.id}
      >
        <RowParts
          lead={<AgentTile agent={agent} shape={shape} />}
          title={<TerminalText text={nameOf(agent, null)} />}
          titleEnd={<Ago at={lastSeenAt(agent)} class={`row-time ${shape}`} />}
          second={<TerminalText text={goal ?? config.labels.value[agent.runtime] ?? ""} />}
        />
      </InnerLink>
    </li>
  );
}

const AgentRow = withBoundary("li", DrawnRow, ({ agent }) => ({ agentId: agent.id }));
const rowOf = (agent: SeenAgent): JSX.Element => <AgentRow key={agent.id} agent={agent} />;

const textOf = (agent: SeenAgent): string =>
  [nameOf(agent, null), agent.title, agent.context.goal].join(" ");
