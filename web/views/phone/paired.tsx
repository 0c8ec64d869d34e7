import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { browserName } from "../../model/browser-name.ts";
import type { StepName } from "../../model/notifications.ts";
import { PhoneSetup } from "../../state/server/phone.ts";
import { useBrowser, useClient, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Item } from "../../ui/item.tsx";
import { useWaitingCount } from "../parts/derived.ts";
import { common } from "../../words/common.ts";
import { useThisDevice } from "../settings/this-device.tsx";

/** What a device sees once a code has let it in: what it may do next, and the way to the queue. */
export function Paired(): JSX.Element {
  const { browser } = useClient();
  const setup = usePart(PhoneSetup);
  const waiting = useWaitingCount();
  useEffect(() => void setup.state.load(), [setup]);
  const { isPhone } = browserName(browser.window.navigator.userAgent);
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
          <Home />
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

/** What a browser of Apple shows in place of the word Share. */
function Home(): JSX.Element {
  const { install } = useBrowser();
  const way = install.way.value;
  const text =
    way === "share" ? (
      <>
        Tap <Icon name="share" class="share-sign" /> <span class="visually-hidden">Share</span>{" "}
        below, then “Add to Home Screen”, and open it there.
      </>
    ) : (
      HOME_WAYS[way]
    );
  return (
    <Item icon={way === "installed" ? "check" : "plus"} label="Add to home screen" hint={text}>
      {way === "dialog" && <Button onClick={() => void install.ask()}>Install</Button>}
    </Item>
  );
}

/** Why alerts cannot be switched on here yet, by the step that is in the way. */
const WHY_NOT: Readonly<Partial<Record<StepName, string>>> = {
  https: "Work only over HTTPS.",
  home_screen: "Work once it is on the home screen.",
  supported: "This browser has none.",
  allowed: "The browser blocks them. Allow them in its settings for this page.",
};

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
  const why = failed === null ? undefined : WHY_NOT[failed];
  const isBusy = notifications.isBusy.value;
  const text =
    why ?? (notifications.problem.value || "When an agent waits, also while this page is closed.");
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

const HOME_WAYS = {
  dialog: "It opens in a window of its own, and counts who waits on its icon.",
  share: "below, then “Add to Home Screen”, and open it there.",
  needs_https: "Browsers do this only over HTTPS.",
  none: "In the browser’s menu, where it offers it.",
  installed: "It is there.",
};
