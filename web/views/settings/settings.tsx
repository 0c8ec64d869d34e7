import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { VERSION } from "../../../src/protocol/version.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { common, count } from "../../words/common.ts";
import { Sheet } from "../parts/sheet.tsx";
import { PhoneSettings, MutedSettings, QuietSettings } from "./alerts.tsx";
import { DevicesSettings, DeviceSettings, LetInSettings, useGrant } from "./devices.tsx";
import { AddHost, HostsSettings } from "./hosts.tsx";
import {
  ANSWER_MODES,
  AnsweringSettings,
  KeyChoice,
  LookSettings,
  SignOut,
  Snippets,
  TerminalSettings,
  THEME_NAMES,
} from "./own.tsx";
import { PaneOverrides, Patterns, ServerSettings } from "./server.tsx";
import { ReviewSettings, WorkspaceSettings } from "./workspace.tsx";

interface Page {
  readonly title: string;
  readonly view: () => JSX.Element | null;
  readonly icon?: IconName;
  /** All browsers share it, and an owner changes it. */
  readonly isOwners?: boolean;
}

/** The first level, in its order: each row leads to one of these pages. */
const FIRST = {
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
} as const satisfies Readonly<Record<string, Page>>;
type FirstPage = keyof typeof FIRST;

const inner = (within: FirstPage, title: string, view: Page["view"]) => ({ title, view, within });

/** Pages behind one of the first level. */
const INNER = {
  "settings-devices": inner("settings-phone", "Devices", DevicesSettings),
  "settings-device": inner("settings-phone", "Device", DeviceSettings),
  "settings-let-in": inner("settings-phone", "Let in another device", LetInSettings),
  "settings-quiet": inner("settings-phone", "Quiet hours", QuietSettings),
  "settings-muted": inner("settings-phone", "Muted panes", MutedSettings),
  "settings-snippets": inner("settings-answering", "Snippets", Snippets),
  "settings-keys": inner("settings-terminal", "Keys", KeyChoice),
  "settings-review": inner("settings-workspace", "Review", ReviewSettings),
  "settings-hosts": inner("settings-server", "Machines", HostsSettings),
  "settings-add-host": inner("settings-server", "Add a machine", AddHost),
  "settings-panes": inner("settings-server", "Names and kinds", PaneOverrides),
  "settings-patterns": inner("settings-server", "Patterns", Patterns),
};
type InnerPage = keyof typeof INNER;
export type SettingsPage = FirstPage | InnerPage;

const isFirst = (name: string): name is FirstPage => name in FIRST;
const isInner = (name: string): name is InnerPage => name in INNER;
const FIRST_NAMES = Object.keys(FIRST).filter(isFirst);

/** Every page by its title, for who looks for one; not those about one thing, which their sheet names. */
export const settingsPages = (): readonly { name: SettingsPage; title: string }[] => [
  ...FIRST_NAMES.map((name) => ({ name, title: FIRST[name].title })),
  ...Object.keys(INNER)
    .filter(isInner)
    .filter((name) => name !== "settings-device" && name !== "settings-patterns")
    .map((name) => ({ name, title: INNER[name].title })),
];

/** Settings and the pages behind them: one sheet, so that Back returns to the same row. */
export function SettingsSheet(): JSX.Element {
  const { layout, router } = useBrowser();
  const server = useServer();
  const isWide = layout.columns.value > 1;
  const { name: asked = "", paneId: about = null } = router.sheet.value ?? {};
  const behind = isInner(asked) ? INNER[asked] : null;
  const first = behind?.within ?? (isFirst(asked) ? asked : isWide ? "settings-phone" : null);
  const firstPage: Page | null = first && FIRST[first];
  const page = behind ?? firstPage;
  const field = server.config.current.value?.fields?.find(({ live }) => live === about);
  const title = useGrant(about)?.name ?? field?.label ?? page?.title ?? "Settings";
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const sheet = body.current?.closest<HTMLElement>("[role=dialog]");
    if (asked !== "settings" && !isWide) giveFocus(sheet, sheet);
  }, [asked]);
  const back = { label: "Back to settings", onBack: () => router.close() };
  const View = firstPage?.isOwners && !server.may("own") ? OwnersOnly : page?.view;
  return (
    <Sheet
      class={isWide ? "settings-wide" : ""}
      title={page === null || isWide ? "Settings" : title}
      {...(page !== null && !isWide && { back })}
    >
      <div ref={body} class={isWide ? "settings-columns" : ""}>
        <div hidden={!isWide && page !== null}>
          <FirstRows chosen={isWide ? first : null} isWide={isWide} />
        </div>
        {View !== undefined && (
          <div class="settings-page" role="group" aria-label={title}>
            {isWide && (
              <h3 class="settings-head flex gap-8 fs-17">
                {behind !== null && (
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

/** Behind a link to what only an owner changes. */
const OwnersOnly = (): JSX.Element => (
  <p class="page-text">Only an owner changes these: this device was let in for less.</p>
);

/** Six rows with their state. A phone returns to the row that led away. */
function FirstRows(props: {
  readonly chosen: FirstPage | null;
  readonly isWide: boolean;
}): JSX.Element {
  const { chosen, isWide } = props;
  const { router } = useBrowser();
  const server = useServer();
  const states = useStates();
  const left = useRef<HTMLElement | null>(null);
  const sheet = router.sheet.value?.name;
  useLayoutEffect(() => {
    if (sheet === "settings" && !isWide)
      giveFocus(left.current, left.current?.closest("[role=dialog]"));
  }, [sheet]);
  const shown = FIRST_NAMES.filter((name) => server.may("own") || !("isOwners" in FIRST[name]));
  return (
    <>
      <div class="set settings-rows">
        {shown.map((name) => (
          <button
            key={name}
            type="button"
            class="item"
            aria-current={name === chosen ? "page" : undefined}
            onClick={({ currentTarget }) => {
              left.current = currentTarget;
              // Beside the rows a page takes the place of the one before it.
              router.show(name, null, isWide && sheet !== "settings" ? "instead" : "above");
            }}
          >
            <span class="item-icon fill-2 center rigid round-2">
              <Icon name={FIRST[name].icon} />
            </span>
            <span class="grow">
              <span class="bold">{FIRST[name].title}</span>
              <span class="item-hint">{states[name]}</span>
            </span>
            <Icon name="next" class="small" />
          </button>
        ))}
      </div>
      <SignOut />
    </>
  );
}

/** What stands below the name of each page of the first level: how it is set now. */
function useStates(): Readonly<Record<FirstPage, string>> {
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
