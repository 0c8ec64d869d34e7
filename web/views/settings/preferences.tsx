import type { JSX } from "preact";
import { DEFAULT_KEYS } from "../../state/browser/preferences.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Item, SwitchItem, Segments } from "../../ui/item.tsx";
import { common } from "../../words/common.ts";
import { stripNames } from "../parts/key-caps.tsx";
import { TerminalSize } from "../pane/menu.tsx";
import { SettingRows, usePreferenceEditor } from "./fields.tsx";
import { Group, PageLink, ConfirmInPlace } from "./rows.tsx";

const ABOUT_SNIPPETS =
  "They are put into a message and never sent by themselves. The first is what “Continue then” says.";
const DONE = { ok: true, value: null } as const;
const CONFIRM_HINT = "A dangerous one is asked once more, also by one tap";
/** Kinds of answers that can be asked for confirmation, by their preference. */
const CONFIRMED_KINDS = [
  ["askGrant", "Allows it from then on"],
  ["askDelete", "Deletes for good"],
  ["askForce", "Forces a push"],
  ["askRoot", "Runs as root"],
  ["askInternet", "Runs from the internet"],
] as const;
export const ANSWER_MODES = { tap: "One tap", confirm: "Tap and confirm", hold: "Hold" } as const;
const TEXT_SIZE_NAMES = {
  small: "Small",
  normal: "Normal",
  large: "Large",
  largest: "Very large",
} as const;
export const THEME_NAMES = { system: "Auto", light: "Light", dark: "Dark" } as const;

export function AnsweringSettings(): JSX.Element {
  const editor = usePreferenceEditor();
  return (
    <>
      <Group title="How an answer is sent" audience="this browser">
        <SettingRows
          of={editor}
          rows={[
            ["answerWith", "Answer with", CONFIRM_HINT, ANSWER_MODES],
            ["showCursor", "Show highlighted answer", "Mark what the terminal has selected"],
          ]}
        />
        <PageLink to="settings-snippets" value={String(editor.shown("snippets")?.length)} />
        <SettingRows
          of={editor}
          rows={[["enterSends", "Enter sends", "Shift Enter begins a new line"]]}
        />
      </Group>
      <Group title="Ask once more" audience="this browser">
        <p class="page-text">Before an answer that does one of these is sent</p>
        <SettingRows of={editor} rows={CONFIRMED_KINDS} />
      </Group>
    </>
  );
}

export function LookSettings(): JSX.Element {
  const { preferences } = useBrowser();
  return (
    <Group title="How this page looks" audience="this browser">
      <Item label="Theme">
        <Segments
          label="Theme"
          options={THEME_NAMES}
          chosen={preferences.current.value.theme}
          onChoose={(theme) => preferences.set({ theme })}
        />
      </Item>
      <SettingRows
        of={usePreferenceEditor()}
        rows={[
          ["textSize", "Text size", "That of the terminal stands under Terminal", TEXT_SIZE_NAMES],
          ["destination", "Open at", "Where the app starts", common.tabs],
          ["singleKeys", "Single keys on the keyboard"],
          ["lowData", "Low data", "Smaller images"],
        ]}
      />
    </Group>
  );
}

export function TerminalSettings(): JSX.Element {
  const { config } = useServer();
  const editor = usePreferenceEditor();
  return (
    <Group title="How it is drawn" audience="this browser">
      <TerminalSize />
      <SettingRows
        of={editor}
        rows={[
          ["wrap", "Wrap lines"],
          ["follow", "Follow new output"],
          config.has("styled_lines_v1") && ["colours", "Colours of the terminal"],
          ["tintDiffs", "Tint added and removed lines"],
        ]}
      />
      <PageLink
        to="settings-keys"
        hint="Which ones stand above the message"
        value={String(editor.shown("keys")?.length)}
      />
    </Group>
  );
}

export const Snippets = (): JSX.Element => (
  <div class="set">
    <SettingRows of={usePreferenceEditor()} rows={[["snippets", "Snippets", ABOUT_SNIPPETS]]} />
  </div>
);

export function KeyChoice(): JSX.Element {
  const { config } = useServer();
  const { preferences } = useBrowser();
  const { keys } = preferences.current.value;
  const allowed = config.allowedKeys.value;
  const usual = DEFAULT_KEYS.filter((key) => allowed.includes(key));
  const ordered = [...usual, ...allowed.filter((key) => !usual.includes(key))];
  if (ordered.length === 0) return <p class="page-text">The server allows no keys.</p>;
  const set = (key: string, on: boolean) =>
    preferences.set({ keys: ordered.filter((one) => (one === key ? on : keys.includes(one))) });
  return (
    <div class="set">
      {ordered.map((key) => (
        <SwitchItem
          key={key}
          label={stripNames(key)[1]}
          isOn={keys.includes(key)}
          onChange={(on) => set(key, on)}
        />
      ))}
    </div>
  );
}

export function SignOut(): JSX.Element | null {
  const client = useClient();
  if (client.server.token.get() === "") return null;
  const signOut = async () => {
    client.browser.router.close(() => client.signOut());
    return DONE;
  };
  return (
    <ConfirmInPlace
      isRow
      label="Sign out of this browser"
      sure="Sign out now"
      text="Forgets the token and the drafts in this browser"
      notDone="Not signed out"
      onSure={signOut}
    />
  );
}
