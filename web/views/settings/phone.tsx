import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { ALERT_REASON_NAMES, stillMuted } from "../../model/notifications.ts";
import { useBrowser, useClient, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { ChoiceItem, Item, LinkItem, SwitchItem } from "../../ui/item.tsx";
import { Segments } from "../../ui/segments.tsx";
import { notifications as words } from "../../words/notifications.ts";
import { phone as phoneWords } from "../../words/phone.ts";
import { settings as settingsWords } from "../../words/settings.ts";
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
              label={phoneWords.title}
              hint={settingsWords.pairHint}
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
          <h3 class="page-title">{words.thisDevice}</h3>
          <DeviceCard />
          {notifications.own.value !== null && <Choices />}
        </>
      )}
      <WhileOpen />
      {hasPush && <OtherDevices />}
      {notifications.reasons.value.map((reason) => (
        <p key={reason} class="page-text">
          {words.missing(reason)}
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
        <Leads
          to="settings-quiet"
          label={words.quiet}
          value={quiet === null ? words.quietOff : words.quietFromTo(quiet.start, quiet.end)}
        />
        <Leads
          to="settings-muted"
          label={words.muted}
          value={String(stillMuted(muted, clock.now.value).length)}
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

/** What this page does by itself while it is open, in sight or not. */
function WhileOpen(): JSX.Element {
  const { alerts } = useBrowser();
  return (
    <Group title={settingsWords.whileOpen} whose="thisBrowser">
      <Flag
        name="sound"
        label={settingsWords.sound}
        onChange={(on) => {
          if (on) alerts.beep();
        }}
      />
      {"vibrate" in navigator && <Flag name="vibrate" label={settingsWords.vibrate} />}
      <Flag name="notifyErrors" label={settingsWords.notifyErrors} />
      {"setAppBadge" in navigator && <Flag name="badge" label={settingsWords.badge} />}
    </Group>
  );
}
