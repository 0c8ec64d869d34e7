import type { JSX } from "preact";
import { browserName } from "../../model/browser-name.ts";
import { checklist, failedStep, type Step, type StepName } from "../../model/notifications.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { DeviceTest } from "./device-test.tsx";
import { Remedy } from "./remedy.tsx";
import { Fault } from "./rows.tsx";
import { Tag } from "../../ui/tag.tsx";

/** This device: what has to be so before an alert arrives, up to the first that is not. */
export function DeviceCard(): JSX.Element {
  const notifications = usePart(Notifications);
  const { install, window } = useBrowser();
  const own = notifications.own.value;
  const name = browserName(window.navigator.userAgent);
  const isOnHomeScreen = install.way.value === "installed";
  const steps = checklist({
    isSecure: notifications.manager.isSecure,
    needsHomeScreen: "standalone" in window.navigator,
    isOnHomeScreen,
    hasPush: notifications.manager.hasPush,
    permission: notifications.permission.value,
    device: own,
  });
  const failed = failedStep(steps);
  const isOn = own !== null && own.gone === null;
  const problem = notifications.problem.value;
  return (
    <div class="device-card">
      <div class="device-head flex gap-12">
        <Icon name={name.isPhone ? "phone" : "screen"} />
        <div class="grow">
          <strong>{name.isPhone ? "This phone" : "This browser"}</strong>
          <span class="item-hint">{placeOf(name, isOnHomeScreen)}</span>
        </div>
        <StepTag failed={failed} isOn={isOn} />
      </div>
      <ul class="checks">
        {steps.map((step) => (
          <CheckLine key={step.name} step={step} />
        ))}
        {own?.last?.result === "accepted" && (
          <li class="done">
            <StatusIcon shape="ok" label="Done:" />
            <span>Last alert accepted {timeOfDay(own.last.at)}</span>
          </li>
        )}
      </ul>
      {failed !== null && <Remedy step={failed} detail={own?.last?.detail ?? ""} />}
      {isOn ? <DeviceTest /> : <SwitchOn failed={failed} />}
      {problem !== "" && (
        <Fault>
          {isRefusedByBrowser(problem)
            ? "Not switched on: the browser did not register. A private window cannot be alerted; else its push service could not be reached."
            : problem === ""
              ? "Alerts could not be switched on."
              : `Not switched on: ${problem}`}
        </Fault>
      )}
    </div>
  );
}

/** Chromium's words: "Registration failed - permission denied" in a private window. */
const isRefusedByBrowser = (problem: string): boolean => problem.startsWith("Registration failed");

function placeOf(name: ReturnType<typeof browserName>, isOnHomeScreen: boolean): string {
  const browser = name.browser ?? "This browser";
  if (isOnHomeScreen) return `${browser}, on the home screen`;
  return name.system === null ? browser : `${browser} on ${name.system}`;
}

/** Each step as one that is done, and as one that is not. */
export const STEPS: Readonly<Record<StepName, readonly [done: string, failed: string]>> = {
  https: ["Encrypted page", "Not an encrypted page"],
  home_screen: ["On the home screen", "Not opened from the home screen"],
  supported: ["This browser knows them", "This browser has none for this page"],
  allowed: ["Allowed", "The browser blocks notifications of this page"],
  subscribed: ["Subscribed", "The push service has dropped the subscription"],
  server: ["Accepted by the push service", "The push service refuses this server"],
};

const TAGS: Readonly<Record<StepName, string>> = {
  https: "not possible here",
  home_screen: "one step left",
  supported: "not possible here",
  allowed: "blocked",
  subscribed: "not subscribed",
  server: "server",
};

function StepTag(props: { readonly failed: StepName | null; readonly isOn: boolean }): JSX.Element {
  const { failed, isOn } = props;
  if (failed !== null)
    return <Tag tone={failed === "home_screen" ? undefined : "error"}>{TAGS[failed]}</Tag>;
  return <Tag tone={isOn ? "ok" : undefined}>{isOn ? "ready" : "off"}</Tag>;
}

function CheckLine({ step: { name, state } }: { readonly step: Step }): JSX.Element {
  const [known, failed] = STEPS[name];
  // A browser trusts a page of its own machine without encryption.
  const isPlain = name === "https" && location.protocol === "http:";
  const done = isPlain ? "Secure page (this machine)" : known;
  if (state === "failed")
    return (
      <li class="failed">
        <StatusIcon shape="error" label="Failed:" />
        <strong>{failed}</strong>
      </li>
    );
  return (
    <li class={state}>
      <StatusIcon
        shape={state === "done" ? "ok" : "idle"}
        label={state === "done" ? "Done:" : "Still to do:"}
      />
      <span>{done}</span>
    </li>
  );
}

/** Only where a tap can help: the browser asks the person behind it. */
function SwitchOn({ failed }: { readonly failed: StepName | null }): JSX.Element | null {
  const notifications = usePart(Notifications);
  if (failed !== null && failed !== "subscribed") return null;
  const isBusy = notifications.isBusy.value;
  return (
    <Button
      tone="primary"
      size="block"
      disabled={isBusy}
      onClick={() => void notifications.switchOn()}
    >
      {isBusy && "Switching on"}
      {!isBusy && (failed === null ? "Switch on" : "Subscribe again")}
    </Button>
  );
}
