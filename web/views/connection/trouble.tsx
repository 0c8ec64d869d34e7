import type { JSX } from "preact";
import type { outageOf } from "../../model/config.ts";
import type { Phase } from "../../net/connection.ts";
import { useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { TerminalText } from "../parts/text.tsx";

/** What is wrong with the connection and what the reader can do. */
export function Trouble(props: {
  readonly phase: Phase;
  readonly outage: ReturnType<typeof outageOf>;
}): JSX.Element {
  const { phase, outage } = props;
  if (phase === "offline") return <Offline />;
  const look = { icon: "offline", tone: "stale", isAlert: true, isBoxed: true } as const;
  if (phase === "killed")
    return (
      <Notice
        {...look}
        title="Disconnected from another browser"
        actions={<Connect label="Reconnect" />}
      >
        Someone ended this browser's connection. Nothing is lost.
      </Notice>
    );
  if (outage !== null) {
    const { provider, isReadOnly, lastSuccessAt, message } = outage;
    const isKnown = !isReadOnly && lastSuccessAt !== 0;
    const title = isReadOnly
      ? `${provider} is shown, answers are off`
      : `${provider} cannot be read`;
    return (
      <Notice {...look} title={title}>
        {isKnown && `Showing what was known at ${timeOfDay(lastSuccessAt)}. `}
        {message !== "" && <TerminalText text={message} />}
      </Notice>
    );
  }
  // Said as long as the page is open: nothing that is shown can be acted on.
  return (
    <Notice icon="eye" tone="neutral" title="You can look, not act" isBoxed>
      This browser signed in with a token for reading.
    </Notice>
  );
}

function Offline(): JSX.Element {
  const { browser, server } = useClient();
  const now = browser.clock.now.value;
  const { lastDataAt, socketAt, pollAt } = server.connection.value;
  const nowMs = browser.clock.monotonicMs();
  const next = Math.min(socketAt, pollAt ?? socketAt);
  const seconds = Math.max(0, Math.ceil((next - nowMs) / 1000));
  const known = lastDataAt === null ? null : timeOfDay(now - (nowMs - lastDataAt) / 1000);
  return (
    <Notice
      icon="offline"
      tone="stale"
      isBoxed
      // The title alone is said: its seconds are not said one by one.
      title={<span role="status">No connection to the server</span>}
      actions={<Connect label={common.retry} />}
    >
      <span class="numbers">
        {known !== null && `Showing what was known at ${known}. `}
        {seconds === 0 ? "Trying again now." : `Next try in ${seconds} s.`}
      </span>
    </Notice>
  );
}

function Connect({ label }: { readonly label: string }): JSX.Element {
  const { server } = useClient();
  return (
    <Button size="small" onClick={() => server.link.start()}>
      {label}
    </Button>
  );
}
