import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { common } from "../../words/common.ts";
import { hosts } from "../../words/hosts.ts";
import { notifications } from "../../words/notifications.ts";
import { reviewSettings } from "../../words/review.ts";
import { settings as words } from "../../words/settings.ts";
import { AddHost } from "./add-host.tsx";
import { DevicesSettings, DeviceSettings, LetInSettings, useGrant } from "./devices.tsx";
import { HostsSettings } from "./hosts.tsx";
import { FIRST_PAGES, type FirstPage, type SettingsPage } from "./names.ts";
import { AnsweringSettings, KeyChoice, LookSettings, Snippets, TerminalSettings } from "./own.tsx";
import { PaneOverrides } from "./panes.tsx";
import { PhoneSettings } from "./phone.tsx";
import { MutedSettings, QuietSettings } from "./quiet.tsx";
import { ReviewSettings } from "./review.tsx";
import { Patterns, ServerSettings } from "./server.tsx";
import { SignOut } from "./sign-out.tsx";
import { useStates } from "./states.ts";
import { WorkspaceSettings } from "./workspace.tsx";
import { giveFocus } from "../../ui/focus.ts";

interface Page {
  readonly title: string;
  readonly view: () => JSX.Element | null;
  /** The page of the first level that leads to it; null for one of them. */
  readonly within: FirstPage | null;
}

const PAGES: Readonly<Record<SettingsPage, Page>> = {
  "settings-phone": { title: words.phone, view: PhoneSettings, within: null },
  "settings-devices": { title: "Devices", view: DevicesSettings, within: "settings-phone" },
  "settings-device": { title: "Device", view: DeviceSettings, within: "settings-phone" },
  "settings-let-in": {
    title: "Let in another device",
    view: LetInSettings,
    within: "settings-phone",
  },
  "settings-quiet": { title: notifications.quiet, view: QuietSettings, within: "settings-phone" },
  "settings-muted": { title: notifications.muted, view: MutedSettings, within: "settings-phone" },
  "settings-answering": { title: words.answering, view: AnsweringSettings, within: null },
  "settings-snippets": { title: words.snippets, view: Snippets, within: "settings-answering" },
  "settings-look": { title: words.look, view: LookSettings, within: null },
  "settings-terminal": { title: words.terminal, view: TerminalSettings, within: null },
  "settings-keys": { title: words.keys, view: KeyChoice, within: "settings-terminal" },
  "settings-workspace": { title: words.workspace, view: WorkspaceSettings, within: null },
  "settings-review": {
    title: reviewSettings.title,
    view: ReviewSettings,
    within: "settings-workspace",
  },
  "settings-server": { title: words.server, view: ServerSettings, within: null },
  "settings-hosts": { title: hosts.title, view: HostsSettings, within: "settings-server" },
  "settings-add-host": { title: hosts.add, view: AddHost, within: "settings-server" },
  "settings-panes": { title: words.panes, view: PaneOverrides, within: "settings-server" },
  "settings-prompts": {
    title: words.prompts,
    view: () => <Patterns name="generic_prompt_patterns" text={words.promptsText} />,
    within: "settings-server",
  },
  "settings-errors": {
    title: words.errors,
    view: () => <Patterns name="error_patterns" text={words.errorsText} />,
    within: "settings-server",
  },
};

function PageIcon({ name }: { readonly name: FirstPage }): JSX.Element {
  if (name === "settings-phone") return <Icon name="phone" />;
  if (name === "settings-terminal") return <Icon name="terminal" />;
  if (name === "settings-workspace") return <Icon name="robot" />;
  if (name === "settings-server") return <Icon name="machine" />;
  return <Icon name={name === "settings-look" ? "contrast" : "reply"} />;
}

/** Behind a link to what only an owner changes. */
const OwnersOnly = (): JSX.Element => <p class="page-text">{words.ownersOnly}</p>;

/** Every page by its title, for who looks for one. */
export const settingsPages = (): readonly { name: SettingsPage; title: string }[] =>
  // The names are the keys of the table and nothing else.
  (Object.keys(PAGES) as SettingsPage[])
    .filter((name) => name !== "settings-device")
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
  // Of one device by its name.
  const title = useGrant(router.sheet.value?.paneId ?? null)?.name ?? page?.title ?? words.title;
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
      title={page === null || isWide ? words.title : title}
      closeLabel={common.close}
      onClose={() => router.close()}
      {...(hasBack && !isWide ? { back: { label: words.back, onBack: () => router.close() } } : {})}
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
                  <Button size="small" aria-label={words.back} onClick={() => router.close()}>
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
            <span class="item-icon">
              <PageIcon name={name} />
            </span>
            <span class="grow">
              <span class="item-title">{PAGES[name].title}</span>
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
