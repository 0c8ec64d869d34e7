import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { TERMINAL_SIZES, THEMES } from "../../state/browser/preferences.ts";
import { ChoiceItem, Item, LinkItem, SwitchItem } from "../../ui/item.tsx";
import { Segments } from "../../ui/segments.tsx";
import { common } from "../../words/common.ts";
import { notifications as notificationWords } from "../../words/notifications.ts";
import { pane as paneWords } from "../../words/pane.ts";
import { settings as words } from "../../words/settings.ts";
import { Group } from "./group.tsx";

/** What belongs to this browser alone. */
export function OwnSettings(props: { readonly onOpen: (page: string) => void }): JSX.Element {
  const { onOpen } = props;
  return (
    <>
      <LookGroup />
      <AnsweringGroup onOpen={onOpen} />
      <TerminalGroup onOpen={onOpen} />
      <AlertsGroup onOpen={onOpen} />
      <DataGroup />
    </>
  );
}

function LookGroup(): JSX.Element {
  const { preferences } = useBrowser();
  const { theme, destination } = preferences.current.value;
  return (
    <Group title={words.look} whose="thisBrowser">
      <Item label={words.theme}>
        <Segments
          label={words.theme}
          options={THEMES.map((value) => ({ value, label: words.themes[value] }))}
          chosen={theme}
          onChoose={(value) => preferences.set({ theme: value })}
        />
      </Item>
      <ChoiceItem
        label={words.destination}
        hint={words.destinationHint}
        options={common.tabs}
        chosen={destination}
        onChoose={(value) => preferences.set({ destination: value })}
      />
    </Group>
  );
}

function AnsweringGroup({ onOpen }: { readonly onOpen: (page: string) => void }): JSX.Element {
  const { preferences } = useBrowser();
  const { answerWith, enterSends, showCursor, singleKeys, snippets } = preferences.current.value;
  return (
    <Group title={words.answering} whose="thisBrowser">
      <ChoiceItem
        label={words.answerWith}
        hint={words.answerWithHint}
        options={words.answerModes}
        chosen={answerWith}
        onChoose={(value) => preferences.set({ answerWith: value })}
      />
      <SwitchItem
        label={words.showCursor}
        hint={words.showCursorHint}
        isOn={showCursor}
        onChange={(on) => preferences.set({ showCursor: on })}
      />
      <LinkItem
        label={words.snippets}
        value={String(snippets.length)}
        onClick={() => onOpen("settings-snippets")}
      />
      <SwitchItem
        label={words.enterSends}
        hint={words.enterSendsHint}
        isOn={enterSends}
        onChange={(on) => preferences.set({ enterSends: on })}
      />
      <SwitchItem
        label={words.singleKeys}
        isOn={singleKeys}
        onChange={(on) => preferences.set({ singleKeys: on })}
      />
    </Group>
  );
}

function TerminalGroup({ onOpen }: { readonly onOpen: (page: string) => void }): JSX.Element {
  const { config } = useServer();
  const { preferences } = useBrowser();
  const { terminalSize, wrap, colours, tintDiffs, keys } = preferences.current.value;
  const { min, max } = TERMINAL_SIZES;
  const resize = (step: number) => preferences.set({ terminalSize: terminalSize + step });
  return (
    <Group title={words.terminal} whose="thisBrowser">
      <Item label={words.textSize}>
        <span class="stepper" role="group" aria-label={words.textSize}>
          <button
            type="button"
            class="smaller"
            aria-label={paneWords.smaller}
            disabled={terminalSize <= min}
            onClick={() => resize(-1)}
          >
            A
          </button>
          <span class="numbers" aria-live="polite">
            {words.pixels(terminalSize)}
          </span>
          <button
            type="button"
            class="larger"
            aria-label={paneWords.larger}
            disabled={terminalSize >= max}
            onClick={() => resize(1)}
          >
            A
          </button>
        </span>
      </Item>
      <SwitchItem label={words.wrap} isOn={wrap} onChange={(on) => preferences.set({ wrap: on })} />
      {config.has("styled_lines_v1") && (
        <SwitchItem
          label={words.colours}
          isOn={colours}
          onChange={(on) => preferences.set({ colours: on })}
        />
      )}
      <SwitchItem
        label={words.tintDiffs}
        isOn={tintDiffs}
        onChange={(on) => preferences.set({ tintDiffs: on })}
      />
      <LinkItem
        label={words.keys}
        hint={words.keysHint}
        value={String(keys.length)}
        onClick={() => onOpen("settings-keys")}
      />
    </Group>
  );
}

function AlertsGroup({ onOpen }: { readonly onOpen: (page: string) => void }): JSX.Element {
  const { config, notifications } = useServer();
  const { alerts, preferences } = useBrowser();
  const { notify, notifyErrors, notifyNames, sound, vibrate, badge } = preferences.current.value;
  const [permission, setPermission] = useState(alerts.permission);
  const isOn = notify && permission === "granted";
  const setNotify = async (on: boolean) => {
    if (!on) return preferences.set({ notify: false });
    const answer = await alerts.ask();
    setPermission(answer);
    preferences.set({ notify: answer === "granted" });
  };
  return (
    <Group title={words.alerts} whose="thisBrowser">
      {config.has("web_push_v1") && (
        <LinkItem
          label={notificationWords.title}
          hint={notificationWords.hint}
          value={notifications.deviceId.value === null ? notificationWords.tags.off : ""}
          onClick={() => onOpen("settings-notifications")}
        />
      )}
      <SwitchItem
        label={words.notify}
        hint={hintFor(permission)}
        isOn={isOn}
        disabled={permission === "unsupported"}
        onChange={(on) => void setNotify(on)}
      />
      <SwitchItem
        label={words.notifyErrors}
        isOn={notifyErrors}
        onChange={(on) => preferences.set({ notifyErrors: on })}
      />
      <SwitchItem
        label={words.notifyNames}
        hint={words.notifyNamesHint}
        isOn={notifyNames}
        disabled={!isOn}
        onChange={(on) => preferences.set({ notifyNames: on })}
      />
      <SwitchItem
        label={words.sound}
        isOn={sound}
        onChange={(on) => {
          preferences.set({ sound: on });
          if (on) alerts.beep();
        }}
      />
      {"vibrate" in navigator && (
        <SwitchItem
          label={words.vibrate}
          isOn={vibrate}
          onChange={(on) => preferences.set({ vibrate: on })}
        />
      )}
      {"setAppBadge" in navigator && (
        <SwitchItem
          label={words.badge}
          isOn={badge}
          onChange={(on) => preferences.set({ badge: on })}
        />
      )}
    </Group>
  );
}

function hintFor(permission: NotificationPermission | "unsupported"): string {
  if (permission === "unsupported") return words.notifyUnsupported;
  return permission === "denied" ? words.notifyBlocked : words.notifyHint;
}

function DataGroup(): JSX.Element {
  const client = useClient();
  const { preferences } = client.browser;
  return (
    <Group title={words.data} whose="thisBrowser">
      <SwitchItem
        label={words.lowData}
        hint={words.lowDataHint}
        isOn={preferences.current.value.lowData}
        onChange={(on) => {
          preferences.set({ lowData: on });
          client.server.connect();
        }}
      />
    </Group>
  );
}
