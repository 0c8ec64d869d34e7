import type { JSX } from "preact";
import { useBrowser, useServer } from "../state/client.ts";
import { Icon } from "../ui/icons.tsx";
import { common } from "../words/common.ts";
import { Banner } from "./connection/banner.tsx";
import { ConnectionChip } from "./connection/chip.tsx";
import { Places } from "./frame.tsx";
import { KeyCaps, SEARCH_KEYS } from "./parts/key-caps.tsx";
import { TitleLine } from "./parts/screen-header.tsx";
import { SheetButton } from "./parts/links.tsx";

/** Head of the list in two columns. */
export function MasterHeader(): JSX.Element {
  const { router } = useBrowser();
  return (
    <>
      <TitleLine title={router.tab.value} hasAll />
      <Places isDock={false} />
      <Banner />
    </>
  );
}

/** Head and foot of the list in three columns: the palette above, the connection below. */
export function NavigatorHeader(): JSX.Element {
  const server = useServer();
  const { router } = useBrowser();
  return (
    <>
      <h1 class="visually-hidden">{common.tabs[router.tab.value]}</h1>
      <div class="navigator-top flex rigid gap-8">
        <button type="button" class="field grow" onClick={() => router.show("palette")}>
          <Icon name="search" class="small" />
          <span class="grow">Search or run</span>
          <KeyCaps keys={SEARCH_KEYS} />
        </button>
        {server.config.has("mux_create_v1") && server.may("type") && (
          <SheetButton icon="plus" label="New" opens="create" />
        )}
      </div>
      <Places isDock={false} />
      <Banner />
    </>
  );
}

export function NavigatorFooter(): JSX.Element {
  const server = useServer();
  return (
    <footer class="navigator-foot flex rigid gap-4 fs-12 text-2 rule">
      <ConnectionChip />
      <span class="grow" />
      {server.may("type") && <SheetButton icon="broadcast" label="Broadcast" opens="broadcast" />}
      <SheetButton icon="keyboard" label="Shortcuts" opens="shortcuts" />
      <SheetButton icon="sliders" label="Settings" opens="settings" />
    </footer>
  );
}
