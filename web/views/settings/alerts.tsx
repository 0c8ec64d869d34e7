// Alerts on this device, which it wants, and the other devices that get some.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PushDevice, QuietHours } from "../../../src/protocol/push.ts";
import { browserName } from "../../model/browser-name.ts";
import {
  checklist,
  failedStep,
  mutedWith,
  stillMuted,
  type StepName,
} from "../../model/notifications.ts";
import { reasonOf } from "../../net/api.ts";
import { canPush, onShown } from "../../state/browser/push-manager.ts";
import { useBrowser, useClient, usePart, useServer, type Client } from "../../state/client.ts";
import { Alerts } from "../../state/server/alerts.ts";
import { Notifications, type TestRun } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { ChoiceItem, Item, LinkItem, SwitchItem, CheckLine, Tell } from "../../ui/item.tsx";
import { timeOfDay } from "../../words/common.ts";
import { dayOf } from "../../words/times.ts";
import { CopyLines } from "../parts/copy-lines.tsx";
import { CheckCard, Fault, Fix, Flags, Group, Leads, Stacked } from "./rows.tsx";

const WAITS = ["0", "2", "5", "15"];
const REMINDERS = ["0", "5", "10", "30", "60"];
const NIGHT = { start: "22:00", end: "07:00", urgent: true };

/** How this browser puts the page on a home screen. */
const INSTALL_TEXTS = {
  dialog: "Opens in a window of its own, starts without the network, counts who waits on its icon.",
  share: "In Safari, tap Share, then “Add to Home Screen”.",
  needs_https: "Browsers install and notify only over HTTPS.",
  installed: "Installed.",
} as const;

/** How this server is reached from a phone, and what tells a person that somebody waits. */
export function PhoneSettings(): JSX.Element {
  const client = useClient();
  const { install, router } = client.browser;
  const alerts = usePart(Alerts);
  const { config } = client.server;
  const notifications = usePart(Notifications);
  const hasPush = config.has("web_push_v1");
  const way = install.way.value;
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
              onClick={() => router.go("#/phone")}
            />
          )}
          {config.has("grants_v1") && (
            <Leads
              to="settings-devices"
              label="Devices"
              hint="Who is let in, and what each may do"
            />
          )}
          {way !== "none" && (
            <Item label="On the home screen" hint={INSTALL_TEXTS[way]}>
              {way === "dialog" && <Button onClick={() => void install.ask()}>Install</Button>}
            </Item>
          )}
        </div>
      </section>
      {hasPush && (
        <>
          <h3 class="page-title text-2 fs-13 bold">
            Alerts on this device, also while this page is closed
          </h3>
          <DeviceCard />
          <Choices />
        </>
      )}
      <Group title="While this page is open" whose="this browser">
        <Flags
          rows={[
            ["sound", "Sound"],
            "vibrate" in navigator && ["vibrate", "Vibration"],
            ["notifyErrors", "Also for errors"],
            "setAppBadge" in navigator && ["badge", "Badge on the app icon"],
          ]}
          onChange={(name, isOn) => isOn && name === "sound" && alerts.beep()}
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

/** Each step as one that is done, as one that is not, and what is said of the device then. */
const STEPS: Readonly<Record<StepName, readonly [done: string, failed: string, tag: string]>> = {
  https: ["Encrypted page", "Not an encrypted page", "not possible here"],
  home_screen: ["On the home screen", "Not opened from the home screen", "one step left"],
  supported: [
    "This browser knows them",
    "This browser has none for this page",
    "not possible here",
  ],
  allowed: ["Allowed", "The browser blocks notifications of this page", "blocked"],
  subscribed: ["Subscribed", "The push service has dropped the subscription", "not subscribed"],
  server: ["Accepted by the push service", "The push service refuses this server", "server"],
};

/** This device as this page sees it. */
export function useThisDevice() {
  const notifications = usePart(Notifications);
  const { install, window } = useBrowser();
  const { browser, system, isPhone } = browserName(window.navigator.userAgent);
  const isOnHomeScreen = install.way.value === "installed";
  const on = isOnHomeScreen ? ", on the home screen" : system === null ? "" : ` on ${system}`;
  const steps = checklist({
    isSecure: window.isSecureContext,
    needsHomeScreen: "standalone" in window.navigator,
    isOnHomeScreen,
    hasPush: canPush(),
    permission: notifications.permission.value,
    device: notifications.own.value,
  });
  return { steps, failed: failedStep(steps), isPhone, name: (browser ?? "This browser") + on };
}

