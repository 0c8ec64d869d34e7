import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Pane } from "../../model/pane.ts";
import { useClient } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { memo } from "../../ui/memo.tsx";
import { all as words } from "../../words/lists.ts";
import { Lines } from "../parts/excerpt.tsx";
import { Row } from "../parts/row.tsx";
import { briefOf } from "./all.tsx";

const LONG_PRESS_MS = 450;
const SLOP_PX = 10;

/** A row that shows its last six lines in place after a long press. */
export const PeekRow = memo(function PeekRow({ pane }: { readonly pane: Pane }): JSX.Element {
  const { router } = useClient();
  const [isOpen, setOpen] = useState(false);
  const press = useRef<{ x: number; y: number; timer: ReturnType<typeof setTimeout> } | null>(null);
  const wasLong = useRef(false);

  const cancel = () => {
    clearTimeout(press.current?.timer);
    press.current = null;
  };
  return (
    <div
      class={`peekable ${isOpen ? "open" : ""}`}
      role="presentation"
      onPointerDown={(event) => {
        wasLong.current = false;
        if (!event.isPrimary || event.button !== 0) return cancel();
        const timer = setTimeout(() => {
          wasLong.current = true;
          setOpen(!isOpen);
        }, LONG_PRESS_MS);
        press.current = { x: event.clientX, y: event.clientY, timer };
      }}
      onPointerMove={(event) => {
        const at = press.current;
        if (at !== null && Math.hypot(event.clientX - at.x, event.clientY - at.y) > SLOP_PX)
          cancel();
      }}
      onPointerUp={cancel}
      onPointerCancel={cancel}
      onPointerLeave={cancel}
      onContextMenu={(event) => {
        if (wasLong.current) event.preventDefault();
      }}
      onClickCapture={(event) => {
        if (!wasLong.current) return;
        wasLong.current = false;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <Row pane={pane} second={whereOf(pane)} mono={isOpen ? "" : briefOf(pane)} />
      {isOpen && (
        <div class="peek" role="group" aria-label={words.peek(pane.name)}>
          <Lines lines={pane.preview} />
          <footer class="excerpt-foot">
            <IconButton icon="close" label={words.closePeek} onClick={() => setOpen(false)} />
            <span class="grow">{words.lastLines}</span>
            <Button tone="plain" size="small" onClick={() => router.goPane(pane.id)}>
              {words.open}
            </Button>
          </footer>
        </div>
      )}
    </div>
  );
});

/** The window and the pane inside a session. */
function whereOf(pane: Pane): string {
  const window = pane.hierarchy.find((node) => node.kind === "window");
  const parts = [window?.position, window?.label].filter(
    (part) => part !== undefined && part !== null,
  );
  return parts.length === 0 ? pane.target : `${parts.join(" ")} · ${pane.id}`;
}
