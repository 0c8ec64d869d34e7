// The checks before an alert can reach this device, and a test alert.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PushDevice, TestReply } from "../../../src/protocol/push.ts";
import { browserName } from "../../model/browser-name.ts";
import { checklist, failedStep, type StepName } from "../../model/notifications.ts";
import { reasonOf } from "../../net/api.ts";
import { canPush, onShown } from "../../state/browser/push-manager.ts";
import { type Client, useBrowser, useClient, usePart } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button, Icon } from "../../ui/button.tsx";
import { StatusLine } from "../../ui/item.tsx";
import { timeOfDay } from "../../words/common.ts";
import { momentText } from "../../words/times.ts";
import { useToday } from "../parts/derived.ts";
import { Fault, faultOf, useAct } from "../parts/query-status.tsx";
import { CopyLines } from "../parts/lines.tsx";
import { CheckCard, Fix } from "./rows.tsx";

/** The texts of each step, and the tag of a device at which it has failed. */
export const STEPS: Readonly<
  Record<StepName, readonly [done: string, failed: string, tag: string]>
> = {
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

/** The checks up to the first that fails, and its remedy. */
export function DeviceCard(): JSX.Element {
  const notifications = usePart(Notifications);
  const { steps, failed, isPhone, name } = useThisDevice();
  const ownDevice = notifications.own.value;
  const isOn = ownDevice !== null && ownDevice.gone === null;
  const isBusy = notifications.isBusy.value;
  const failure = notifications.failure.value;
  const today = useToday();
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
            <StatusLine as="li" key={step.name} state={step.state}>
              {step.state === "failed" ? <b>{STEPS[step.name][1]}</b> : doneText(step.name)}
            </StatusLine>
          ))}
          {ownDevice?.last?.result === "accepted" && (
            <StatusLine as="li" state="done">
              Last alert accepted {momentText(ownDevice.last.at, today)}
            </StatusLine>
          )}
        </>
      }
    >
      {failed !== null && <Remedy step={failed} detail={ownDevice?.last?.detail ?? ""} />}
      {isOn && <DeviceTest device={ownDevice} />}
      {/* The browser asks for the permission only after a tap. */}
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
        {failure !== null && reasonOf(failure).startsWith("Registration failed")
          ? "Not switched on: the browser did not register. A private window cannot be alerted; else its push service could not be reached."
          : failure && faultOf("Not switched on", failure)}
      </Fault>
    </CheckCard>
  );
}

function doneText(name: StepName): string {
  // Browsers treat a page of their own machine as secure without encryption.
  const isPlain = name === "https" && location.protocol === "http:";
  return isPlain ? "Secure page (this machine)" : STEPS[name][0];
}

/** `detail` is the answer of the push service. */
function Remedy(props: { readonly step: StepName; readonly detail: string }): JSX.Element | null {
  const { isPhone } = useThisDevice();
  switch (props.step) {
    case "https":
      return (
        <Fix title="Put HTTPS in front of it">
          This page came over plain HTTP, from {location.origin}. Browsers give notifications to
          encrypted pages only. On the server, run
          <CopyLines text="panewatch phone" />
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
          <CopyLines text={'push:\n  contact: "mailto:you@example.org"'} />
        </Fix>
      );
    case "subscribed":
      return null;
  }
}

const SHOWN_WITHIN_MS = 30_000;

export const testOf = ({ server }: Client, { id }: PushDevice) =>
  server.api.call("POST /api/push/devices/:id/test", { path: { id } });

/** Sends a test alert: says whether the push service took it, and whether this device has shown it. */
function DeviceTest({ device }: { readonly device: PushDevice }): JSX.Element {
  const client = useClient();
  const { clock } = client.browser;
  const notifications = usePart(Notifications);
  const act = useAct("Not accepted");
  const [reply, setReply] = useState<TestReply | null>(null);
  /** Of the test that was not shown in time. */
  const [late, setLate] = useState("");
  /** By tag, when the worker showed it, in epoch seconds: possibly before the reply came. */
  const [shown, setShownTimes] = useState<Readonly<Record<string, number>>>({});
  useEffect(
    () => onShown((tag) => setShownTimes((others) => ({ ...others, [tag]: clock.now.peek() }))),
    [],
  );
  useEffect(() => {
    const timer = setTimeout(() => setLate(reply?.tag ?? ""), SHOWN_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [reply]);
  const send = async () => {
    setReply(null);
    const result = await act.run(() => testOf(client, device));
    if (result?.ok === true) setReply(result.value);
    await notifications.devices.reload();
  };
  const isLate = reply !== null && reply.tag === late;
  const shownAt = shown[reply?.tag ?? ""];
  const isAwaited = reply?.ok === true && shownAt === undefined && !isLate;
  const fault = reply?.ok === false ? `Not accepted: ${reply.detail}` : act.fault;
  return (
    <>
      <div role="status">
        {fault !== "" && <StatusLine state="failed">{fault}</StatusLine>}
        {reply?.ok === true && (
          <StatusLine state="done">Handed over {timeOfDay(reply.at)}</StatusLine>
        )}
        {shownAt !== undefined && (
          <StatusLine state="done">Shown on this device {timeOfDay(shownAt)}</StatusLine>
        )}
        {isAwaited && <StatusLine state="working">Waiting until this device shows it</StatusLine>}
        {reply?.ok === true && shownAt === undefined && isLate && (
          <>
            <StatusLine state="failed">Not shown within 30 s</StatusLine>
            <Fix title="What to look at">
              Is a Focus or Do Not Disturb on? In the settings of the system, are banners of this
              browser or app on? Is the device offline? It then comes later.
            </Fix>
          </>
        )}
      </div>
      <div class="flex gap-8">
        <Button class="grow" disabled={act.isBusy || isAwaited} onClick={() => void send()}>
          <Icon name="bell" class="small" />
          {act.isBusy || isAwaited ? "Testing" : "Send a test"}
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
