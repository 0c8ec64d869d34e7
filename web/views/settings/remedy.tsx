import type { ComponentChildren, JSX } from "preact";
import { browserName } from "../../model/browser-name.ts";
import type { StepName } from "../../model/notifications.ts";
import { useBrowser } from "../../state/client.ts";
import { STEPS } from "./device-card.tsx";
import { CopyLines } from "../parts/copy-lines.tsx";

/** What to do about the step that failed. */
export function Remedy(props: {
  readonly step: StepName;
  /** What the push service said. */
  readonly detail: string;
}): JSX.Element | null {
  switch (props.step) {
    case "https":
      return <Https />;
    case "home_screen":
      return (
        <Fix title="Add it to the home screen">
          <ol>
            <li>Tap Share.</li>
            <li>Choose “Add to Home Screen”.</li>
            <li>Open panewatch from there and come back to this page.</li>
          </ol>
        </Fix>
      );
    case "supported":
      return (
        <Fix title={STEPS.supported[1]}>Try another browser. A private window has none either.</Fix>
      );
    case "allowed":
      return <Blocked />;
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

function Fix(props: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="fix rule text-2 fs-13">
      <h3>{props.title}</h3>
      {props.children}
    </div>
  );
}

function Https(): JSX.Element {
  const { window } = useBrowser();
  const { origin } = window.location;
  return (
    <Fix title="Put HTTPS in front of it">
      This page came over plain HTTP, from {origin}. Browsers give notifications to encrypted pages
      only.
      <ol>
        <li>
          <div>
            On the server, run
            <CopyLines text="panewatch phone" label="Copy the lines" />
          </div>
        </li>
        <li>Scan the code that it shows, and come back to this page.</li>
      </ol>
      <p>
        Without HTTPS the ntfy app reaches this device too: name a topic as push.ntfy_url in the
        configuration file.
      </p>
    </Fix>
  );
}

function Blocked(): JSX.Element {
  const { window } = useBrowser();
  const { isPhone } = browserName(window.navigator.userAgent);
  return (
    <Fix title="Allow them again">
      {isPhone
        ? "Only the phone can do this: hold the app’s icon, then App info, Notifications. Come back here afterwards."
        : "Only the browser can do this: the mark before the address, then Notifications. Come back here afterwards."}
    </Fix>
  );
}
