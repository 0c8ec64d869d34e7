// Beside the columns: the open sheet, and what the page does by itself: alerts for screen readers, by a
// sound, in the title and in a toast, and reports to the server of what is looked at.
import type { JSX, ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { areAllOff } from "../model/config.ts";
import { failed, type Pane, waits } from "../model/pane.ts";
import { useBrowser, useClient, usePart, useServer } from "../state/client.ts";
import { type AlertedPanes, Alerts, stepAlerts } from "../state/server/alerts.ts";
import { Creation } from "../state/server/creation.ts";
import { Notifications } from "../state/server/notifications.ts";
import { reportPresence } from "../state/presence.ts";
import { contentOf, giveFocus } from "../ui/focus.ts";
import { count, common } from "../words/common.ts";
import { AgentSheet } from "./agents/sheets.tsx";
import { BroadcastSheet } from "./broadcast/broadcast.tsx";
import { DiscardRemarks, SendRemarks } from "./changes/remarks.tsx";
import { Palette, ShortcutHelp } from "./commands/palette.tsx";
import { CreateSheet } from "./create/create.tsx";
import { ExplainSheet } from "./explain/explain.tsx";
import { WrongSheet } from "./explain/wrong.tsx";
import { SortSheet } from "./navigator/all.tsx";
import { PaneMenu } from "./pane/menu.tsx";
import { ClosePaneSheet, MuteSheet, PaneDetails, RenameSheet } from "./pane/sheets.tsx";
import { SettingsSheet } from "./settings/settings.tsx";
import { usePolling } from "./parts/query-status.tsx";
import { Boundary, FailureNotice } from "./parts/boundary.tsx";
import { useDerived } from "./parts/derived.ts";
import { Sheet } from "./parts/sheet.tsx";

const QUIET_MS = 5000;
/** Between two looks at the configuration. */
const LOOK_EVERY_MS = 2000;
/** What happened to the alerts of this device since the last visit. */
const ALERT_CHANGES = {
  renewed: "Notifications were renewed.",
  removed: "Notifications on this device were switched off from another one.",
};

export function Aside(): JSX.Element {
  const client = useClient();
  const { config, panes, workspace } = client.server;
  const { messages } = client.browser;
  const creation = usePart(Creation);
  const notifications = usePart(Notifications);
  // The configuration is loaded at every reconnect; only another key asks for a new registration.
  const key = useDerived(
    () => config.current.value?._info.capabilities.web_push_v1?.public_key ?? "",
    [config],
  );
  useEffect(() => {
    void notifications.renew().then((fate) => {
      if (fate !== null) messages.say(ALERT_CHANGES[fate]);
    });
  }, [notifications, key]);
  useEffect(() => creation.reportEarlierMessages(), [creation]);
  useEffect(() => reportPresence(client), [client]);
  // No event tells why no pane can be read, or that the agent workspace has started.
  const areOff = useDerived(() => areAllOff(panes.all.value), [panes]);
  usePolling(areOff || workspace.isStarting.value, LOOK_EVERY_MS, () => config.load());
  return (
    <>
      <OpenSheet />
      <Announcer />
      <FocusOnScreen />
      <ShellNotices />
    </>
  );
}

/**
 * Announces panes that begin to wait: in words at most every five seconds, counting those in between; in
 * the title; and by a sound while the reader looks elsewhere, which failing panes cause too.
 */
function Announcer(): JSX.Element {
  const { panes, queue } = useServer();
  const { preferences } = useBrowser();
  const alerts = usePart(Alerts);
  const [announcement, setAnnouncement] = useState({ text: "", times: 0 });
  const alerted = useRef<AlertedPanes>(null);
  const pending = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const asking = useDerived(
    () => panes.all.value.filter((pane) => waits(pane) || failed(pane)),
    [],
  );
  const waiting = queue.count.value;
  const isLoaded = panes.isLoaded.value;

  const speak = () => {
    timer.current = null;
    const [name, ...others] = pending.current;
    if (name === undefined) return;
    pending.current = [];
    const text =
      others.length === 0
        ? `${name} waits`
        : count(others.length + 1, "more agent waits", "more agents wait");
    setAnnouncement(({ times }) => ({ text, times: times + 1 }));
    timer.current = setTimeout(speak, QUIET_MS);
  };
  useEffect(() => {
    if (!isLoaded) return;
    const isFirst = alerted.current === null;
    const step = stepAlerts(alerted.current, asking);
    alerted.current = step.alerted;
    // Takes back notifications that were answered since.
    if (isFirst || step.over.length > 0) void alerts.keepOnly(step.alerted);
    for (const pane of step.fresh) if (!failed(pane)) pending.current.push(pane.name);
    if (timer.current === null) speak();
    const { notifyErrors, sound, vibrate } = preferences.current.peek();
    if (alerts.isWatched || !step.fresh.some((pane) => notifyErrors || !failed(pane))) return;
    if (sound) alerts.beep();
    if (vibrate) alerts.vibrate();
  }, [asking, isLoaded]);
  useEffect(() => {
    document.title = waiting === 0 ? "panewatch" : `(${waiting}) panewatch`;
  }, [waiting]);
  return (
    <p class="visually-hidden" aria-live="polite">
      {/* A new element each time, so that the same words are said again. */}
      <span key={announcement.times}>{announcement.text}</span>
    </p>
  );
}

/** Says once that a new version is ready, and once that the page can be installed. */
function ShellNotices(): null {
  const { install, messages, router, shell } = useBrowser();
  const hasUpdate = shell.hasUpdate.value;
  const isHintDue = install.isHintDue.value;
  useEffect(() => {
    if (!hasUpdate) return;
    const action = { label: "Reload", run: () => void shell.applyUpdate() };
    messages.say("A new version is ready.", { action, isSticky: true });
  }, [hasUpdate]);
  useEffect(() => {
    if (!isHintDue) return;
    install.isHintDue.value = false;
    const hasDialog = install.way.value === "dialog";
    const run = () => {
      messages.dismiss();
      if (hasDialog) void install.ask();
      else router.show("settings");
    };
    messages.say("panewatch can stand on your home screen.", {
      action: { label: hasDialog ? "Install" : "How", run },
    });
  }, [isHintDue]);
  return null;
}

/**
 * Where the focus was lost with a screen, it goes to the row that had opened that screen, else to the new
 * screen. A page that loads takes none.
 */
function FocusOnScreen(): null {
  const { router } = useBrowser();
  const route = router.route.value;
  const lastRoute = useRef(route);
  // After the paint: the columns are drawn one after another.
  useEffect(() => {
    const id = "id" in lastRoute.current ? CSS.escape(lastRoute.current.id) : "";
    const opener = `[data-row="${id}"], :is([data-pane="${id}"], [data-agent="${id}"]) .card-title`;
    lastRoute.current = route;
    if (router.visit.peek() > 1)
      giveFocus(document.querySelector<HTMLElement>(opener) ?? contentOf(document));
  }, [route]);
  return null;
}

const SHEETS: Readonly<Record<string, ComponentType>> = {
  "agent-history": AgentSheet,
  "agent-menu": AgentSheet,
  "agent-pane": AgentSheet,
  broadcast: BroadcastSheet,
  create: CreateSheet,
  palette: Palette,
  shortcuts: ShortcutHelp,
  sort: SortSheet,
};

/** Sheets about one pane; they close when it is gone. */
const PANE_SHEETS: Readonly<Record<string, ComponentType<{ readonly pane: Pane }>>> = {
  "close-pane": ClosePaneSheet,
  "discard-remarks": DiscardRemarks,
  explain: ExplainSheet,
  mute: MuteSheet,
  "pane-details": PaneDetails,
  "pane-menu": PaneMenu,
  rename: RenameSheet,
  "send-remarks": SendRemarks,
  wrong: WrongSheet,
};

export function OpenSheet(): JSX.Element | null {
  const { panes } = useServer();
  const { router } = useBrowser();
  const { name = "", paneId = null } = router.sheet.value ?? {};
  // One sheet for all pages of the settings, so that Back returns to the same one.
  const General = name.startsWith("settings") ? SettingsSheet : SHEETS[name];
  const ForPane = PANE_SHEETS[name];
  const pane = paneId === null ? null : panes.find(paneId);
  const ofPane = ForPane !== undefined && pane !== null && <ForPane pane={pane} />;
  const view = General === undefined ? ofPane : <General />;
  const isOver = name !== "" && view === false && panes.isLoaded.value;
  useEffect(() => {
    // Its pane is gone: without a sheet the page below must not stay inert.
    if (isOver) router.close();
  }, [isOver]);
  if (view === false) return null;
  // A sheet that fails can still be closed.
  const instead = (retry: () => void) => (
    <Sheet title={common.notShown}>
      <FailureNotice onRetry={retry} />
    </Sheet>
  );
  return (
    <Boundary key={General ?? ForPane} instead={instead}>
      {view}
    </Boundary>
  );
}
