import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { browserName } from "../../model/browser-name.ts";
import { PhoneSetup } from "../../state/server/phone.ts";
import { useBrowser, useClient, usePart } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { phone as words } from "../../words/phone.ts";
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
    <main class="paired" id="content" aria-labelledby="paired-title">
      <div class="scroll" tabIndex={0}>
        <header>
          <span class="paired-mark">
            <Icon name="check" />
          </span>
          <h1 id="paired-title">{words.paired}</h1>
          <p>{words.pairedText(isPhone, host)}</p>
        </header>
        <ul class="paired-steps">
          <Home />
          <Alerts />
        </ul>
        <p class="phone-text">{words.later}</p>
      </div>
      <footer>
        <Button tone="primary" size="block" onClick={() => browser.router.replace("#/queue")}>
          {words.openQueue}
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

function Step(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly text: ComponentChildren;
  readonly isDone: boolean;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { icon, title, text, isDone, children } = props;
  return (
    <li class={isDone ? "done" : ""}>
      <span class="step-icon">
        <Icon name={isDone ? "check" : icon} />
      </span>
      <div class="grow">
        <b>{title}</b>
        <small>{text}</small>
      </div>
      {children}
    </li>
  );
}

/** What a browser of Apple shows in place of the word Share. */
function Home(): JSX.Element {
  const { install } = useBrowser();
  const way = install.way.value;
  const text =
    way === "share" ? (
      <>
        {words.tapShare} <Icon name="share" class="share-sign" />{" "}
        <span class="visually-hidden">{words.share}</span> {words.homeWays.share}
      </>
    ) : (
      words.homeWays[way]
    );
  return (
    <Step icon="plus" title={words.home} text={text} isDone={way === "installed"}>
      {way === "dialog" && <Button onClick={() => void install.ask()}>{words.install}</Button>}
    </Step>
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
    isSecure: notifications.manager.isSecure,
    hasPush: notifications.manager.hasPush,
    needsHome,
    permission: notifications.permission.value,
  });
  const isBusy = notifications.isBusy.value;
  const problem = notifications.problem.value;
  const text = isOn ? words.alertsOn : (why ?? (problem || words.alertsText));
  return (
    <Step icon="bell" title={words.alerts} text={text} isDone={isOn}>
      {!isOn && (
        <Button disabled={why !== null || isBusy} onClick={() => void notifications.switchOn()}>
          {words.switchOn}
        </Button>
      )}
    </Step>
  );
}

function whyNot(facts: {
  readonly isSecure: boolean;
  readonly hasPush: boolean;
  readonly needsHome: boolean;
  readonly permission: NotificationPermission;
}): string | null {
  if (!facts.isSecure) return words.alertsHttps;
  if (facts.needsHome) return words.alertsHome;
  if (!facts.hasPush) return words.alertsNone;
  return facts.permission === "denied" ? words.alertsBlocked : null;
}
