import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { mutedWith, stillMuted, tomorrowMorning } from "../../model/notifications.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { timeOfDay } from "../../words/common.ts";
import { Sheet } from "../parts/sheet.tsx";

const HOUR_SECONDS = 3600;

/** For how long this device hears nothing of a pane. */
export function MuteSheet({ pane }: { readonly pane: Pane }): JSX.Element {
  const notifications = usePart(Notifications);
  const { clock } = useBrowser();
  useEffect(() => void notifications.load(), [notifications]);
  const own = notifications.own.value;
  const now = clock.now.value;
  const held = stillMuted(own?.preferences.muted ?? [], now);
  const muted = held.find(({ target }) => target === pane.target);
  const tomorrow = tomorrowMorning(now);
  const choose = (until: number | null | "not") => {
    if (own) void notifications.prefer(own, { muted: mutedWith(held, pane.target, until) });
  };
  const isUntil = (from: number, to: number) =>
    muted !== undefined && muted.until !== null && muted.until > from && muted.until <= to;
  return (
    <Sheet title={`Mute ${pane.name}`}>
      {own === null && (
        <p class="page-text">Switch notifications on for this device first, in Settings.</p>
      )}
      {own !== null && (
        <>
          <p class="page-text">
            No alert of this pane reaches this device. It still shows in the Queue.
          </p>
          <div class="set" role="radiogroup" aria-label="Mute alerts">
            <Choice
              label="Not muted"
              isChosen={muted === undefined}
              onChoose={() => choose("not")}
            />
            <Choice
              label="For one hour"
              value={`until ${timeOfDay(now + HOUR_SECONDS)}`}
              isChosen={isUntil(now, now + HOUR_SECONDS)}
              onChoose={() => choose(now + HOUR_SECONDS)}
            />
            <Choice
              label="Until tomorrow"
              value={timeOfDay(tomorrow)}
              isChosen={isUntil(now + HOUR_SECONDS, tomorrow)}
              onChoose={() => choose(tomorrow)}
            />
            <Choice
              label="Until I change it"
              isChosen={muted?.until === null}
              onChoose={() => choose(null)}
            />
          </div>
        </>
      )}
    </Sheet>
  );
}

function Choice(props: {
  readonly label: string;
  readonly value?: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  const { label, value, isChosen, onChoose } = props;
  return (
    <button type="button" class="item" role="radio" aria-checked={isChosen} onClick={onChoose}>
      <span class={`radio ${isChosen ? "on" : ""}`} />
      <span class="grow">{label}</span>
      <span class="item-value numbers">{value}</span>
    </button>
  );
}
