import type { ComponentChildren, JSX } from "preact";
import { browserName } from "../../model/browser-name.ts";
import type { StepName } from "../../model/notifications.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { notifications as words } from "../../words/notifications.ts";
import { copyText } from "../parts/copy.ts";

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
          <Lines text={words.contactLines} />
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
  const { origin, port } = window.location;
  return (
    <Fix title={words.httpsTitle}>
      {words.httpsWhy(origin)}
      <ol>
        <li>
          <div>
            {words.httpsServe}
            <Lines text={words.httpsCommand(port === "" ? "8787" : port)} />
          </div>
        </li>
        <li>
          <div>
            {words.httpsConfig}
            <Lines text={words.httpsConfigLines} />
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

/** Lines to be taken elsewhere; a page over plain HTTP has no clipboard, so they are selected. */
function Lines({ text }: { readonly text: string }): JSX.Element {
  const client = useClient();
  return (
    <div class="copy-lines">
      <code>{text}</code>
      {client.browser.push.isSecure && (
        <IconButton icon="copy" label={words.copy} onClick={() => copyText(client, text)} />
      )}
    </div>
  );
}
