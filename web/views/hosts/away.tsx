import type { JSX } from "preact";
import { isAway, untilRetry, type Host } from "../../model/hosts.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { common, timeOfDay } from "../../words/common.ts";
import { useAct } from "../parts/act.ts";

/** A machine by its name, drawn again when anything of it changes. */
export function useHost(name: string): Host | null {
  return useServer().hosts.value.find((host) => host.name === name) ?? null;
}

/** When it is tried again, by the clock. */
export function useNextTry(host: Host): string {
  const { clock } = useBrowser();
  if (host.status === "connecting") return "Trying now.";
  return triesText(untilRetry(host, clock.now.value));
}

/** Asks for an attempt now; what became of it is in the list of machines. */
export function RetryHost({ host }: { readonly host: Host }): JSX.Element {
  const server = useServer();
  const { api } = server;
  const act = useAct();
  return (
    <Button
      size="small"
      aria-label={`${common.retry}: ${host.name}`}
      disabled={act.isBusy || host.status === "connecting" || !server.can("own")}
      onClick={() =>
        void act.run(() => api.call("POST /api/hosts/:name/retry", { path: { name: host.name } }))
      }
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
    <Notice tone="stale" title={`${name} is away since ${timeOfDay(host.since)}`}>
      <AwayText host={host} />
      <div class="host-acts gap-8 mt-8">
        <RetryHost host={host} />
        {host.retry_at === null && host.status === "away" && (
          <Button size="small" onClick={() => router.show("settings-hosts")}>
            Machines
          </Button>
        )}
      </div>
    </Notice>
  );
}

function AwayText({ host }: { readonly host: Host }): JSX.Element {
  const next = useNextTry(host);
  // Why, where a person has to do something about it.
  const why = host.retry_at === null ? `${REASONS[host.reason ?? "unknown"]} ` : "";
  return (
    <>
      {why}
      {next} Answers return with it.
    </>
  );
}

/** Behind the summary of the queue. */
export function HostsAway(): JSX.Element | null {
  const away = useServer().hosts.value.filter(isAway);
  const [first] = away;
  if (first === undefined) return null;
  return <> · {away.length === 1 ? `${first.name} is away` : `${away.length} machines are away`}</>;
}

export const inText = (seconds: number): string => {
  if (seconds < 1) return "now";
  return seconds < 60 ? `in ${Math.ceil(seconds)} s` : `in ${Math.ceil(seconds / 60)} min`;
};

export const triesText = (seconds: number | null) =>
  seconds === null ? "It is not tried again by itself." : `Tried again ${inText(seconds)}.`;

/** Why a machine is away. */
export const REASONS: Readonly<Record<NonNullable<Host["reason"]>, string>> = {
  unreachable: "It cannot be reached.",
  unknown_host_key: "Its host key is not known to this server.",
  changed_host_key: "Its host key is another one than before.",
  refused_key: "It does not take this server’s key.",
  no_tmux: "No tmux was found there.",
  old_tmux: "Its tmux is older than 3.2.",
  no_shell: "No shell answered there.",
  timeout: "It did not answer in time.",
  ended: "The connection ended.",
  unknown: "",
};
