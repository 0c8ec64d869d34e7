import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { VERSION } from "../../../src/protocol/version.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button, Icon, type IconName } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { common, count } from "../../words/common.ts";
import { Sheet } from "../parts/sheet.tsx";
import { AddHost } from "./add-host.tsx";
import { MutedSettings, QuietSettings } from "./alert-choices.tsx";
import { PhoneSettings } from "./alerts.tsx";
import { DevicesSettings, DeviceSettings, LetInSettings, useGrant } from "./devices.tsx";
import { HostsSettings } from "./hosts.tsx";
import {
  ANSWER_MODES,
  AnsweringSettings,
  KeyChoice,
  LookSettings,
  SignOut,
  Snippets,
  TerminalSettings,
  THEME_NAMES,
} from "./preferences.tsx";
import { PaneOverrides, ServerSettings } from "./server.tsx";
import { ReviewSettings, WorkspaceSettings } from "./workspace.tsx";

interface Page {
  readonly title: string;
  readonly view: () => JSX.Element | null;
  /** Of the pages of the first level, in their rows. */
  readonly icon?: IconName;
  /** Shared by all browsers: only an owner changes it. */
  readonly isOwners?: boolean;
  /** Of the pages of the second level: the page that leads here. */
  readonly within?: string;
}

/** The rows of the first level in their order, then the pages behind them. */
const PAGES = {
  "settings-phone": { title: "Phone and alerts", view: PhoneSettings, icon: "phone" },
  "settings-answering": { title: "Answering", view: AnsweringSettings, icon: "reply" },
  "settings-look": { title: "Look", view: LookSettings, icon: "contrast" },
  "settings-terminal": { title: "Terminal", view: TerminalSettings, icon: "terminal" },
  "settings-workspace": {
    title: "Agent workspace",
    view: WorkspaceSettings,
    icon: "robot",
    isOwners: true,
  },
  "settings-server": { title: "Server", view: ServerSettings, icon: "machine", isOwners: true },
  "settings-devices": { title: "Devices", view: DevicesSettings, within: "settings-phone" },
  "settings-device": { title: "Device", view: DeviceSettings, within: "settings-phone" },
  "settings-let-in": {
    title: "Let in another device",
    view: LetInSettings,
    within: "settings-phone",
  },
  "settings-quiet": { title: "Quiet hours", view: QuietSettings, within: "settings-phone" },
  "settings-muted": { title: "Muted panes", view: MutedSettings, within: "settings-phone" },
  "settings-snippets": { title: "Snippets", view: Snippets, within: "settings-answering" },
  "settings-keys": { title: "Keys", view: KeyChoice, within: "settings-terminal" },
  "settings-review": {
    title: "Alerts about changes",
    view: ReviewSettings,
    within: "settings-workspace",
  },
  "settings-hosts": { title: "Machines", view: HostsSettings, within: "settings-server" },
  "settings-add-host": { title: "Add a machine", view: AddHost, within: "settings-server" },
  "settings-panes": { title: "Names and kinds", view: PaneOverrides, within: "settings-server" },
} as const satisfies Readonly<Record<string, Page>>;
export type SettingsPage = keyof typeof PAGES;
export const titleOf = (page: SettingsPage): string => PAGES[page].title;

const pageOf = (name: string): Page | null =>
  Object.entries<Page>(PAGES).find(([one]) => one === name)?.[1] ?? null;

/** Every page that can be opened by its title alone: that of a device needs the device. */
export const settingsPages = (): readonly (readonly [name: string, title: string])[] =>
  Object.entries<Page>(PAGES)
    .filter(([name]) => name !== "settings-device")
    .map(([name, { title }]) => [name, title]);

