import type { JSX } from "preact";
import { LOW_DATA_EVERY_MS, REST_EVERY_MS, type Connection } from "../../net/connection.ts";
import { useServer } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { connection as words } from "../../words/connection.ts";

/** The state of the connection as dot and word. */
export function ConnectionChip(): JSX.Element {
  const { connection, outage } = useServer();
  const { phase } = connection.value;
  const away =
    outage.value?.isReadOnly === false && phase === "live" ? outage.value.provider : null;
  return (
    <span class={`connection ${away === null ? phase : "rest"}`} role="status">
      {phase === "offline" ? <Icon name="offline" class="small" /> : <i aria-hidden="true" />}
      <span class="truncate">{away === null ? wordFor(connection.value) : words.away(away)}</span>
    </span>
  );
}

function wordFor({ phase, lowData }: Connection): string {
  if (phase !== "rest") return words.phase[phase];
  return words.everySeconds((lowData ? LOW_DATA_EVERY_MS : REST_EVERY_MS) / 1000);
}
