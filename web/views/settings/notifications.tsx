import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ALERT_REASON_NAMES, stillMuted } from "../../model/notifications.ts";
import { useClient, useServer } from "../../state/client.ts";
import { ChoiceItem, Item, LinkItem, SwitchItem } from "../../ui/item.tsx";
import { Segments } from "../../ui/segments.tsx";
import { notifications as words } from "../../words/notifications.ts";
import { DeviceCard } from "./device-card.tsx";
import { Group } from "./group.tsx";
import { OtherDevices } from "./other-devices.tsx";

const WAITS = ["0", "2", "5", "15"] as const;
const REMINDERS = ["0", "5", "10", "30", "60"] as const;

/** Alerts on this device, its choices, and the other devices. */
export function NotificationSettings(): JSX.Element {
  const client = useClient();
  const { notifications } = client.server;
  useEffect(() => {
    void notifications.load();
    // A permission that was given in the browser's own settings is seen on coming back.
    const look = () => void notifications.load();
    const { document } = client.browser.window;
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [notifications]);
  const isOn = notifications.own.value !== null;
  return (
    <>
      <DeviceCard />
      {isOn && <Choices />}
      <OtherDevices />
      <Missing />
    </>
  );
}

/** What the server itself says that it lacks. */
function Missing(): JSX.Element {
  const reasons = useServer().notifications.reasons.value;
  return (
    <>
      {reasons.map((reason) => (
        <p key={reason} class="page-text">
          {words.missing(reason)}
        </p>
      ))}
    </>
  );
}

function Choices(): JSX.Element | null {
  const { config, notifications } = useServer();
  const { router, clock } = useClient().browser;
  const own = notifications.own.value;
  if (own === null) return null;
  const { reasons, wait_minutes, remind_minutes, quiet, muted, details } = own.preferences;
  const hints = {
    finished: words.finishedHint,
    quota: words.quotaHint(config.current.value?.usage_alert_threshold ?? 0),
  };
  const names = ALERT_REASON_NAMES.filter(
    (reason) => reason !== "review" || config.has("agent_review_v1"),
  );
  return (
    <>
      <Group title={words.when} whose="thisDevice">
        {names.map((reason) => (
          <SwitchItem
            key={reason}
            label={words.reasons[reason]}
            hint={reason === "finished" || reason === "quota" ? hints[reason] : undefined}
            isOn={reasons.includes(reason)}
            onChange={(on) => {
              const others = reasons.filter((one) => one !== reason);
              void notifications.prefer(own, { reasons: on ? [...others, reason] : others });
            }}
          />
        ))}
      </Group>
      <Group title={words.how} whose="thisDevice">
        <div class="stacked-item">
          <Item label={words.wait} hint={words.waitHint} />
          <Segments
            label={words.wait}
            options={WAITS.map((value) => ({
              value,
              label: value === "0" ? words.no : words.minutes(Number(value)),
            }))}
            chosen={WAITS.find((value) => Number(value) === wait_minutes) ?? "0"}
            onChoose={(value) => void notifications.prefer(own, { wait_minutes: Number(value) })}
          />
        </div>
        <ChoiceItem
          label={words.remind}
          hint={words.remindHint}
          options={Object.fromEntries(
            REMINDERS.map((value) => [
              value,
              value === "0" ? words.remindNever : words.remindAfter(Number(value)),
            ]),
          )}
          chosen={String(remind_minutes)}
          onChoose={(value) => void notifications.prefer(own, { remind_minutes: Number(value) })}
        />
        <LinkItem
          label={words.quiet}
          value={quiet === null ? words.quietOff : words.quietFromTo(quiet.start, quiet.end)}
          onClick={() => router.show("settings-quiet", null, "above")}
        />
        <LinkItem
          label={words.muted}
          value={String(stillMuted(muted, clock.now.value).length)}
          onClick={() => router.show("settings-muted", null, "above")}
        />
      </Group>
      <Group title={words.text} whose="thisDevice">
        <SwitchItem
          label={words.name}
          hint={words.nameHint}
          isOn={details === "name"}
          onChange={(on) => void notifications.prefer(own, { details: on ? "name" : "none" })}
        />
      </Group>
    </>
  );
}
