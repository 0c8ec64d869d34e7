import type { JSX } from "preact";
import type { Tab } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { common } from "../../words/common.ts";
import { Banner, ConnectionChip } from "../connection/connection.tsx";
import { SheetButton } from "./links.tsx";

/** Title, connection, and what can be done from anywhere. */
export function TitleLine({ title }: { readonly title: Tab }): JSX.Element {
  const server = useServer();
  const { layout } = useBrowser();
  // On a phone what is done to all panes stands above all of them.
  const hasAll = (title === "all" || layout.columns.value > 1) && server.may("type");
  return (
    <header class="screen-header flex rigid gap-4">
      <h1 class="grow truncate fs-28">{common.tabs[title]}</h1>
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

/** What a screen of a phone begins with. */
export function ScreenHeader({ title }: { readonly title: Tab }): JSX.Element {
  return (
    <>
      <TitleLine title={title} />
      <Banner />
    </>
  );
}