/** What has to be so before an alert arrives, up to the first that is not, and what mends that. */
function DeviceCard(): JSX.Element {
  const notifications = usePart(Notifications);
  const { steps, failed, isPhone, name } = useThisDevice();
  const own = notifications.own.value;
  const isOn = own !== null && own.gone === null;
  const isBusy = notifications.isBusy.value;
  const problem = notifications.problem.value;
  const tone = failed === null ? isOn && "ok" : failed !== "home_screen" && "error";
  return (
    <CheckCard
      icon={isPhone ? "phone" : "screen"}
      title={isPhone ? "This phone" : "This browser"}
      hint={name}
      tone={tone || undefined}
      tag={failed === null ? (isOn ? "ready" : "off") : STEPS[failed][2]}
      checks={
        <>
          {steps.map((step) => (
            <CheckLine key={step.name} state={step.state}>
              {step.state === "failed" ? <b>{STEPS[step.name][1]}</b> : doneText(step.name)}
            </CheckLine>
          ))}
          {own?.last?.result === "accepted" && (
            <CheckLine state="done">Last alert accepted {timeOfDay(own.last.at)}</CheckLine>
          )}
        </>
      }
    >
      {failed !== null && <Remedy step={failed} detail={own?.last?.detail ?? ""} />}
      {isOn && <DeviceTest />}
      {/* Only where a tap can help: the browser asks the person behind it. */}
      {!isOn && (failed === null || failed === "subscribed") && (
        <Button
          tone="primary"
          size="block"
          disabled={isBusy}
          onClick={() => void notifications.switchOn()}
        >
          {isBusy ? "Switching on" : failed === null ? "Switch on" : "Subscribe again"}
        </Button>
      )}
      {/* Chromium's words: "Registration failed - permission denied" in a private window. */}
      <Fault>
        {problem.startsWith("Registration failed")
          ? "Not switched on: the browser did not register. A private window cannot be alerted; else its push service could not be reached."
          : problem && `Not switched on: ${problem}`}
      </Fault>
    </CheckCard>
  );
}

function doneText(name: StepName): string {
  // A browser trusts a page of its own machine without encryption.
  const isPlain = name === "https" && location.protocol === "http:";
  return isPlain ? "Secure page (this machine)" : STEPS[name][0];
}

/** What to do about the step that failed; `detail` is what the push service said. */
function Remedy(props: { readonly step: StepName; readonly detail: string }): JSX.Element | null {
  const { isPhone } = useThisDevice();
  switch (props.step) {
    case "https":
      return (
        <Fix title="Put HTTPS in front of it">
          This page came over plain HTTP, from {location.origin}. Browsers give notifications to
          encrypted pages only. On the server, run
          <CopyLines text="panewatch phone" label="Copy the lines" />
          Then scan the code that it shows, and come back to this page. Without HTTPS the ntfy app
          reaches this device too: name a topic as push.ntfy_url in the configuration file.
        </Fix>
      );
    case "home_screen":
      return (
        <Fix title="Add it to the home screen">
          Tap Share, choose “Add to Home Screen”, open panewatch from there and come back to this
          page.
        </Fix>
      );
    case "supported":
      return (
        <Fix title={STEPS.supported[1]}>Try another browser. A private window has none either.</Fix>
      );
    case "allowed":
      return (
        <Fix title="Allow them again">
          {isPhone
            ? "Only the phone can do this: hold the app’s icon, then App info, Notifications. Come back here afterwards."
            : "Only the browser can do this: the mark before the address, then Notifications. Come back here afterwards."}
        </Fix>
      );
    case "server":
      return (
        <Fix title="Name a contact in the configuration">
          It is sent to the push services with every alert, so that they can reach you. Then restart
          panewatch. It said: {props.detail}
          <CopyLines text={'push:\n  contact: "mailto:you@example.org"'} label="Copy the lines" />
        </Fix>
      );
    case "subscribed":
      return null;
  }
}

