import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { PhoneSetup } from "../../state/server/phone.ts";
import { useClient, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Item } from "../../ui/item.tsx";
import { faultOf } from "../parts/query-status.tsx";
import { useWaitingCount } from "../parts/derived.ts";
import { common } from "../../words/common.ts";
import { HomeScreen } from "../settings/alerts.tsx";
import { STEPS, useThisDevice } from "../settings/this-device.tsx";

/** The first page of a device that a code has let in. */
export function Paired(): JSX.Element {
  const { browser } = useClient();
  const setup = usePart(PhoneSetup);
  const waiting = useWaitingCount();
  useEffect(() => void setup.state.load(), [setup]);
  const isOnHomeScreen = browser.install.way.value === "installed";
  const { isPhone } = useThisDevice();
  const host = setup.state.value.value?.host ?? "";
  return (
    <main class="paired stack ground" id="content" aria-labelledby="paired-title">
      <div class="scroll" tabIndex={0}>
        <header class="centred">
          <span class="paired-mark auto center round text-ok">
            <Icon name="check" />
          </span>
          <h1 id="paired-title" class="mt-12 fs-28">
            Paired
          </h1>
          <p class="mt-4 text-2">
            This {isPhone ? "phone" : "browser"} now sees the agents on{" "}
            {host === "" ? "this server" : host}.
          </p>
        </header>
        <div class="set gutter">
          <HomeScreen icon={isOnHomeScreen ? "check" : "plus"} />
          <Alerts />
        </div>
        <p class="pad text-2 fs-13">You can do both later: Settings, Phone and alerts.</p>
      </div>
      <footer class="rule">
        <Button tone="primary" size="block" onClick={() => browser.router.replace("#/queue")}>
          Open the queue
          {waiting > 0 && (
            <span class="badge numbers" role="img" aria-label={common.waitingBadge(waiting)}>
              {waiting}
            </span>
          )}
        </Button>
      </footer>
    </main>
  );
}

function Alerts(): JSX.Element | null {
  const { config } = useServer();
  const notifications = usePart(Notifications);
  const { failed } = useThisDevice();
  const hasPush = config.has("web_push_v1");
  useEffect(() => {
    if (hasPush) void notifications.load();
  }, [hasPush]);
  if (!hasPush) return null;
  const isOn = notifications.own.value !== null;
  const why = failed === null ? undefined : STEPS[failed][1];
  const isBusy = notifications.isBusy.value;
  const failure = notifications.failure.value;
  const fault = failure && faultOf("Not switched on", failure);
  const text = why ?? fault ?? "When an agent waits, also while this page is closed.";
  return (
    <Item icon={isOn ? "check" : "bell"} label="Alerts" hint={isOn ? "On for this device." : text}>
      {!isOn && (
        <Button
          disabled={why !== undefined || isBusy}
          onClick={() => void notifications.switchOn()}
        >
          Switch on
        </Button>
      )}
    </Item>
  );
}
