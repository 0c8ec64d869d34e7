// The machines of panes, drawn only where there are several.
import type { JSX } from "preact";
import { groupByHost, hostOf, isAway, type Host } from "../../model/filter.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, Icon, StatusIcon } from "../../ui/button.tsx";
import { Chips } from "../../ui/item.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Section } from "../../ui/list.tsx";
import { common, count } from "../../words/common.ts";
import { FactList } from "../parts/facts.tsx";
import { faultOf, useAct } from "../parts/query-status.tsx";
import { useDerived, useToday } from "../parts/derived.ts";
import { momentText } from "../../words/times.ts";

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

/** When a machine that is away is tried again. */
export function nextTry({ status, retry_at: at }: Host, now: number): string {
  if (status === "connecting") return "now";
  if (at === null) return "when you ask";
  const seconds = at - now;
  if (seconds < 1) return "now";
  return seconds < 60 ? `in ${Math.ceil(seconds)} s` : `in ${Math.ceil(seconds / 60)} min`;
}

/** The reader is redrawn when anything of the machine changes. */
const useHost = (name: string): Host | null =>
  useServer().hosts.value.find((host) => host.name === name) ?? null;

/** The same, counting down; empty for a machine that is there. */
export function useNextTry(host: Host | null): string {
  const { clock } = useBrowser();
  // Only a machine that is away subscribes to the clock.
  return host !== null && isAway(host) ? nextTry(host, clock.now.value) : "";
}

export function HostChip({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const host = hostOf(pane, useServer().hosts.value);
  if (host === null) return null;
  return (
    <span
      class={`host-chip inline rigid gap-4 text-2 fill-2 fs-12 regular ${isAway(host) ? "stale" : ""}`}
    >
      <Icon name="machine" />
      {host.name}
    </span>
  );
}

/** Tries to connect now; the list of machines shows the result. */
export function RetryHost({ host }: { readonly host: Host }): JSX.Element {
  const server = useServer();
  const { messages } = useBrowser();
  const act = useAct();
  const path = { name: host.name };
  const retry = async () => {
    const result = await act.run(() => server.api.call("POST /api/hosts/:name/retry", { path }));
    if (result?.ok === false) messages.alert(faultOf("Not tried", result.failure));
  };
  return (
    <Button
      size="small"
      aria-label={`${common.retry}: ${host.name}`}
      disabled={act.isBusy || host.status === "connecting" || !server.can("own")}
      onClick={() => void retry()}
    >
      {common.retry}
    </Button>
  );
}

export function HostAway({ name }: { readonly name: string }): JSX.Element | null {
  const { router } = useBrowser();
  const host = useHost(name);
  const next = useNextTry(host);
  const today = useToday();
  if (host === null || !isAway(host)) return null;
  const isStuck = host.retry_at === null;
  return (
    <Notice tone="stale" title={`${name} is away since ${momentText(host.since, today)}`}>
      {/* The reason is said where a person has to act. */}
      {isStuck && `${REASONS[host.reason ?? "unknown"]} `}
      Next try {next}. Answers return with it.
      <div class="host-acts flex gap-8 mt-8">
        <RetryHost host={host} />
        {isStuck && host.status === "away" && (
          <Button size="small" onClick={() => router.show("settings-hosts")}>
            Machines
          </Button>
        )}
      </div>
    </Notice>
  );
}

/** The end of the summary of the queue. */
export function HostsAway(): JSX.Element | null {
  const away = useServer().hosts.value.filter(isAway);
  const [first] = away;
  if (first === undefined) return null;
  return <> · {away.length === 1 ? `${first.name} is away` : `${away.length} machines are away`}</>;
}

export function HostChips(props: {
  readonly chosen: string | null;
  readonly onChoose: (name: string | null) => void;
}): JSX.Element | null {
  const { hosts, panes } = useServer();
  const counts = useDerived(() => {
    const counted = groupByHost(panes.all.value, hosts.value);
    return counted.map(({ host, panes: its }) => [host?.name ?? "", its.length] as const);
  }, []);
  const all = useDerived(() => panes.all.value.length, []);
  if (hosts.value.length === 0) return null;
  const countOf = new Map(counts);
  return (
    <Chips
      {...props}
      label="Filter by machine"
      all={{ label: "All machines", count: all }}
      chips={hosts.value
        .filter(({ status }) => status !== "off")
        .map((host) => ({
          value: host.name,
          label: host.name,
          mark: isAway(host) && <StatusIcon shape="stale" />,
          count: countOf.get(host.name) ?? 0,
        }))}
    />
  );
}

export function HostHeading(props: { readonly host: Host; readonly panes: number }): JSX.Element {
  const { host, panes } = props;
  const hasLeft = isAway(host);
  const next = useNextTry(host);
  const today = useToday();
  return (
    <>
      <h2 class="host-heading flex gap-10 fs-17 bold">
        <Icon name="machine" class="text-2" />
        <span class="grow truncate">{host.name}</span>
        {hasLeft ? (
          <span class="wait stale">
            <StatusIcon shape="stale" />
            away since {momentText(host.since, today)}
          </span>
        ) : (
          <span class="rigid fs-13 regular numbers text-3">{count(panes, "pane", "panes")}</span>
        )}
      </h2>
      {hasLeft && (
        <div class="host-note stale flex gap-10 fs-13 round-2">
          <Icon name="offline" class="small" />
          <span class="grow">Last known screens. Next try {next}.</span>
          <RetryHost host={host} />
        </div>
      )}
    </>
  );
}

export function HostFacts({ name }: { readonly name: string }): JSX.Element | null {
  const { router } = useBrowser();
  const host = useHost(name);
  const next = useNextTry(host);
  const today = useToday();
  if (host === null) return null;
  const { ssh, version, round_trip_ms: trip, read_at, reason, panes } = host;
  const facts: readonly (readonly [string, string])[] = isAway(host)
    ? [
        ["Last read", read_at === 0 ? "" : momentText(read_at, today)],
        ["Why not", REASONS[reason ?? "unknown"]],
        ["Next try", next],
        ["Panes", `${panes}, kept as they were`],
      ]
    : [
        ["tmux", version ?? ""],
        ["Round trip", trip === null ? "" : `${Math.round(trip)} ms`],
      ];
  return (
    <Section
      kind="panel"
      title={name}
      end={
        <Button tone="plain" size="small" onClick={() => router.show("settings-hosts")}>
          Machines
        </Button>
      }
    >
      <FactList facts={[["Reached by", `ssh ${ssh ?? ""}`], ...facts]} />
    </Section>
  );
}
