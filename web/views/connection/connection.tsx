import type { JSX } from "preact";
import { REST_EVERY_MS } from "../../net/connection.ts";
import { useServer } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { more } from "../more.tsx";
import { Boundary } from "../parts/boundary.tsx";
import { useWhenCalm } from "../parts/derived.ts";

/** What is wrong with the connection, for as long as something is. */
export function Banner(): JSX.Element | null {
  const server = useServer();
  const phase = useWhenCalm(server.phase.value);
  const outage = useWhenCalm(server.outage.value);
  const isDown = phase === "offline" || phase === "killed";
  if (!isDown && outage === null && server.may("answer")) return null;
  // Where it cannot be loaded the chip says the same in a word.
  return (
    <Boundary>
      <more.Trouble phase={phase} outage={outage} />
    </Boundary>
  );
}

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
      <span class="truncate">{away ?? none ?? PHASES[phase]}</span>
    </span>
  );
}

const PHASES = {
  connecting: "Connecting",
  live: "Live",
  rest: `Every ${REST_EVERY_MS / 1000} s`,
  offline: "Offline",
  unauthorized: "Signed out",
  incompatible: "Incompatible",
  killed: "Disconnected",
};
