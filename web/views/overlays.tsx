import type { JSX } from "preact";
import { useClient } from "../state/client.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { common } from "../words/common.ts";
import { WaitingAlerts } from "./alerts.tsx";
import { Announcer } from "./announcer.tsx";
import { ShellNotices } from "./install/notices.tsx";
import { PANE_SHEETS, SHEETS } from "./sheets.tsx";

/** What lies over the columns: the open sheet, the toast, and the voice for screen readers. */
export function Overlays(): JSX.Element {
  return (
    <>
      <OpenSheet />
      <Toast />
      <Announcer />
      <WaitingAlerts />
      <ShellNotices />
    </>
  );
}

function OpenSheet(): JSX.Element | null {
  const { panes, router } = useClient();
  const sheet = router.sheet.value;
  if (sheet === null) return null;
  const General = SHEETS[sheet.name];
  if (General !== undefined) return <General />;
  const ForPane = PANE_SHEETS[sheet.name];
  const pane = sheet.paneId === null ? null : panes.find(sheet.paneId);
  return ForPane === undefined || pane === null ? null : <ForPane pane={pane} />;
}

/** Covers the header, never an answer. */
function Toast(): JSX.Element | null {
  const { messages } = useClient();
  const toast = messages.toast.value;
  if (toast === null) return null;
  const { action } = toast;
  return (
    <div key={toast.id} class="toast" role={toast.isAlert ? "alert" : "status"}>
      <span class="grow">{toast.text}</span>
      {action !== null && (
        <Button tone="plain" onClick={action.run}>
          {action.label}
        </Button>
      )}
      <IconButton icon="close" label={common.close} onClick={() => messages.dismiss()} />
    </div>
  );
}
