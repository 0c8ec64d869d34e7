import type { JSX } from "preact";
import type { Slot } from "../../model/queue.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { ChangesButton } from "../changes/files.tsx";
import { ContextNote } from "../parts/facts.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { MarkButton } from "./news.tsx";
import { nextBelow, useOffer, useShielded } from "./offer.ts";

/** What is done with a card besides answering it; `onDone` leads on, without it the one below is next. */
export function CardActs(props: {
  readonly slot: Slot;
  readonly isOff?: boolean;
  readonly onDone?: () => void;
}): JSX.Element {
  const { slot, isOff = false, onDone } = props;
  const { card, section } = slot;
  const { key, pane_id: paneId } = card;
  const { config, queue } = useServer();
  const { layout, touch } = useBrowser();
  const shielded = useShielded();
  const keys = (name: string) => layout.columns.value === 3 && <KeyCaps keys={name} />;
  const later = shielded(() => {
    const goOn = onDone ?? nextBelow(key);
    goOn();
    touch.shield();
    queue.later(key);
  });
  const putAway = shielded(() => queue.putAway(key));
  const canPutAway = section === "errors" && paneId !== null;
  useOffer(key, "later", isOff ? null : later);
  useOffer(key, "put away", canPutAway ? putAway : null);
  return (
    <>
      <Button tone="plain" disabled={isOff} onClick={later}>
        Later
        {keys("l")}
      </Button>
      <ContextNote card={card} />
      {canPutAway && (
        <Button tone="plain" onClick={putAway}>
          Put away
          {keys("x")}
        </Button>
      )}
      {paneId !== null && config.has("changes_v1") && (
        <ChangesButton key={paneId} paneId={paneId} />
      )}
      {card.agent !== null && (
        <MarkButton card={card} onDone={onDone}>
          {keys("m")}
        </MarkButton>
      )}
    </>
  );
}
