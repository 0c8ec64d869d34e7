import type { JSX } from "preact";
import { useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { useWhenCalm } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { connection as words } from "../../words/connection.ts";

/** What is wrong with the connection and what the reader can do. */
export function Banner(): JSX.Element | null {
  const client = useClient();
  const phase = useWhenCalm(client.server.phase.value);
  if (phase === "offline") return <OfflineBanner />;
  if (phase !== "killed") return <OutageBanner />;
  return (
    <div class="banner flex wrap rigid fs-13 round-4 stale" role="alert">
      <Icon name="offline" />
      <div class="grow">
        <b>Disconnected from another browser</b>
        Someone ended this browser's connection. Nothing is lost.
      </div>
      <Button size="small" onClick={() => client.server.connect()}>
        Reconnect
      </Button>
    </div>
  );
}

function OutageBanner(): JSX.Element | null {
  const { server } = useClient();
  const outage = useWhenCalm(server.outage.value);
  if (outage === null) return !server.may("answer") ? <GuestBanner /> : null;
  const { provider, isReadOnly, lastSuccessAt, message } = outage;
  const known =
    isReadOnly || lastSuccessAt === 0
      ? ""
      : `Showing what was known at ${timeOfDay(lastSuccessAt)}. `;
  return (
    <div class="banner flex wrap rigid fs-13 round-4 stale" role="alert">
      <Icon name="offline" />
      <div class="grow">
        <b>{isReadOnly ? `${provider} is shown, answers are off` : `${provider} cannot be read`}</b>
        <span class="numbers">{known}</span>
        {message !== "" && <TerminalText text={message} />}
      </div>
    </div>
  );
}

/** Said as long as the page is open: nothing that is shown can be acted on. */
const GuestBanner = (): JSX.Element => (
  <section class="banner flex wrap rigid fs-13 round-4" aria-label="You can look, not act">
    <Icon name="eye" />
    <div class="grow">
      <b>You can look, not act</b>
      This browser signed in with a token for reading.
    </div>
  </section>
);

function OfflineBanner(): JSX.Element {
  const client = useClient();
  const now = client.browser.clock.now.value;
  const { lastDataAt, socketAt, pollAt } = client.server.connection.value;
  const nowMs = client.browser.clock.monotonicMs();
  const next = Math.min(socketAt, pollAt ?? socketAt);
  const seconds = Math.max(0, Math.ceil((next - nowMs) / 1000));
  const known = lastDataAt === null ? null : timeOfDay(now - (nowMs - lastDataAt) / 1000);
  return (
    <section class="banner flex wrap rigid fs-13 round-4 stale" aria-label={words.offlineTitle}>
      <Icon name="offline" />
      <div class="grow numbers">
        {/* The seconds below are not said one by one. */}
        <b role="status">{words.offlineTitle}</b>
        {known === null ? words.offlineNothing(seconds) : words.offlineKnown(known, seconds)}
      </div>
      <Button size="small" onClick={() => client.server.connect()}>
        {common.retry}
      </Button>
    </section>
  );
}
