import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Pane } from "../../model/pane.ts";
import { agentOf, type Section, type Slot } from "../../model/queue/order.ts";
import { useBrowser } from "../../state/client.ts";
import { more } from "../more.tsx";
import { apart } from "../parts/apart.tsx";
import { TerminalText } from "../parts/text.tsx";
import { PaneCard } from "./card.tsx";

function Drawn(props: {
  readonly slot: Slot;
  readonly section: Section;
  /** Null for an agent that no pane is known of. */
  readonly pane: Pane | null;
  readonly isFar: boolean;
}): JSX.Element {
  const { slot, section, pane, isFar } = props;
  const { near } = useBrowser();
  const [isDrawn, setDrawn] = useState(!isFar);
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (place.current === null) return;
    return near.watch(place.current, (isNear) => isNear && setDrawn(true));
  }, [isDrawn]);
  if (isDrawn) {
    if (pane === null) return <more.AgentCard slot={slot} section={section} />;
    return <PaneCard slot={slot} section={section} pane={pane} />;
  }
  return (
    <article ref={place} class="card far" data-card={slot.key} data-away>
      {pane !== null && (
        <h2>
          <TerminalText text={pane.name} />
        </h2>
      )}
    </article>
  );
}

/** A card of the queue. Where there are many, one far below is its place alone until it comes near; then it stays. */
export const NearCard = apart("article", Drawn, ({ slot: { key, paneId } }) => ({
  paneId,
  agentId: agentOf(key),
}));
