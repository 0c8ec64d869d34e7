import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { aboutOf, appearanceOf, placeOf, type Pane } from "../../model/pane.ts";
import { useClient } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { memo } from "../../ui/memo.tsx";
import { toggleStar } from "../pane/menu.tsx";
import { apart } from "../parts/boundary.tsx";
import { Lines } from "../parts/excerpt.tsx";
import { useDrawnNear } from "../parts/row.tsx";
import { RowLink } from "../parts/row.tsx";
import { TerminalText } from "../parts/text.tsx";
import { useRowGestures } from "./row-gestures.ts";

/** A row that shows its last six lines in place after a long press, and is starred by a swipe. */
const DrawnRow = memo(function PeekRow(props: { readonly id: string }): JSX.Element | null {
  const { id } = props;
  const client = useClient();
  const { panes } = client.server;
  const { router } = client.browser;
  const item = useRef<HTMLLIElement>(null);
  const [isOpen, setOpen] = useState(false);
  useRowGestures(item, {
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
        <span class="swipe-hint between text-accent" aria-hidden="true">
          <Icon name="star" />
          <Icon name="eye" />
        </span>
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
});

export const PeekRow = apart("li", DrawnRow, ({ id }) => ({ paneId: id }));

/** The window inside the group that they are shown in, where its name does not say it already. */
function whereOf(pane: Pane): string {
  const window = pane.hierarchy.find(({ kind }) => kind === "window" || kind === "tab");
  const place = window?.label || placeOf(pane).join(" › ");
  return pane.name.includes(place) ? "" : place;
}

/** The one line that says most about a pane. */
export function briefOf(pane: Pane): string {
  if (appearanceOf(pane) === "offline") return "Configured, not running";
  return aboutOf(pane);
}