/** All pages are one sheet, so that Back returns to the same row. */
export function SettingsSheet(): JSX.Element {
  const { layout, router } = useBrowser();
  const server = useServer();
  const isWide = layout.columns.value > 1;
  const { name: asked = "", paneId: about = null } = router.sheet.value ?? {};
  const name = isWide && asked === "settings" ? "settings-phone" : asked;
  const page = pageOf(name);
  const first = page?.within ?? name;
  const title = useGrant(about)?.name ?? page?.title ?? "Settings";
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const sheet = body.current?.closest<HTMLElement>("[role=dialog]");
    if (asked !== "settings" && !isWide) giveFocus(sheet, sheet);
  }, [asked]);
  const back = { label: "Back to settings", onBack: () => router.close() };
  const View = pageOf(first)?.isOwners && !server.may("own") ? OwnersOnly : page?.view;
  return (
    <Sheet
      class={isWide ? "settings-wide" : ""}
      title={page === null || isWide ? "Settings" : title}
      {...(page !== null && !isWide && { back })}
    >
      <div ref={body} class={isWide ? "settings-columns grid" : ""}>
        <div hidden={!isWide && page !== null}>
          <FirstRows chosen={isWide ? first : null} isWide={isWide} />
        </div>
        {View !== undefined && (
          <div class="settings-page" role="group" aria-label={title}>
            {isWide && (
              <h3 class="settings-head flex gap-8 fs-17">
                {page?.within !== undefined && (
                  <Button size="small" aria-label={back.label} onClick={back.onBack}>
                    <Icon name="back" class="small" />
                  </Button>
                )}
                {title}
              </h3>
            )}
            <View />
          </div>
        )}
      </div>
    </Sheet>
  );
}

/** For a link to a page of an owner. */
const OwnersOnly = (): JSX.Element => (
  <p class="page-text">Only an owner changes these: this device was let in for less.</p>
);

/** The first level. On a phone Back returns the focus to the row that was pressed. */
function FirstRows(props: {
  readonly chosen: string | null;
  readonly isWide: boolean;
}): JSX.Element {
  const { chosen, isWide } = props;
  const { router } = useBrowser();
  const server = useServer();
  const summaries = useSummaries();
  const opener = useRef<HTMLElement | null>(null);
  const sheet = router.sheet.value?.name;
  useLayoutEffect(() => {
    if (sheet === "settings" && !isWide)
      giveFocus(opener.current, opener.current?.closest("[role=dialog]"));
  }, [sheet]);
  const rows = Object.entries<Page>(PAGES).filter(
    ([, { icon, isOwners }]) => icon !== undefined && (server.may("own") || isOwners !== true),
  );
  return (
    <>
      <div class="set settings-rows">
        {rows.map(([name, { title, icon = "sliders" }]) => (
          <button
            key={name}
            type="button"
            class="item"
            aria-current={name === chosen ? "page" : undefined}
            onClick={({ currentTarget }) => {
              opener.current = currentTarget;
              // Beside the rows, a page replaces the one before it.
              router.show(name, null, isWide && sheet !== "settings" ? "instead" : "above");
            }}
          >
            <span class="item-icon fill-2 center rigid round-2">
              <Icon name={icon} />
            </span>
            <span class="grow">
              <span class="bold">{title}</span>
              <span class="item-hint">{summaries[name]}</span>
            </span>
            <Icon name="next" class="small" />
          </button>
        ))}
      </div>
      <SignOut />
    </>
  );
}

/** The current settings of each page of the first level. */
function useSummaries(): Readonly<Record<string, string>> {
  const { config } = useServer();
  const notifications = usePart(Notifications);
  const { device, preferences } = useBrowser();
  const { theme, destination, answerWith, terminalSize, wrap } = preferences.current.value;
  const others = notifications.others.value.length;
  const server = config.current.value;
  const info = server?._info;
  const agents = info?.capabilities.agent_context_v1;
  const kind = info?.capabilities.terminal_provider_v1?.provider ?? "";
  const provider = config.labels.value[kind] ?? kind;
  const isOn = server?.experimental_agent_workspace_enabled === true;
  return {
    "settings-phone": config.has("web_push_v1")
      ? `This device: alerts ${device.id.value === null ? "off" : "on"}${others === 0 ? "" : ` · ${count(others, "more device", "more devices")}`}`
      : "Alerts while this page is open",
    "settings-answering": ANSWER_MODES[answerWith],
    "settings-look": `${THEME_NAMES[theme]} · starts with ${common.tabs[destination]}`,
    "settings-terminal": `${terminalSize} px · lines ${wrap ? "wrap" : "do not wrap"}`,
    "settings-workspace": isOn
      ? `On · ${count(agents?.observed?.sessions ?? 0, "session", "sessions")} · kept for ${count(agents?.retention_days ?? 0, "day", "days")}`
      : "Off",
    "settings-server": [info?.host, `panewatch ${VERSION}`, provider].filter(Boolean).join(" · "),
  };
}