/** A test: what the push service said within seconds, and whether this device has shown it. */
function DeviceTest(): JSX.Element {
  const client = useClient();
  const notifications = usePart(Notifications);
  const run = notifications.test.value;
  const isRunning = run?.isOver === false;
  return (
    <>
      <div role="status">{run !== null && <Progress run={run} />}</div>
      <div class="device-actions flex gap-8">
        <Button class="grow" disabled={isRunning} onClick={() => void testOwn(client)}>
          <Icon name="bell" class="small" />
          {isRunning ? "Testing" : "Send a test"}
        </Button>
        <Button
          class="grow"
          disabled={notifications.isBusy.value}
          onClick={() => void notifications.switchOff()}
        >
          Switch off
        </Button>
      </div>
    </>
  );
}

function Progress({ run }: { readonly run: TestRun }): JSX.Element | null {
  const { reply, failure, shownAt, isOver } = run;
  if (reply === null && failure === null) return null;
  if (reply?.ok !== true) {
    const why = failure === null ? reply?.detail : reasonOf(failure) || "the server did not answer";
    return <Tell state="failed">Not accepted: {why}</Tell>;
  }
  return (
    <>
      <Tell state="done">Handed over {timeOfDay(reply.at)}</Tell>
      {shownAt !== null && <Tell state="done">Shown on this device {timeOfDay(shownAt)}</Tell>}
      {shownAt === null && !isOver && (
        <Tell state="working">Waiting until this device shows it</Tell>
      )}
      {shownAt === null && isOver && (
        <>
          <Tell state="failed">Not shown within 30 s</Tell>
          <Fix title="What to look at">
            Is a Focus or Do Not Disturb on? In the settings of the system, are banners of this
            browser or app on? Is the device offline? It then comes later.
          </Fix>
        </>
      )}
    </>
  );
}

const SHOWN_WITHIN_MS = 30_000;

const testOf = ({ server }: Client, { id }: PushDevice) =>
  server.api.call("POST /api/push/devices/:id/test", { path: { id } });

/** Sends a test to this device and waits until its worker says that it was shown. */
async function testOwn(client: Client): Promise<void> {
  const { clock } = client.browser;
  const notifications = client.server.part(Notifications);
  const { test } = notifications;
  const own = notifications.own.peek();
  if (own === null) return;
  const shown = new Set<string>();
  let run: TestRun = { reply: null, failure: null, shownAt: null, isOver: false };
  const change = (part: Partial<TestRun>) => {
    run = test.value = { ...run, ...part };
  };
  const note = (tag: string) => {
    shown.add(tag);
    if (run.reply?.tag === tag) change({ shownAt: clock.now.peek(), isOver: true });
  };
  change({});
  const unlisten = onShown(note);
  setTimeout(() => {
    unlisten();
    if (!run.isOver) change({ isOver: true });
  }, SHOWN_WITHIN_MS);
  const result = await testOf(client, own);
  if (!result.ok) change({ failure: result.failure, isOver: true });
  else change({ reply: result.value, isOver: !result.value.ok });
  if (result.ok && shown.has(result.value.tag)) note(result.value.tag);
  await notifications.devices.reload();
}

