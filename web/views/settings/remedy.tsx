import type { ComponentChildren, JSX } from "preact";
import { browserName } from "../../model/browser-name.ts";
import type { StepName } from "../../model/notifications.ts";
import { useBrowser } from "../../state/client.ts";
import { notifications as words } from "../../words/notifications.ts";
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
        <Fix title={words.homeTitle}>
          <ol>
            <li>{words.homeShare}</li>
            <li>{words.homeAdd}</li>
            <li>{words.homeOpen}</li>
          </ol>
        </Fix>
      );
    case "supported":
      return <Fix title={words.steps.supported[1] ?? ""}>{words.unsupportedText}</Fix>;
    case "allowed":
      return <Blocked />;
    case "server":
      return (
        <Fix title={words.contactTitle}>
          {words.contactText} {words.serverSaid(props.detail)}
          <CopyLines text={words.contactLines} label={words.copy} />
        </Fix>
      );
    case "subscribed":
      return null;
  }
}

function Fix(props: { readonly title: string; readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="fix">
      <h3>{props.title}</h3>
      {props.children}
    </div>
  );
}

function Https(): JSX.Element {
  const { window } = useBrowser();
  const { origin } = window.location;
  return (
    <Fix title={words.httpsTitle}>
      {words.httpsWhy(origin)}
      <ol>
        <li>
          <div>
            {words.httpsServe}
            <CopyLines text={words.httpsCommand} label={words.copy} />
          </div>
        </li>
        <li>{words.httpsOpen}</li>
      </ol>
      <p>{words.httpsElse}</p>
    </Fix>
  );
}

function Blocked(): JSX.Element {
  const { window } = useBrowser();
  const { isPhone } = browserName(window.navigator.userAgent);
  return <Fix title={words.blockedTitle}>{isPhone ? words.blockedPhone : words.blockedDesk}</Fix>;
}
