import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isAway, untilRetry, type Host } from "../../model/hosts.ts";
import { HostsApi } from "../../net/hosts-api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";
import { hosts as words } from "../../words/hosts.ts";

/** A machine by its name, drawn again when anything of it changes. */
export function useHost(name: string): Host | null {
  return useServer().hosts.value.find((host) => host.name === name) ?? null;
}

/** When it is tried again, by the clock. */
export function useNextTry(host: Host): string {
  const { clock } = useBrowser();
  if (host.status === "connecting") return words.trying;
  return words.tries(untilRetry(host, clock.now.value));
}

/** Asks for an attempt now; what became of it is in the list of machines. */
export function RetryHost({ host }: { readonly host: Host }): JSX.Element {
  const server = useServer();
  const { api } = server;
  const [isAsking, setAsking] = useState(false);
  const retry = async () => {
    setAsking(true);
    await new HostsApi(api).retry(host.name);
    setAsking(false);
  };
  return (
    <Button
      size="small"
      aria-label={`${common.retry}: ${host.name}`}
      disabled={isAsking || host.status === "connecting" || !server.can("own")}
      onClick={() => void retry()}
    >
      {common.retry}
    </Button>
  );
}

/** Why a pane of another machine takes nothing now, since when, and what is tried next. */
export function HostAway({ name }: { readonly name: string }): JSX.Element | null {
  const { router } = useBrowser();
  const host = useHost(name);
  if (host === null || !isAway(host)) return null;
  return (
    <Notice tone="stale" title={words.isAwaySince(name, host.since)}>
      <AwayText host={host} />
      <div class="host-acts">
        <RetryHost host={host} />
        {host.retry_at === null && host.status === "away" && (
          <Button size="small" onClick={() => router.show("settings-hosts")}>
            {words.open}
          </Button>
        )}
      </div>
    </Notice>
  );
}

function AwayText({ host }: { readonly host: Host }): JSX.Element {
  const next = useNextTry(host);
  // Why, where a person has to do something about it.
  const why = host.retry_at === null ? `${words.reasons[host.reason ?? "unknown"]} ` : "";
  return (
    <>
      {why}
      {next} {words.answersReturn}
    </>
  );
}

/** Behind the summary of the queue. */
export function HostsAway(): JSX.Element | null {
  const away = useServer().hosts.value.filter(isAway);
  const [first] = away;
  if (first === undefined) return null;
  return <> · {away.length === 1 ? words.isAway(first.name) : words.areAway(away.length)}</>;
}
