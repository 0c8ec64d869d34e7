import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PushDevice } from "../../../src/protocol/push.ts";
import type { Result } from "../../net/api.ts";
import type { InstallWay } from "../../state/browser/install.ts";
import { useBrowser, useClient, usePart, useServer } from "../../state/client.ts";
import { Alerts } from "../../state/server/alerts.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button, Icon, type IconName } from "../../ui/button.tsx";
import { Item, LinkItem, StatusLine, SwitchItem } from "../../ui/item.tsx";
import { Heading } from "../../ui/heading.tsx";
import { dayOf, momentText } from "../../words/times.ts";
import { useToday } from "../parts/derived.ts";
import { Fault, useAct } from "../parts/query-status.tsx";
import { AlertChoices } from "./alert-choices.tsx";
import { deviceIcon } from "./devices.tsx";
import { SettingRows, usePreferenceEditor } from "./fields.tsx";
import { Group, PageLink } from "./rows.tsx";
import { DeviceCard, testOf } from "./this-device.tsx";

const INSTALL_TEXTS: Readonly<Record<InstallWay, ComponentChildren>> = {
  dialog: "Opens in a window of its own, starts without the network, counts who waits on its icon.",
  share: (
    <>
      In Safari, tap <Icon name="share" class="share-sign" /> Share, then “Add to Home Screen”, and
      open it there.
    </>
  ),
  needs_https: "Browsers install and notify only over HTTPS.",
  none: "In the browser’s menu, where it offers it.",
  installed: "Installed.",
};

/** How the page gets on the home screen in this browser. */
export function HomeScreen({ icon }: { readonly icon?: IconName }): JSX.Element {
  const { install } = useBrowser();
  const way = install.way.value;
  return (
    <Item {...(icon && { icon })} label="On the home screen" hint={INSTALL_TEXTS[way]}>
      {way === "dialog" && <Button onClick={() => void install.ask()}>Install</Button>}
    </Item>
  );
}

export function PhoneSettings(): JSX.Element {
  const { install, isVisible, preferences, router } = useBrowser();
  const alerts = usePart(Alerts);
  const { config } = useServer();
  const notifications = usePart(Notifications);
  const hasPush = config.has("web_push_v1");
  const editor = usePreferenceEditor();
  const isSeen = isVisible.value;
  useEffect(() => {
    // The permission may have been changed in the settings of the browser meanwhile.
    if (hasPush && isSeen) void notifications.load();
  }, [notifications, hasPush, isSeen]);
  return (
    <>
      <section>
        <div class="set">
          {config.has("phone_v1") && (
            <LinkItem
              label="On your phone"
              hint="By a code that works once"
              onClick={() => router.go("#/phone")}
            />
          )}
          {config.has("grants_v1") && (
            <PageLink to="settings-devices" hint="Who is let in, and what each may do" />
          )}
          {install.way.value !== "none" && <HomeScreen />}
        </div>
      </section>
      {hasPush && (
        <>
          <Heading kind="sheet" title="Alerts on this device, also while this page is closed" />
          <DeviceCard />
          <AlertChoices />
        </>
      )}
      <Group title="While this page is open" audience="this browser">
        <SwitchItem
          label="Sound"
          isOn={preferences.current.value.sound}
          onChange={(sound) => {
            preferences.set({ sound });
            if (sound) alerts.beep();
          }}
        />
        <SettingRows
          of={editor}
          rows={[
            "vibrate" in navigator && ["vibrate", "Vibration"],
            ["notifyErrors", "Also for errors"],
            "setAppBadge" in navigator && ["badge", "Badge on the app icon"],
          ]}
        />
      </Group>
      {hasPush && <OtherDevices />}
      {notifications.reasons.value.map((reason) => (
        <p key={reason} class="page-text">
          Not every alert can be sent: {reason}.
        </p>
      ))}
    </>
  );
}

/** The style sheet hides an empty group. */
function OtherDevices(): JSX.Element {
  const { others } = usePart(Notifications);
  const configured = others.value.filter(isConfigured);
  const registered = others.value.filter((device) => !isConfigured(device));
  const rowOf = (device: PushDevice) => <AlertDeviceRow key={device.id} device={device} />;
  return (
    <>
      <Group title="Other devices" audience="everyone">
        {registered.map(rowOf)}
      </Group>
      <Group title="From the configuration file" audience="everyone">
        {configured.map(rowOf)}
      </Group>
      {configured.length > 0 && (
        <p class="page-text">
          They are set in the configuration file. Whoever knows an ntfy topic can read it, so its
          texts never name a pane.
        </p>
      )}
    </>
  );
}

const isConfigured = ({ kind }: PushDevice) => kind === "ntfy" || kind === "webhook";

/** A registered device can be removed; one from the configuration file can be tested. */
function AlertDeviceRow({ device }: { readonly device: PushDevice }): JSX.Element {
  const client = useClient();
  const { devices } = usePart(Notifications);
  const { id, kind, host, name, platform, added } = device;
  const isTested = isConfigured(device);
  const label = isTested ? "Test" : "Remove";
  const act = useAct(isTested ? "Not tested" : "Not removed");
  const since = `since ${dayOf(added)}`;
  const hint = {
    ntfy: `${host}, works without HTTPS and without this page`,
    webhook: `${host}, each alert as a signed line of JSON`,
    apns: `Native app, ${since}`,
    web: since,
  }[kind];
  const { api } = client.server;
  const ask = (): Promise<Result<unknown>> =>
    isTested ? testOf(client, device) : api.call("DELETE /api/push/devices/:id", { path: { id } });
  const run = async () => {
    await act.run(ask);
    await devices.reload();
  };
  return (
    <div>
      <Item
        icon={isTested ? "bell" : deviceIcon(`${platform} ${name}`)}
        label={name}
        hint={
          <>
            {hint}
            <LastAlert {...device} />
          </>
        }
      >
        <Button size="small" aria-label={`${label} ${name}`} onClick={() => void run()}>
          {label}
        </Button>
      </Item>
      <Fault>{act.fault}</Fault>
    </div>
  );
}

function LastAlert({ gone, last }: PushDevice): JSX.Element {
  const today = useToday();
  if (gone !== null)
    return (
      <StatusLine state="failed">
        Gone since {momentText(gone, today)}, it will not be tried again
      </StatusLine>
    );
  if (last === null) return <span class="item-hint">Nothing sent yet</span>;
  if (last.result === "accepted")
    return <StatusLine state="done">Accepted {momentText(last.at, today)}</StatusLine>;
  return (
    <StatusLine state="failed">
      Failed {momentText(last.at, today)}: {last.detail}
    </StatusLine>
  );
}
