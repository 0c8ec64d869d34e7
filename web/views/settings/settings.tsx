import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { VERSION } from "../../../src/protocol/version.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { LinkItem } from "../../ui/item.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { common } from "../../words/common.ts";
import { notifications } from "../../words/notifications.ts";
import { settings as words } from "../../words/settings.ts";
import { InstallHint } from "../install/hint.tsx";
import { EveryoneSettings } from "./everyone.tsx";
import { Group } from "./group.tsx";
import { KeyChoice } from "./keys.tsx";
import type { SettingsPage } from "./names.ts";
import { NotificationSettings } from "./notifications.tsx";
import { OwnSettings } from "./own.tsx";
import { Pair } from "./pair.tsx";
import { PaneOverrides } from "./panes.tsx";
import { Patterns } from "./patterns.tsx";
import { MutedSettings, QuietSettings } from "./quiet.tsx";
import { Snippets } from "./snippets.tsx";
import { WorkspaceSettings } from "./workspace.tsx";

interface Page {
  readonly title: string;
  readonly view: () => JSX.Element | null;
}

/** Pages behind the first, by the name of their sheet. */
const PAGES: Readonly<Record<SettingsPage, Page>> = {
  "settings-snippets": { title: words.snippets, view: Snippets },
  "settings-keys": { title: words.keys, view: KeyChoice },
  "settings-panes": { title: words.panes, view: PaneOverrides },
  "settings-prompts": {
    title: words.prompts,
    view: () => <Patterns name="generic_prompt_patterns" text={words.promptsText} />,
  },
  "settings-errors": {
    title: words.errors,
    view: () => <Patterns name="error_patterns" text={words.errorsText} />,
  },
  "settings-workspace": { title: words.workspace, view: WorkspaceSettings },
  "settings-pair": { title: words.pair, view: Pair },
  "settings-notifications": { title: notifications.title, view: NotificationSettings },
  "settings-quiet": { title: notifications.quiet, view: QuietSettings },
  "settings-muted": { title: notifications.muted, view: MutedSettings },
};

const pageOf = (name: string): Page | undefined =>
  Object.entries(PAGES).find(([page]) => page === name)?.[1];

/** Settings and the pages behind them: one sheet, so that Back returns to the same row. */
export function SettingsSheet(): JSX.Element {
  const { router } = useBrowser();
  const name = router.sheet.value?.name ?? "";
  const page = pageOf(name);
  const top = useRef<HTMLDivElement>(null);
  const left = useRef({ scroll: 0, row: null as Element | null });
  useLayoutEffect(() => {
    const body = top.current?.parentElement;
    if (!body) return;
    body.scrollTop = page === undefined ? left.current.scroll : 0;
    const { row } = left.current;
    if (page === undefined && row instanceof HTMLElement) row.focus({ preventScroll: true });
    else if (page !== undefined) body.closest<HTMLElement>("[role=dialog]")?.focus();
  }, [name]);
  const open = (next: string) => {
    left.current = {
      scroll: top.current?.parentElement?.scrollTop ?? 0,
      row: document.activeElement,
    };
    router.show(next, null, "above");
  };
  const View = page?.view;
  return (
    <Sheet
      title={page?.title ?? words.title}
      closeLabel={common.close}
      onClose={() => router.close()}
      {...(page === undefined ? {} : { back: { label: words.back, onBack: () => router.close() } })}
    >
      <div ref={top} hidden={page !== undefined}>
        <OwnSettings onOpen={open} />
        <EveryoneSettings onOpen={open} />
        <ThisApp onOpen={open} />
      </div>
      {View !== undefined && <View />}
    </Sheet>
  );
}

function ThisApp({ onOpen }: { readonly onOpen: (page: string) => void }): JSX.Element {
  const client = useClient();
  const { config, token } = client.server;
  return (
    <>
      <Group title={words.app} whose="thisBrowser">
        <InstallHint />
        {config.has("pairing_v1") && (
          <LinkItem
            label={words.pair}
            hint={words.pairHint}
            onClick={() => onOpen("settings-pair")}
          />
        )}
        {token.get() !== "" && <SignOut />}
      </Group>
      <p class="version">{words.version(VERSION, config.serverVersion.value)}</p>
    </>
  );
}

function SignOut(): JSX.Element {
  const client = useClient();
  const [isAsking, setAsking] = useState(false);
  return (
    <div class="item">
      <span class="grow">
        <span class="danger-text">{words.signOut}</span>
        <span class="item-hint">{words.signOutHint}</span>
      </span>
      {isAsking ? (
        <>
          <Button
            size="small"
            tone="danger"
            onClick={() => client.browser.router.close(() => client.server.signOut())}
          >
            {words.signOutNow}
          </Button>
          <Button size="small" onClick={() => setAsking(false)}>
            {common.cancel}
          </Button>
        </>
      ) : (
        <Button size="small" aria-label={words.signOut} onClick={() => setAsking(true)}>
          <Icon name="leave" class="small" />
        </Button>
      )}
    </div>
  );
}
