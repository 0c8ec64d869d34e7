import type { ComponentChildren, JSX } from "preact";
import type { outageOf } from "../../model/config.ts";
import type { Phase } from "../../net/connection.ts";
import { useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { TerminalText } from "../parts/text.tsx";

export function Trouble(props: {
  readonly phase: Phase;
  readonly outage: ReturnType<typeof outageOf>;
}): JSX.Element {
  const { phase, outage } = props;
  if (phase === "offline") return <OfflineBanner />;
  if (phase === "killed")
    return (
      <Strip title="Disconnected from another browser" again="Reconnect" isAlert>
        Someone ended this browser's connection. Nothing is lost.
      </Strip>
    );
  if (outage !== null) {
    const { provider, isReadOnly, lastSuccessAt, message } = outage;
    const isKnown = !isReadOnly && lastSuccessAt !== 0;
    const title = isReadOnly
      ? `${provider} is shown, answers are off`
      : `${provider} cannot be read`;
    return (
      <Strip title={title} isAlert>
        {isKnown && `Showing what was known at ${timeOfDay(lastSuccessAt)}. `}
        {message !== "" && <TerminalText text={message} />}
      </Strip>
    );
  }
  // Shown as long as the page is open, since the reader can act on nothing.
  return (
    <Strip title="You can look, not act" isGuest>
      This browser signed in with a token for reading.
    </Strip>
  );
}

function OfflineBanner(): JSX.Element {
  const { browser, server } = useClient();
  const now = browser.clock.now.value;
  const { lastDataAt, socketAt, pollAt } = server.connection.value;
  const nowMs = performance.now();
  const next = Math.min(socketAt, pollAt ?? socketAt);
  const seconds = Math.max(0, Math.ceil((next - nowMs) / 1000));
  const known = lastDataAt === null ? null : timeOfDay(now - (nowMs - lastDataAt) / 1000);
  return (
    <Strip title="No connection to the server" again={common.retry}>
      {known !== null && `Showing what was known at ${known}. `}
      {seconds === 0 ? "Trying again now." : `Next try in ${seconds} s.`}
    </Strip>
  );
}

/** Without `isAlert` screen readers say the title alone, and not each second of the countdown. */
function Strip(props: {
  readonly title: string;
  /** The label of the button that connects again. */
  readonly again?: string;
  readonly isAlert?: boolean;
  readonly isGuest?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, again, isAlert = false, isGuest = false, children } = props;
  const { server } = useClient();
  const Place = isAlert ? "div" : "section";
  return (
    <Place
      class={`banner flex wrap rigid fs-13 round-4 ${isGuest ? "" : "stale"}`}
      role={isAlert ? "alert" : undefined}
      aria-label={isAlert ? undefined : title}
    >
      <Icon name={isGuest ? "eye" : "offline"} />
      <div class="grow numbers">
        <b role={isAlert || isGuest ? undefined : "status"}>{title}</b>
        {children}
      </div>
      {again !== undefined && (
        <Button size="small" onClick={() => server.link.start()}>
          {again}
        </Button>
      )}
    </Place>
  );
}
