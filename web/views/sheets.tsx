import type { ComponentChildren, ComponentType, JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Pane } from "../model/pane.ts";
import { useBrowser, useServer } from "../state/client.ts";
import { common } from "../words/common.ts";
import { more } from "./more.tsx";
import { Boundary, Failed } from "./parts/boundary.tsx";
import { Sheet } from "./parts/sheet.tsx";

/** Sheets by the name that `router.show` is called with. */
const SHEETS: Readonly<Record<string, ComponentType>> = {
  "agent-history": more.AgentSheet,
  "agent-menu": more.AgentSheet,
  "agent-pane": more.AgentSheet,
  broadcast: more.BroadcastSheet,
  create: more.CreateSheet,
  palette: more.Palette,
  shortcuts: more.ShortcutHelp,
  sort: more.SortSheet,
};

/** Sheets about one pane; they close when it is gone. */
const PANE_SHEETS: Readonly<Record<string, ComponentType<{ readonly pane: Pane }>>> = {
  "close-pane": more.ClosePaneSheet,
  "discard-remarks": more.DiscardRemarks,
  explain: more.ExplainSheet,
  mute: more.MuteSheet,
  "pane-details": more.PaneDetails,
  "pane-menu": more.PaneMenu,
  rename: more.RenameSheet,
  "send-remarks": more.SendRemarks,
};

/** The open sheet, over the columns. */
export function OpenSheet(): JSX.Element | null {
  const { panes } = useServer();
  const { router } = useBrowser();
  const { name = "", paneId = null } = router.sheet.value ?? {};
  // One for all its pages: Back from one of the settings returns to the sheet that is there.
  const General = name.startsWith("settings") ? more.SettingsSheet : SHEETS[name];
  const ForPane = PANE_SHEETS[name];
  const pane = paneId === null ? null : panes.find(paneId);
  const isDrawn = General !== undefined || (ForPane !== undefined && pane !== null);
  const isOver = name !== "" && !isDrawn && panes.isLoaded.value;
  useEffect(() => {
    // Its pane is gone: the page below it must not stay out of reach.
    if (isOver) router.close();
  }, [isOver]);
  if (General !== undefined)
    return (
      <SheetBoundary key={General}>
        <General />
      </SheetBoundary>
    );
  if (ForPane === undefined || pane === null) return null;
  return (
    <SheetBoundary key={ForPane}>
      <ForPane pane={pane} />
    </SheetBoundary>
  );
}

/** A sheet that fails still closes, and gives back the page below it. */
function SheetBoundary({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const instead = (retry: () => void) => (
    <Sheet title={common.notShown}>
      <Failed onRetry={retry} />
    </Sheet>
  );
  return <Boundary instead={instead}>{children}</Boundary>;
}
