import type { JSX } from "preact";
import { byHost, isAway } from "../../model/hosts.ts";
import { useServer } from "../../state/client.ts";
import { Chips } from "../../ui/chips.tsx";
import { StatusIcon } from "../../ui/icons.tsx";
import { useDerived } from "../parts/derived.ts";

/** Narrows the list of all panes to those of one machine. */
export function HostChips(props: {
  readonly chosen: string | null;
  readonly onChoose: (name: string | null) => void;
}): JSX.Element | null {
  const { hosts, panes } = useServer();
  const all = useDerived(() => panes.all.value.length, []);
  const counts = useDerived(
    () =>
      byHost(panes.all.value, hosts.value).map(
        ({ host, panes: its }) => [host?.name ?? "", its.length] as const,
      ),
    [],
  );
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
          mark: isAway(host) ? <StatusIcon shape="stale" /> : undefined,
          count: countOf.get(host.name) ?? 0,
        }))}
    />
  );
}
