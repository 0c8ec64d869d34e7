import { canPush } from "../../state/browser/push-manager.ts";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { browserName } from "../../model/browser-name.ts";
import { PhoneSetup } from "../../state/server/phone.ts";
import { useBrowser, useClient, usePart } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Item } from "../../ui/item.tsx";
import { useWaitingCount } from "../parts/derived.ts";
import { common } from "../../words/common.ts";

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

function Alerts(): JSX.Element | null {
  const { browser, server } = useClient();
  const { config } = server;
  const notifications = usePart(Notifications);
  const hasPush = config.has("web_push_v1");
  useEffect(() => {
    if (hasPush) void notifications.load();
  }, [hasPush]);
  if (!hasPush) return null;
  const isOn = notifications.own.value !== null;
  const needsHome =
    "standalone" in browser.window.navigator && browser.install.way.value !== "installed";
  const why = whyNot({
    isSecure: window.isSecureContext,
    hasPush: canPush(),
    needsHome,
    permission: notifications.permission.value,
  });
  const isBusy = notifications.isBusy.value;
  const problem = notifications.problem.value;
  const text = isOn
    ? "On for this device."
    : (why ?? (problem || "When an agent waits, also while this page is closed."));
  return (
    <Item icon={isOn ? "check" : "bell"} label="Alerts" hint={text}>
      {!isOn && (
        <Button disabled={why !== null || isBusy} onClick={() => void notifications.switchOn()}>
          Switch on
        </Button>
      )}
    </Item>
  );
}

function whyNot(facts: {
  readonly isSecure: boolean;
  readonly hasPush: boolean;
  readonly needsHome: boolean;
  readonly permission: NotificationPermission;
}): string | null {
  if (!facts.isSecure) return "Work only over HTTPS.";
  if (facts.needsHome) return "Work once it is on the home screen.";
  if (!facts.hasPush) return "This browser has none.";
  return facts.permission === "denied"
    ? "The browser blocks them. Allow them in its settings for this page."
    : null;
}

const HOME_WAYS = {
  dialog: "It opens in a window of its own, and counts who waits on its icon.",
  share: "below, then “Add to Home Screen”, and open it there.",
  needs_https: "Browsers do this only over HTTPS.",
  none: "In the browser’s menu, where it offers it.",
  installed: "It is there.",
};
