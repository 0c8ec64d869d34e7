import type { JSX } from "preact";
import { REST_EVERY_MS } from "../../net/connection.ts";
import type { Tab } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Icon } from "../../ui/button.tsx";
import { optional } from "../more.tsx";
import { useWhenCalm } from "./derived.ts";
import { SheetButton } from "./links.tsx";
import { common } from "../../words/common.ts";

/** Title, connection, and the tools of every screen. */
export function TitleLine({ title }: { readonly title: Tab }): JSX.Element {
  const server = useServer();
  const { layout } = useBrowser();
  // On a phone these two stand above the list of all panes only.
  const hasAll = (title === "all" || layout.columns.value > 1) && server.may("type");
  return (
    <header class="screen-header flex rigid gap-4">
      <h1 class="rigid fs-28">{common.tabs[title]}</h1>
      <ConnectionChip />
      <SheetButton icon="search" label="Search or run" opens="palette" />
      {hasAll && <SheetButton icon="broadcast" label="Broadcast" opens="broadcast" />}
      {hasAll && server.config.has("mux_create_v1") && (
        <SheetButton icon="plus" label="New" opens="create" />
      )}
      <SheetButton icon="sliders" label="Settings" opens="settings" />
    </header>
  );
}

export function ScreenHeader({ title }: { readonly title: Tab }): JSX.Element {
  return (
    <>
      <TitleLine title={title} />
      <Banner />
    </>
  );
}

/** What is wrong with the connection; nothing while it works. */
export function Banner(): JSX.Element | null {
  const server = useServer();
  const phase = useWhenCalm(server.phase.value);
  const outage = useWhenCalm(server.outage.value);
  const isDown = phase === "offline" || phase === "killed";
  if (!isDown && outage === null && server.may("answer")) return null;
  // Where the banner cannot be loaded, the chip says the same in a word.
  return <optional.Trouble phase={phase} outage={outage} />;
}

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
