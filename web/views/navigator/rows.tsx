import type { JSX, RefObject } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Group } from "../../model/filter.ts";
import { appearanceOf, type Pane, placeOf } from "../../model/pane.ts";
import { aboutOf } from "../../model/work.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { toggleStar } from "../pane/menu.tsx";
import { apart } from "../parts/boundary.tsx";
import { Lines } from "../parts/excerpt.tsx";
import { Row, RowLink, type RowLines, useDrawnNear } from "../parts/row.tsx";
import { TerminalText } from "../parts/text.tsx";

/** The panes of one session, folded where the reader wants it so. */
export function SessionGroup(props: {
  readonly group: Group;
  /** While searching every group shows its matches. */
  readonly isOpen: boolean;
  readonly isNarrow: boolean;
}): JSX.Element {
  const { group, isOpen, isNarrow } = props;
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
      <div id={listId}>{!isCollapsed && <PaneList ids={group.ids} isNarrow={isNarrow} />}</div>
    </section>
  );
}

/** As rows that can be pulled and held where there is one column, else as plain ones. */
export function PaneList(props: {
  readonly ids: readonly string[];
  readonly isNarrow: boolean;
}): JSX.Element {
  const { ids, isNarrow } = props;
  return (
    <ul class={isNarrow ? "list" : "rows"}>
      {ids.map((id) =>
        isNarrow ? <PeekRow key={id} id={id} /> : <Row key={id} id={id} linesOf={briefly} />,
      )}
    </ul>
  );
}

const briefly = (pane: Pane): RowLines => ({ second: briefOf(pane) });

/** A row that shows its last six lines in place after a long press, and is starred by a swipe. */
function DrawnRow(props: { readonly id: string }): JSX.Element | null {
  const { id } = props;
  const client = useClient();
  const { panes } = client.server;
  const { router } = client.browser;
  const item = useRef<HTMLLIElement>(null);
  const [isTouched, setTouched] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useRowGestures(item, {
    onTouch: () => setTouched(true),
    onLongPress: () => setOpen(!isOpen),
    onSwipe: (direction) => {
      const pane = panes.latest(id);
      if (direction === "start") setOpen(!isOpen);
      else if (pane !== null) void toggleStar(client, pane);
    },
  });
  return useDrawnNear(
    item,
    id,
    (pane, isNear) => (
      <li class={`row-item peekable clip ${isOpen ? "open" : ""}`} ref={item}>
        {isTouched && (
          <span class="swipe-hint between text-accent" aria-hidden="true">
            <Icon name="star" />
            <Icon name="eye" />
          </span>
        )}
        <RowLink
          pane={pane}
          isNear={isNear}
          second={whereOf(pane)}
          mono={isOpen ? "" : briefOf(pane)}
        />
        {isOpen && (
          <div class="peek" role="group" aria-label={`Last lines of ${pane.name}`}>
            <Lines lines={pane.preview} />
            <footer class="excerpt-foot flex fs-12 text-2">
              <IconButton icon="close" label="Hide last lines" onClick={() => setOpen(false)} />
              <span class="grow">Last lines</span>
              <Button tone="plain" size="small" onClick={() => router.goPane(pane.id)}>
                Open
              </Button>
            </footer>
          </div>
        )}
      </li>
    ),
    (name) => (
      <li class="row-item peekable clip" ref={item} data-away data-at={id}>
        <TerminalText text={name} />
      </li>
    ),
  );
}

const PeekRow = apart("li", DrawnRow, ({ id }) => ({ paneId: id }));

/** The window inside the group that they are shown in, where its name does not say it already. */
function whereOf(pane: Pane): string {
  const window = pane.hierarchy.find(({ kind }) => kind === "window" || kind === "tab");
  const place = window?.label || placeOf(pane).join(" › ");
  return pane.name.includes(place) ? "" : place;
}

/** The one line that says most about a pane. */
function briefOf(pane: Pane): string {
  if (appearanceOf(pane) === "offline") return "Configured, not running";
  return aboutOf(pane);
}

const LONG_PRESS_MS = 450;
const SLOP_PX = 10;
const SWIPE_PX = 64;

interface RowGestures {
  /** A finger is on it for the first time. */
  readonly onTouch: () => void;
  readonly onLongPress: () => void;
  /** Towards the end of the line, and towards its start. */
  readonly onSwipe: (direction: "end" | "start") => void;
}

/**
 * Long press and sideways swipe of a row. Neither answers anything, and neither is followed by the
 * click that would open the row. The row follows the finger by `--swipe` while it has `data-swiped`.
 */
function useRowGestures(row: RefObject<HTMLElement | null>, gestures: RowGestures): void {
  // One gesture may draw the row again while the finger is still down.
  const latest = useRef(gestures);
  latest.current = gestures;
  // A row that is seen takes a finger: an effect that follows the frame may come after it.
  useLayoutEffect(() => {
    const element = row.current;
    if (element === null) return;
    let start: { readonly x: number; readonly y: number } | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let dx = 0;
    let isUsed = false;

    const show = (distance: number) => {
      dx = distance;
      const shown = Math.max(-SWIPE_PX, Math.min(SWIPE_PX, distance));
      element.style.setProperty("--swipe", `${shown}px`);
      element.toggleAttribute("data-swiped", shown !== 0);
    };
    const end = () => {
      clearTimeout(timer);
      if (start !== null && Math.abs(dx) >= SWIPE_PX) {
        const isRightToLeft = getComputedStyle(element).direction === "rtl";
        latest.current.onSwipe(dx > 0 === isRightToLeft ? "start" : "end");
      }
      start = null;
      show(0);
    };
    const cancel = () => {
      clearTimeout(timer);
      start = null;
      show(0);
    };
    const down = (event: PointerEvent) => {
      isUsed = false;
      clearTimeout(timer);
      if (!event.isPrimary || event.button !== 0) return cancel();
      start = { x: event.clientX, y: event.clientY };
      timer = setTimeout(() => {
        isUsed = true;
        start = null;
        latest.current.onLongPress();
      }, LONG_PRESS_MS);
    };
    const move = (event: PointerEvent) => {
      if (start === null) return;
      const [x, y] = [event.clientX - start.x, event.clientY - start.y];
      if (Math.hypot(x, y) <= SLOP_PX) return;
      clearTimeout(timer);
      if (event.pointerType === "mouse" || Math.abs(y) > Math.abs(x)) return cancel();
      isUsed = true;
      show(x);
    };
    const swallow = (event: Event) => {
      if (!isUsed) return;
      event.preventDefault();
      event.stopPropagation();
    };
    const hear = (event: PointerEvent) => {
      latest.current.onTouch();
      element.addEventListener("pointerdown", down);
      element.addEventListener("pointermove", move);
      element.addEventListener("pointerup", end);
      for (const type of ["pointercancel", "pointerleave"]) element.addEventListener(type, cancel);
      element.addEventListener("click", swallow, { capture: true });
      element.addEventListener("contextmenu", swallow);
      down(event);
    };
    // Most rows are never touched, and what they hear goes with them.
    element.addEventListener("pointerdown", hear, { once: true });
    return () => clearTimeout(timer);
  }, []);
}
