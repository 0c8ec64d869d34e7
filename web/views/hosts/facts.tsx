import type { JSX } from "preact";
import { isAway, untilRetry, type Host } from "../../model/hosts.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/section.tsx";
import { timeOfDay } from "../../words/common.ts";
import { inText, REASONS, useHost } from "./away.tsx";

/** The machine of the open pane, in the third column. */
export function HostFacts({ name }: { readonly name: string }): JSX.Element | null {
  const { clock, router } = useBrowser();
  const host = useHost(name);
  if (host === null) return null;
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
      <dl class="facts">
        {factsOf(host, isAway(host) ? clock.now.value : 0).map(
          ([fact, value]) =>
            value !== "" && (
              <div key={fact}>
                <dt>{fact}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Section>
  );
}

function factsOf(host: Host, now: number): readonly (readonly [string, string])[] {
  const { ssh, version, round_trip_ms: trip, read_at, reason, panes } = host;
  const reached = ["Reached by", `ssh ${ssh ?? ""}`] as const;
  if (!isAway(host))
    return [
      reached,
      ["tmux", version ?? ""],
      ["Round trip", trip === null ? "" : `${Math.round(trip)} ms`],
    ];
  return [
    reached,
    ["Last read", read_at === 0 ? "" : timeOfDay(read_at)],
    ["Why not", REASONS[reason ?? "unknown"]],
    ["Next try", host.status === "connecting" ? "Trying now." : nextTryText(untilRetry(host, now))],
    ["Panes", `${panes}, kept as they were`],
  ];
}

const nextTryText = (seconds: number | null) =>
  seconds === null ? "when you ask" : inText(seconds);
