import type { JSX } from "preact";
import { LOW_DATA_EVERY_MS, REST_EVERY_MS, type Connection } from "../../net/connection.ts";
import { useServer } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { connection as words } from "../../words/connection.ts";

/** The state of the connection as dot and word. */
export function ConnectionChip(): JSX.Element {
  const { connection, nothingRuns, outage } = useServer();
  const { phase } = connection.value;
  const isLive = phase === "live";
  const away =
    outage.value?.isReadOnly === false && isLive ? `${outage.value.provider} away` : null;
  const none = nothingRuns.value !== null && isLive ? `No ${nothingRuns.value}` : null;
  const look = away !== null ? "rest" : none !== null ? "none" : phase;
  return (
    <span class={`connection inline gap-6 fs-13 text-2 nowrap ${look}`} role="status">
      {phase === "offline" ? <Icon name="offline" class="small" /> : <i aria-hidden="true" />}
      <span class="truncate">{away ?? none ?? wordFor(connection.value)}</span>
    </span>
  );
}

function wordFor({ phase, lowData }: Connection): string {
  if (phase !== "rest") return words.phase[phase];
  return `Every ${(lowData ? LOW_DATA_EVERY_MS : REST_EVERY_MS) / 1000} s`;
}
