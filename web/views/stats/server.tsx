import type { JSX } from "preact";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Stats } from "../../state/server/stats.ts";
import { StatusIcon, type StatusShape } from "../../ui/icons.tsx";
import { stats as words } from "../../words/stats.ts";
import { Panel } from "./panel.tsx";
import { Tag } from "../../ui/tag.tsx";

type Health = keyof typeof words.health;

const TONES: Readonly<
  Record<Health, { readonly tone: "ok" | "needs" | "error"; readonly shape: StatusShape }>
> = {
  ready: { tone: "ok", shape: "ok" },
  degraded: { tone: "needs", shape: "needs_input" },
  unavailable: { tone: "error", shape: "error" },
};

/** How the server fares, and how far away it is. */
export function Server(): JSX.Element {
  const { config, panes } = useServer();
  const stats = usePart(Stats);
  const { clock } = useBrowser();
  const server = config.current.value;
  const info = server?._info;
  const provider = info?.capabilities?.terminal_provider_v1;
  const health = provider?.health;
  // Drawn again each second: the age of the snapshot is no signal.
  void clock.now.value;
  const age = panes.isLoaded.value ? panes.ageMs() / 1000 : null;
  const trip = stats.sessions.tookMs.value;
  const label =
    provider === undefined ? null : (info?.labels?.[provider.provider] ?? provider.provider);
  const rows: readonly (readonly [string, string | null])[] = [
    [words.provider, [label, health?.version].filter(Boolean).join(" ") || null],
    [words.version, info === undefined ? null : versionText(info, config.handshake.value)],
    [words.lastSnapshot, age === null ? null : words.secondsAgo(age)],
    [words.pollInterval, server === null ? null : words.seconds(server.poll_interval)],
    [words.roundTrip, trip === null ? null : words.milliseconds(trip)],
    [
      words.push,
      info?.push === undefined ? null : words.pushState(info.push.configured, info.push.devices),
    ],
  ];
  return (
    <Panel title={words.server} end={<HealthTag status={health?.status} />}>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="numbers">{value ?? words.unknown}</dd>
          </div>
        ))}
        {typeof health?.last_error === "string" && (
          <div>
            <dt>{words.lastError}</dt>
            <dd>{health.last_error}</dd>
          </div>
        )}
      </dl>
    </Panel>
  );
}

function versionText(info: { readonly version?: string }, handshake: string | null): string {
  return words.versionValue(info.version ?? "", handshake === "verified");
}

function HealthTag({ status }: { readonly status: string | undefined }): JSX.Element | null {
  if (status === undefined) return null;
  const known = status in TONES ? (status as Health) : null;
  if (known === null) return <Tag>{status}</Tag>;
  const { tone, shape } = TONES[known];
  return (
    <Tag tone={tone}>
      <StatusIcon shape={shape} />
      {words.health[known]}
    </Tag>
  );
}
