import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { VERSION } from "../../../src/protocol/version.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { common, count } from "../../words/common.ts";
import { AddHost } from "./add-host.tsx";
import { DevicesSettings, DeviceSettings, LetInSettings, useGrant } from "./devices.tsx";
import { HostsSettings } from "./hosts.tsx";
import { FIRST_PAGES, type FirstPage, type SettingsPage } from "./names.ts";
import {
  ANSWER_MODES,
  AnsweringSettings,
  KeyChoice,
  LookSettings,
  Snippets,
  TerminalSettings,
  THEME_NAMES,
} from "./own.tsx";
import { PhoneSettings } from "./phone.tsx";
import { MutedSettings, QuietSettings } from "./quiet.tsx";
import { ReviewSettings } from "./review.tsx";
import { PaneOverrides, Patterns, ServerSettings } from "./server.tsx";
import { SignOut } from "./sign-out.tsx";
import { WorkspaceSettings } from "./workspace.tsx";
import { giveFocus } from "../../ui/focus.ts";

interface Page {
  readonly title: string;
  readonly view: () => JSX.Element | null;
  /** The page of the first level that leads to it; null for one of them. */
  readonly within: FirstPage | null;
}

const PAGES: Readonly<Record<SettingsPage, Page>> = {
  "settings-phone": { title: "Phone and alerts", view: PhoneSettings, within: null },
  "settings-devices": { title: "Devices", view: DevicesSettings, within: "settings-phone" },
  "settings-device": { title: "Device", view: DeviceSettings, within: "settings-phone" },
  "settings-let-in": {
    title: "Let in another device",
    view: LetInSettings,
    within: "settings-phone",
  },
  "settings-quiet": { title: "Quiet hours", view: QuietSettings, within: "settings-phone" },
  "settings-muted": { title: "Muted panes", view: MutedSettings, within: "settings-phone" },
  "settings-answering": { title: "Answering", view: AnsweringSettings, within: null },
  "settings-snippets": { title: "Snippets", view: Snippets, within: "settings-answering" },
  "settings-look": { title: "Look", view: LookSettings, within: null },
  "settings-terminal": { title: "Terminal", view: TerminalSettings, within: null },
  "settings-keys": { title: "Keys", view: KeyChoice, within: "settings-terminal" },
  "settings-workspace": { title: "Agent workspace", view: WorkspaceSettings, within: null },
  "settings-review": {
    title: "Review",
    view: ReviewSettings,
    within: "settings-workspace",
  },
  "settings-server": { title: "Server", view: ServerSettings, within: null },
  "settings-hosts": { title: "Machines", view: HostsSettings, within: "settings-server" },
  "settings-add-host": { title: "Add a machine", view: AddHost, within: "settings-server" },
  "settings-panes": { title: "Names and kinds", view: PaneOverrides, within: "settings-server" },
  "settings-patterns": { title: "Patterns", view: Patterns, within: "settings-server" },
};

function PageIcon({ name }: { readonly name: FirstPage }): JSX.Element {
  if (name === "settings-phone") return <Icon name="phone" />;
  if (name === "settings-terminal") return <Icon name="terminal" />;
  if (name === "settings-workspace") return <Icon name="robot" />;
  if (name === "settings-server") return <Icon name="machine" />;
  return <Icon name={name === "settings-look" ? "contrast" : "reply"} />;
}

/** Behind a link to what only an owner changes. */
const OwnersOnly = (): JSX.Element => (
  <p class="page-text">Only an owner changes these: this device was let in for less.</p>
);

/** Pages about one thing, which their sheet names. */
const ABOUT_ONE: ReadonlySet<SettingsPage> = new Set(["settings-device", "settings-patterns"]);

/** Every page by its title, for who looks for one. */
export const settingsPages = (): readonly { name: SettingsPage; title: string }[] =>
  // The names are the keys of the table and nothing else.
  (Object.keys(PAGES) as SettingsPage[])
    .filter((name) => !ABOUT_ONE.has(name))
    .map((name) => ({ name, title: PAGES[name].title }));

const nameOfSheet = (sheet: string): SettingsPage | null =>
  // As above.
  sheet in PAGES ? (sheet as SettingsPage) : null;

/** Settings and the pages behind them: one sheet, so that Back returns to the same row. */
export function SettingsSheet(): JSX.Element {
  const { layout, router } = useBrowser();
  const server = useServer();
  const isWide = layout.columns.value > 1;
  const asked = nameOfSheet(router.sheet.value?.name ?? "");
  const name = asked ?? (isWide ? FIRST_PAGES[0] : null);
  const page = name === null ? null : PAGES[name];
  const first = page === null ? null : (page.within ?? name);
  const about = router.sheet.value?.paneId ?? null;
  const field = server.config.current.value?.fields?.find(({ live }) => live === about);
  const title = useGrant(about)?.name ?? field?.label ?? page?.title ?? "Settings";
  const hasBack = page !== null && (isWide ? page.within !== null : true);
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const sheet = body.current?.closest<HTMLElement>("[role=dialog]");
    if (asked !== null && !isWide) giveFocus(sheet, sheet);
  }, [asked]);
  const isOwners = first !== null && OWNERS.has(first as FirstPage);
  const View = isOwners && !server.may("own") ? OwnersOnly : page?.view;
  return (
    <Sheet
      class={isWide ? "settings-wide" : ""}
      title={page === null || isWide ? "Settings" : title}
      closeLabel={common.close}
      onClose={() => router.close()}
      {...(hasBack && !isWide
        ? { back: { label: "Back to settings", onBack: () => router.close() } }
        : {})}
    >
      <div ref={body} class={isWide ? "settings-columns" : ""}>
        <div hidden={!isWide && page !== null}>
          <FirstRows chosen={isWide ? first : null} isWide={isWide} />
        </div>
        {View !== undefined && (
          <div class="settings-page" role="group" aria-label={title}>
            {isWide && (
              <h3 class="settings-head">
                {hasBack && (
                  <Button size="small" aria-label="Back to settings" onClick={() => router.close()}>
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

/** What all browsers share, and an owner changes. */
const OWNERS: ReadonlySet<FirstPage> = new Set(["settings-workspace", "settings-server"]);

/** Six rows with their state. A phone returns to the row that led away. */
function FirstRows(props: {
  readonly chosen: SettingsPage | null;
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
  return (
    <>
      <div class="set settings-rows">
        {FIRST_PAGES.filter((name) => server.may("own") || !OWNERS.has(name)).map((name) => (
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
            <span class="item-icon center rigid round-2">
              <PageIcon name={name} />
            </span>
            <span class="grow">
              <span class="bold">{PAGES[name].title}</span>
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
    "settings-server": [info?.host ?? "", `panewatch ${VERSION}`, provider]
      .filter((text) => text !== "")
      .join(" · "),
  };
}