/** Which alerts this device wants, and when. */
function Choices(): JSX.Element | null {
  const { config } = useServer();
  const notifications = usePart(Notifications);
  const { clock } = useBrowser();
  const own = notifications.own.value;
  if (own === null) return null;
  const { reasons, wait_minutes, remind_minutes, quiet, muted, details } = own.preferences;
  const threshold = config.current.value?.usage_alert_threshold ?? 0;
  const rows = [
    ["needs_input", "An agent waits"],
    ["error", "A pane reports an error"],
    ["finished", "An agent has finished", "It stopped working and asks nothing"],
    ["quota", "A quota runs low", `At ${threshold}% left, once an hour at most`],
    ...(config.has("agent_review_v1") ? [["review", "Changes were collected"] as const] : []),
  ] as const;
  return (
    <>
      <Group title="Alert this device when" whose="this device">
        {rows.map(([reason, label, hint]) => (
          <SwitchItem
            key={reason}
            label={label}
            hint={hint}
            isOn={reasons.includes(reason)}
            onChange={(on) => {
              const others = reasons.filter((one) => one !== reason);
              void notifications.prefer(own, { reasons: on ? [...others, reason] : others });
            }}
          />
        ))}
      </Group>
      <Group title="How and when" whose="this device">
        <Stacked
          label="Wait first"
          hint="Only if I have not answered by then, at the desk or here. Never while this device shows the page."
          options={WAITS.map((value) => ({ value, label: value === "0" ? "No" : `${value} min` }))}
          chosen={String(wait_minutes)}
          onChoose={(value) => void notifications.prefer(own, { wait_minutes: Number(value) })}
        />
        <ChoiceItem
          label="Remind me once"
          hint="When it still waits"
          options={Object.fromEntries(
            REMINDERS.map((value) => [value, value === "0" ? "Never" : `after ${value} min`]),
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
  const time = (label: string, name: "start" | "end", value: string) => (
    <input
      type="time"
      class="item-time round-2 fill fs-16"
      aria-label={label}
      value={value}
      required
      onChange={({ currentTarget }) => {
        if (currentTarget.validity.valid) set({ [name]: currentTarget.value });
      }}
    />
  );
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
            <Item label="From">{time("From", "start", quiet.start)}</Item>
            <Item label="To" hint={`In the time of this device (${quiet.time_zone})`}>
              {time("To", "end", quiet.end)}
            </Item>
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

/** Panes that this device hears nothing of. */
export function MutedSettings(): JSX.Element | null {
  const { panes } = useServer();
  const notifications = usePart(Notifications);
  const { clock } = useBrowser();
  const own = notifications.own.value;
  if (own === null) return null;
  const { muted } = own.preferences;
  const still = stillMuted(muted, clock.now.value);
  if (still.length === 0) return <p class="page-text">None. The menu of a pane mutes it.</p>;
  const nameOf = (target: string) =>
    panes.all.value.find((pane) => pane.target === target)?.name ?? target;
  const unmute = (target: string) =>
    void notifications.prefer(own, { muted: mutedWith(muted, target, "not") });
  return (
    <div class="set">
      {still.map(({ target, until }) => (
        <Item
          key={target}
          label={nameOf(target)}
          hint={until === null ? "until you change it" : `until ${timeOfDay(until)}`}
        >
          <Button
            size="small"
            aria-label={`Unmute ${nameOf(target)}`}
            onClick={() => unmute(target)}
          >
            Unmute
          </Button>
        </Item>
      ))}
    </div>
  );
}

/** What else is alerted, and what each last got. */
function OtherDevices(): JSX.Element {
  const client = useClient();
  const notifications = usePart(Notifications);
  const configured = notifications.others.value.filter(isConfigured);
  const devices = notifications.others.value.filter((device) => !isConfigured(device));
  const remove = async ({ id }: PushDevice) => {
    const result = await client.server.api.call("DELETE /api/push/devices/:id", { path: { id } });
    if (notifications.took(result)) await notifications.devices.reload();
  };
  const test = async (device: PushDevice) => {
    notifications.took(await testOf(client, device));
    await notifications.devices.reload();
  };
  return (
    <>
      <Devices title="Other devices" devices={devices} act="Remove" onAct={remove} />
      <Devices title="From the configuration file" devices={configured} act="Test" onAct={test} />
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

function Devices(props: {
  readonly title: string;
  readonly devices: readonly PushDevice[];
  readonly act: string;
  readonly onAct: (device: PushDevice) => Promise<void>;
}): JSX.Element | null {
  const { title, devices, act, onAct } = props;
  if (devices.length === 0) return null;
  return (
    <Group title={title} whose="everyone">
      {devices.map((device) => {
        const { id, kind, host, name, added } = device;
        const isPhone = kind === "apns" || /Android|iOS|iPadOS/.test(name);
        const since = `since ${dayOf(added)}`;
        const hint = {
          ntfy: `${host}, works without HTTPS and without this page`,
          webhook: `${host}, each alert as a signed line of JSON`,
          apns: `Native app, ${since}`,
          web: since,
        }[kind];
        return (
          <Item
            key={id}
            icon={isConfigured(device) ? "bell" : isPhone ? "phone" : "screen"}
            label={name}
            hint={
              <>
                {hint}
                <LastAlert {...device} />
              </>
            }
          >
            <Button size="small" aria-label={`${act} ${name}`} onClick={() => void onAct(device)}>
              {act}
            </Button>
          </Item>
        );
      })}
    </Group>
  );
}

function LastAlert({ gone, last }: PushDevice): JSX.Element {
  if (gone !== null)
    return <Tell state="failed">Gone since {timeOfDay(gone)}, it will not be tried again</Tell>;
  if (last === null) return <span class="item-hint">Nothing sent yet</span>;
  if (last.result === "accepted") return <Tell state="done">Accepted {timeOfDay(last.at)}</Tell>;
  return (
    <Tell state="failed">
      Failed {timeOfDay(last.at)}: {last.detail}
    </Tell>
  );
}
