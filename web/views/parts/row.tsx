import { computed, useSignal } from "@preact/signals";
import type { ComponentChildren, ComponentType, JSX, RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Icon } from "../../ui/button.tsx";
import { optional } from "../more.tsx";
import { withBoundary } from "./boundary.tsx";
import { InnerLink } from "./links.tsx";
import { usePane } from "./derived.ts";
import { TerminalText } from "./text.tsx";
import { Tile, usePaneTime } from "./status.tsx";
import { RowParts, Section } from "../../ui/list.tsx";
import { common } from "../../words/common.ts";

export interface RowLines {
  readonly second?: string;
  /** A line of the terminal. */
  readonly mono?: string;
}

function PaneRowView(props: {
  readonly id: string;
  /** The same function for as long as the list lives: another one would redraw every row. */
  readonly linesOf: (pane: Pane) => RowLines;
  /** Behind the link, in the same line. */
  readonly end?: ComponentType<{ paneId: string }>;
}): JSX.Element | null {
  const { id, linesOf, end: End } = props;
  const item = useRef<HTMLLIElement>(null);
  return useLazyRow(item, id, (pane) => (
    <li class="row-item flex" ref={item}>
      <RowLink pane={pane} {...linesOf(pane)} />
      {End !== undefined && <End paneId={id} />}
    </li>
  ));
}

export const PaneRow = withBoundary("li", PaneRowView, ({ id }) => ({ paneId: id }));

/** Nothing where there are no rows. */
export function RowGroup<T>(props: {
  readonly title: string;
  readonly of: readonly T[];
  readonly children: (one: T) => JSX.Element;
}): JSX.Element | null {
  const { title, of: rows, children } = props;
  if (rows.length === 0) return null;
  return (
    <Section title={title} count={rows.length}>
      <RowList>{rows.map(children)}</RowList>
    </Section>
  );
}

export function RowList({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const { layout } = useBrowser();
  return <ul class={layout.columns.value === 1 ? "list" : "rows"}>{children}</ul>;
}

export function Star({ pane }: { readonly pane: Pane }): JSX.Element | null {
  if (!pane.starred) return null;
  return (
    <>
      <Icon name="star" class="starred" />
      <span class="visually-hidden">Starred</span>
    </>
  );
}

export function RowLink(props: RowLines & { readonly pane: Pane }): JSX.Element {
  const { pane, second, mono } = props;
  const client = useClient();
  const { router, layout } = client.browser;
  const isShown = layout.columns.value > 1 && router.paneBeside.value === pane.id;
  const hasChip = client.server.hosts.value.length > 0;
  const isOff = appearanceOf(pane) === "offline";
  return (
    <InnerLink
      class={`row grow ${isShown ? "selected" : ""} ${isOff ? "off" : ""}`}
      hash={client.pageHash(pane)}
      isShown={isShown}
      row={pane.id}
    >
      <RowParts
        lead={<Tile pane={pane} status />}
        title={<TerminalText text={pane.name} />}
        titleEnd={
          <>
            <Star pane={pane} />
            <RowTime pane={pane} />
          </>
        }
        second={
          second || hasChip ? (
            <>
              {hasChip && <optional.HostChip pane={pane} />}
              <TerminalText text={second ?? ""} />
            </>
          ) : undefined
        }
        mono={mono ? <TerminalText text={mono} dir="ltr" /> : undefined}
      />
    </InnerLink>
  );
}

/**
 * Calls `draw` while the row is on the screen or near it, and else returns the last result, or in a long
 * list the name alone: a list of a hundred busy panes costs what the visible ones cost.
 */
export function useLazyRow(
  element: RefObject<HTMLLIElement | null>,
  id: string,
  draw: (pane: Pane) => JSX.Element,
): JSX.Element | null {
  const { panes } = useServer();
  const { near } = useBrowser();
  const areMany = panes.areMany.value;
  const isNear = useSignal(!areMany);
  const pane = usePane(id);
  const name = useMemo(() => computed(() => pane.value?.name ?? ""), [pane]);
  const lastDrawn = useRef<JSX.Element | null>(null);
  useLayoutEffect(() => {
    const row = element.current;
    if (row === null) return;
    return near.watch(row, (isHere) => {
      // A row with the focus stays, however far it is scrolled away.
      isNear.value = isHere || row.contains(document.activeElement);
    });
  }, []);
  if (areMany && !isNear.value) {
    lastDrawn.current = null;
    return (
      <li class="row-item" ref={element} data-away data-at={id}>
        <TerminalText text={name.value} />
      </li>
    );
  }
  if (isNear.value || lastDrawn.current === null) {
    // A row whose pane is gone will be removed in a moment.
    if (pane.value !== null) lastDrawn.current = draw(pane.value);
  }
  return lastDrawn.current;
}

/** The time at the end of a row: the wait, the age, or the time of day of the last change. */
export function RowTime({ pane }: { readonly pane: Pane }): JSX.Element {
  const appearance = appearanceOf(pane);
  const time = usePaneTime(pane, { isInRow: true });
  return (
    <span class={`row-time numbers ${appearance}`}>
      {appearance === "offline" ? common.status.offline : time}
    </span>
  );
}
