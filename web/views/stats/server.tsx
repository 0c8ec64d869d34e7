import type { JSX } from "preact";
import { useBrowser, useServer } from "../../state/client.ts";
import { StatusIcon, type StatusShape } from "../../ui/icons.tsx";
import { count } from "../../words/common.ts";
import { FactList } from "../parts/fact-list.tsx";
import { Panel } from "./panel.tsx";
import { Tag } from "../../ui/tag.tsx";

const TONES = {
  ready: { tone: "ok", shape: "ok" },
  degraded: { tone: "needs", shape: "needs_input" },
  unavailable: { tone: "error", shape: "error" },
} as const satisfies Record<string, { tone: string; shape: StatusShape }>;

/** How the server fares, and how far away it is. */
export function Server(): JSX.Element {
  const { config, panes, query } = useServer();
  const { clock } = useBrowser();
  const server = config.current.value;
  const info = server?._info;
  const provider = info?.capabilities?.terminal_provider_v1;
  const health = provider?.health;
  // Drawn again each second: the age of the snapshot is no signal.
  void clock.now.value;
  const age = panes.isLoaded.value ? panes.ageMs() / 1000 : null;
  const trip = query("GET /api/sessions").tookMs.value;
  const label =
    provider === undefined ? null : (info?.labels?.[provider.provider] ?? provider.provider);
  const rows: readonly (readonly [string, string | null])[] = [
    ["Provider", [label, health?.version].filter(Boolean).join(" ") || null],
    ["Version", info === undefined ? null : info.version || "unknown"],
    ["Last snapshot", age === null ? null : `${age.toFixed(1)} s ago`],
    ["Poll interval", server === null ? null : `${server.poll_interval} s`],
    ["Round trip", trip === null ? null : `${Math.round(trip)} ms`],
    [
      "Push",
      info?.push === undefined
        ? null
        : info.push.configured
          ? count(info.push.devices, "device", "devices")
          : "not configured",
    ],
    ["Last error", typeof health?.last_error === "string" ? health.last_error : ""],
  ];
  return (
    <Panel title="Server" end={<HealthTag status={health?.status} />}>
      <FactList facts={rows.map(([name, value]) => [name, value ?? "–"])} />
    </Panel>
  );
}

function HealthTag({ status }: { readonly status: string | undefined }): JSX.Element | null {
  if (status === undefined) return null;
  const known = status in TONES ? (status as keyof typeof TONES) : null;
  if (known === null) return <Tag>{status}</Tag>;
  const { tone, shape } = TONES[known];
  return (
    <Tag tone={tone}>
      <StatusIcon shape={shape} />
      {known}
    </Tag>
  );
}
