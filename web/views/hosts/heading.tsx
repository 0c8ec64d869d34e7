import type { JSX } from "preact";
import { isAway, type Host } from "../../model/hosts.ts";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { RetryHost, useNextTry } from "./away.tsx";

/** Above what runs on one machine; of one that is away also when it is tried again. */
export function HostHeading(props: { readonly host: Host; readonly count: number }): JSX.Element {
  const { host, count } = props;
  const hasLeft = isAway(host);
  return (
    <>
      <h2 class="host-heading flex gap-10 fs-17 bold">
        <Icon name="machine" />
        <span class="grow truncate">{host.name}</span>
        {hasLeft ? (
          <span class="wait stale">
            <StatusIcon shape="stale" />
            away since {timeOfDay(host.since)}
          </span>
        ) : (
          <span class="section-count numbers">
            {count} {count === 1 ? "pane" : "panes"}
          </span>
        )}
      </h2>
      {hasLeft && <AwayLine host={host} />}
    </>
  );
}

function AwayLine({ host }: { readonly host: Host }): JSX.Element {
  const next = useNextTry(host);
  return (
    <div class="host-note flex gap-10 round-2 fs-13">
      <Icon name="offline" class="small" />
      <span class="grow">Last known screens. {next}</span>
      <RetryHost host={host} />
    </div>
  );
}
