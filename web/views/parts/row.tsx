import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { paneHash } from "../../state/router.ts";
import { useClient } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { memo } from "../../ui/memo.tsx";
import { all as words } from "../../words/lists.ts";
import { useDrawnNear } from "./near.ts";
import { TerminalText } from "./text.tsx";
import { Tile } from "./tile.tsx";
import { RowTime } from "./wait.tsx";

export interface RowProps {
  readonly pane: Pane;
  /** A line in the text face below the name. */
  readonly second?: string;
  /** A line of the terminal below. */
  readonly mono?: string;
}

/** One pane in a list. */
export const Row = memo(function Row(props: RowProps): JSX.Element {
  const item = useRef<HTMLLIElement>(null);
  return useDrawnNear(
    item,
    () => (
      <li class="row-item" ref={item}>
        <RowLink {...props} />
      </li>
    ),
    () => (
      <li class="row-item" ref={item} data-away>
        <TerminalText text={props.pane.name} />
      </li>
    ),
  );
});

/** What a row shows; a link, so that it opens like any other. */
export function RowLink({ pane, second, mono }: RowProps): JSX.Element {
  const { router, layout } = useClient();
  const isShown = layout.columns.value > 1 && router.shownPane.value === pane.id;
  const isOff = appearanceOf(pane) === "offline";
  return (
    <a
      class={`row ${isShown ? "selected" : ""} ${isOff ? "off" : ""}`}
      href={paneHash(pane.id)}
      aria-current={isShown ? "true" : undefined}
      data-row={pane.id}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        router.goPane(pane.id);
      }}
    >
      <Tile pane={pane} status size={layout.columns.value > 1 ? "small" : undefined} />
      <span class="grow row-text">
        <span class="row-first">
          <b class="truncate">
            <TerminalText text={pane.name} />
          </b>
          {pane.starred && (
            <>
              <Icon name="star" class="starred" />
              <span class="visually-hidden">{words.starred}</span>
            </>
          )}
          <RowTime pane={pane} />
        </span>
        {second !== undefined && second !== "" && (
          <span class="row-second truncate">
            <TerminalText text={second} />
          </span>
        )}
        {mono !== undefined && mono !== "" && (
          <span class="row-mono truncate" dir="ltr">
            <TerminalText text={mono} dir="ltr" />
          </span>
        )}
      </span>
    </a>
  );
}
