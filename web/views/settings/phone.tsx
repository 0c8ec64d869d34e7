import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ALERT_REASON_NAMES, stillMuted } from "../../model/notifications.ts";
import { useBrowser, useClient, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { ChoiceItem, Item, LinkItem, SwitchItem } from "../../ui/item.tsx";
import { Segments } from "../../ui/segments.tsx";
import { InstallHint } from "../install/hint.tsx";
import { DeviceCard } from "./device-card.tsx";
import { OtherDevices } from "./other-devices.tsx";
import { Flag, Group, Leads } from "./rows.tsx";

const WAITS = ["0", "2", "5", "15"] as const;
const REMINDERS = ["0", "5", "10", "30", "60"] as const;

/** How this server is reached from a phone, and what tells a person that somebody waits. */
export function PhoneSettings(): JSX.Element {
  const client = useClient();
  const { browser } = client;
  const { config } = client.server;
  const notifications = usePart(Notifications);
  const hasPush = config.has("web_push_v1");
  useEffect(() => {
    if (!hasPush) return;
    void notifications.load();
    // A permission that was given in the browser's own settings is seen on coming back.
    const look = () => void notifications.load();
    const { document } = client.browser.window;
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [notifications, hasPush]);
  return (
    <>
      <section>
        <div class="set">
          {config.has("phone_v1") && (
            <LinkItem
              label="On your phone"
              hint="By a code that works once"
              onClick={() => browser.router.go("#/phone")}
            />
          )}
          {config.has("grants_v1") && (
            <Leads
              to="settings-devices"
              label="Devices"
              hint="Who is let in, and what each may do"
            />
          )}
          <InstallHint />
        </div>
      </section>
      {hasPush && (
        <>
          <h3 class="page-title text-2 fs-13 bold">
            Alerts on this device, also while this page is closed
          </h3>
          <DeviceCard />
          {notifications.own.value !== null && <Choices />}
        </>
      )}
      <WhileOpen />
      {hasPush && <OtherDevices />}
      {notifications.reasons.value.map((reason) => (
        <p key={reason} class="page-text">
          Not every alert can be sent: {reason}.
        </p>
      ))}
    </>
  );
}

function Choices(): JSX.Element | null {
  const { config } = useServer();
  const notifications = usePart(Notifications);
  const { clock } = useBrowser();
  const own = notifications.own.value;
  if (own === null) return null;
  const { reasons, wait_minutes, remind_minutes, quiet, muted, details } = own.preferences;
  const hints = {
    finished: "It stopped working and asks nothing",
    quota: `At ${config.current.value?.usage_alert_threshold ?? 0}% left, once an hour at most`,
  };
  const names = ALERT_REASON_NAMES.filter(
    (reason) => reason !== "review" || config.has("agent_review_v1"),
  );
  return (
    <>
      <Group title="Alert this device when" whose="this device">
        {names.map((reason) => (
          <SwitchItem
            key={reason}
            label={REASONS[reason]}
            hint={reason === "finished" || reason === "quota" ? hints[reason] : undefined}
            isOn={reasons.includes(reason)}
            onChange={(on) => {
              const others = reasons.filter((one) => one !== reason);
              void notifications.prefer(own, { reasons: on ? [...others, reason] : others });
            }}
          />
        ))}
      </Group>
      <Group title="How and when" whose="this device">
        <div class="stacked-item">
          <Item
            label="Wait first"
            hint="Only if I have not answered by then, at the desk or here. Never while this device shows the page."
          />
          <Segments
            label="Wait first"
            options={WAITS.map((value) => ({
              value,
              label: value === "0" ? "No" : `${Number(value)} min`,
            }))}
            chosen={WAITS.find((value) => Number(value) === wait_minutes) ?? "0"}
            onChoose={(value) => void notifications.prefer(own, { wait_minutes: Number(value) })}
          />
        </div>
        <ChoiceItem
          label="Remind me once"
          hint="When it still waits"
          options={Object.fromEntries(
            REMINDERS.map((value) => [
              value,
              value === "0" ? "Never" : `after ${Number(value)} min`,
            ]),
          )}
          chosen={String(remind_minutes)}
          onChoose={(value) => void notifications.prefer(own, { remind_minutes: Number(value) })}
        />
        <Leads
          to="settings-quiet"
          label="Quiet hours"
          value={quiet === null ? "Off" : `${quiet.start} to ${quiet.end}`}
        />
        <Leads
          to="settings-muted"
          label="Muted panes"
          value={String(stillMuted(muted, clock.now.value).length)}
        />
      </Group>
      <Group title="Text" whose="this device">
        <SwitchItem
          label="Show the pane’s name"
          hint="Else “A pane needs your input”. Questions and output are never sent"
          isOn={details === "name"}
          onChange={(on) => void notifications.prefer(own, { details: on ? "name" : "none" })}
        />
      </Group>
    </>
  );
}

/** What this page does by itself while it is open, in sight or not. */
function WhileOpen(): JSX.Element {
  const { alerts } = useBrowser();
  return (
    <Group title="While this page is open" whose="this browser">
      <Flag
        name="sound"
        label="Sound"
        onChange={(on) => {
          if (on) alerts.beep();
        }}
      />
      {"vibrate" in navigator && <Flag name="vibrate" label="Vibration" />}
      <Flag name="notifyErrors" label="Also for errors" />
      {"setAppBadge" in navigator && <Flag name="badge" label="Badge on the app icon" />}
    </Group>
  );
}

const REASONS = {
  needs_input: "An agent waits",
  error: "A pane reports an error",
  finished: "An agent has finished",
  quota: "A quota runs low",
  review: "Changes were collected",
};
