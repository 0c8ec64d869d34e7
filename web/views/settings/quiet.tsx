import type { JSX } from "preact";
import type { QuietHours } from "../../../src/protocol/push.ts";
import { stillMuted, mutedWith } from "../../model/notifications.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Item, SwitchItem } from "../../ui/item.tsx";
import { timeOfDay } from "../../words/common.ts";

const NIGHT = { start: "22:00", end: "07:00", urgent: true };

/** When this device is left alone. */
export function QuietSettings(): JSX.Element | null {
  const notifications = usePart(Notifications);
  const own = notifications.own.value;
  if (own === null) return null;
  const { quiet } = own.preferences;
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const set = (change: Partial<QuietHours> | null) =>
    void notifications.prefer(own, {
      quiet: change && { ...NIGHT, ...quiet, ...change, time_zone },
    });
  return (
    <>
      <div class="set">
        <SwitchItem
          label="Quiet hours"
          isOn={quiet !== null}
          onChange={(on) => set(on ? {} : null)}
        />
        {quiet !== null && (
          <>
            <TimeItem label="From" value={quiet.start} onSet={(start) => set({ start })} />
            <TimeItem
              label="To"
              hint={`In the time of this device (${quiet.time_zone})`}
              value={quiet.end}
              onSet={(end) => set({ end })}
            />
            <SwitchItem
              label="Urgent decisions still come"
              hint="Those that an agent itself calls high or critical"
              isOn={quiet.urgent}
              onChange={(urgent) => set({ urgent })}
            />
          </>
        )}
      </div>
      {quiet !== null && (
        <p class="page-text">
          What was quiet comes as one alert at {quiet.end}, if it still waits.
        </p>
      )}
    </>
  );
}

function TimeItem(props: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onSet: (value: string) => void;
}): JSX.Element {
  const { value, onSet, ...text } = props;
  return (
    <Item {...text}>
      <input
        type="time"
        class="item-time round-2 fill fs-16"
        aria-label={props.label}
        value={value}
        required
        onChange={({ currentTarget }) => {
          if (currentTarget.validity.valid) onSet(currentTarget.value);
        }}
      />
    </Item>
  );
}

/** Panes that this device hears nothing of. */
export function MutedSettings(): JSX.Element | null {
  const { panes } = useServer();
  const notifications = usePart(Notifications);
  const { clock } = useBrowser();
  const own = notifications.own.value;
  if (own === null) return null;
  const muted = stillMuted(own.preferences.muted, clock.now.value);
  if (muted.length === 0) return <p class="page-text">None. The menu of a pane mutes it.</p>;
  const nameOf = (target: string) =>
    panes.all.value.find((pane) => pane.target === target)?.name ?? target;
  return (
    <div class="set">
      {muted.map(({ target, until }) => (
        <Item
          key={target}
          label={nameOf(target)}
          hint={until === null ? "until you change it" : `until ${timeOfDay(until)}`}
        >
          <Button
            size="small"
            aria-label={`Unmute ${nameOf(target)}`}
            onClick={() =>
              void notifications.prefer(own, {
                muted: mutedWith(own.preferences.muted, target, "not"),
              })
            }
          >
            Unmute
          </Button>
        </Item>
      ))}
    </div>
  );
}
