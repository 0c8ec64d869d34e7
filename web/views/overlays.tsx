import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useBrowser, useServer } from "../state/client.ts";
import { keyOf } from "../model/stored.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { common } from "../words/common.ts";
import { WaitingAlerts } from "./alerts.tsx";
import { Announcer } from "./announcer.tsx";
import { ShellNotices } from "./install/notices.tsx";
import { more } from "./more.tsx";
import { Boundary, Failed } from "./parts/boundary.tsx";
import { PANE_SHEETS, SHEETS } from "./sheets.tsx";

/** What lies over the columns: the open sheet, the toast, and the voice for screen readers. */
export function Overlays(): JSX.Element {
  const { config } = useServer();
  const { device, storage } = useBrowser();
  // One that registers only now has nothing to renew.
  const [wasRegistered] = useState(() => device.id.peek() !== null);
  const [hasUntold] = useState(() => storage.getItem(keyOf("first-messages")) !== null);
  return (
    <>
      <OpenSheet />
      <Toast />
      <Announcer />
      <WaitingAlerts />
      <ShellNotices />
      {wasRegistered && config.has("web_push_v1") && <more.PushRenewal />}
      {hasUntold && <more.FirstMessages />}
    </>
  );
}

function OpenSheet(): JSX.Element | null {
  const { panes } = useServer();
  const { router } = useBrowser();
  const sheet = router.sheet.value;
  const General = sheet === null ? undefined : SHEETS[sheet.name];
  const ForPane = sheet === null ? undefined : PANE_SHEETS[sheet.name];
  const pane = sheet === null || sheet.paneId === null ? null : panes.find(sheet.paneId);
  const isDrawn = General !== undefined || (ForPane !== undefined && pane !== null);
  const isOver = sheet !== null && !isDrawn && panes.isLoaded.value;
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
  const { router } = useBrowser();
  const instead = (retry: () => void) => (
    <Sheet title={common.notShown} closeLabel={common.close} onClose={() => router.close()}>
      <Failed onRetry={retry} />
    </Sheet>
  );
  return <Boundary instead={instead}>{children}</Boundary>;
}

/**
 * Covers the header, never an answer. The two regions stay and their text changes: one that comes with
 * its words is often not said.
 */
function Toast(): JSX.Element {
  const { messages } = useBrowser();
  const toast = messages.toast.value;
  // Said again with the same words it is another text node, or nobody would hear it.
  const text = toast !== null && <span key={toast.id}>{toast.text}</span>;
  return (
    <div class={toast === null ? "visually-hidden" : "toast"}>
      <span class="grow">
        <span aria-live="polite">{toast?.isAlert === false && text}</span>
        <span aria-live="assertive">{toast?.isAlert === true && text}</span>
      </span>
      {toast !== null && toast.action !== null && (
        <Button tone="plain" onClick={toast.action.run}>
          {toast.action.label}
        </Button>
      )}
      {toast !== null && (
        <IconButton icon="close" label={common.close} onClick={() => messages.dismiss()} />
      )}
    </div>
  );
}
