// Pages of what belongs to this browser alone.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { cleanInput } from "../../model/text.ts";
import { DEFAULT_KEYS, TERMINAL_SIZES, THEMES } from "../../state/browser/preferences.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Item, SwitchItem } from "../../ui/item.tsx";
import { Segments } from "../../ui/segments.tsx";
import { common } from "../../words/common.ts";
import { keys as keyWords } from "../../words/pane.ts";
import { EditList, Flag, Group, Leads, Pick } from "./rows.tsx";

const MAX_SNIPPETS = 40;
/** What an answer does that is asked once more, by the preference that switches it. */
const ASK_ONCE = [
  ["askGrant", "Allows it from then on"],
  ["askDelete", "Deletes for good"],
  ["askForce", "Forces a push"],
  ["askRoot", "Runs as root"],
  ["askInternet", "Runs from the internet"],
] as const;
export const ANSWER_MODES = { tap: "One tap", confirm: "Tap and confirm", hold: "Hold" } as const;
export const THEME_NAMES = { system: "Auto", light: "Light", dark: "Dark" } as const;

export function AnsweringSettings(): JSX.Element {
  const { snippets } = useBrowser().preferences.current.value;
  return (
    <>
      <Group title="How an answer is sent" whose="this browser">
        <Pick
          name="answerWith"
          label="Answer with"
          hint="A dangerous one is asked once more, also by one tap"
          options={ANSWER_MODES}
        />
        <Flag
          name="showCursor"
          label="Show highlighted answer"
          hint="Mark what the terminal has selected"
        />
        <Leads to="settings-snippets" label="Snippets" value={String(snippets.length)} />
        <Flag name="enterSends" label="Enter sends" hint="Shift Enter begins a new line" />
      </Group>
      <Group title="Ask once more" whose="this browser">
        <p class="page-text">Before an answer that does one of these is sent</p>
        {ASK_ONCE.map(([name, label]) => (
          <Flag key={name} name={name} label={label} />
        ))}
      </Group>
    </>
  );
}

export function LookSettings(): JSX.Element {
  const client = useClient();
  const { preferences } = client.browser;
  return (
    <Group title="How this page looks" whose="this browser">
      <Item label="Theme">
        <Segments
          label="Theme"
          options={THEMES.map((value) => ({ value, label: THEME_NAMES[value] }))}
          chosen={preferences.current.value.theme}
          onChoose={(value) => preferences.set({ theme: value })}
        />
      </Item>
      <Pick name="destination" label="Open at" hint="Where the app starts" options={common.tabs} />
      <Flag name="singleKeys" label="Single keys on the keyboard" />
      <Flag
        name="lowData"
        label="Low data"
        hint="Only what is needed, smaller images"
        onChange={() => client.server.connect()}
      />
    </Group>
  );
}

export function TerminalSettings(): JSX.Element {
  const { config } = useServer();
  const { preferences } = useBrowser();
  const { keys, terminalSize } = preferences.current.value;
  const step = (by: 1 | -1, limit: number) => (
    <button
      type="button"
      class={by < 0 ? "smaller" : "larger"}
      aria-label={by < 0 ? "Smaller text" : "Larger text"}
      disabled={terminalSize === limit}
      onClick={() => preferences.set({ terminalSize: terminalSize + by })}
    >
      A
    </button>
  );
  return (
    <Group title="How it is drawn" whose="this browser">
      <Item label="Text size">
        <span class="stepper inline fs-13 fill round-2" role="group" aria-label="Text size">
          {step(-1, TERMINAL_SIZES.min)}
          <span class="numbers" aria-live="polite">
            {terminalSize} px
          </span>
          {step(1, TERMINAL_SIZES.max)}
        </span>
      </Item>
      <Flag name="wrap" label="Wrap lines" />
      <Flag name="follow" label="Follow new output" />
      {config.has("styled_lines_v1") && <Flag name="colours" label="Colours of the terminal" />}
      <Flag name="tintDiffs" label="Tint added and removed lines" />
      <Leads
        to="settings-keys"
        label="Keys"
        hint="Which ones stand above the message"
        value={String(keys.length)}
      />
    </Group>
  );
}

/** The texts at hand in the composer. */
export function Snippets(): JSX.Element {
  const { preferences } = useBrowser();
  return (
    <>
      <p class="page-text">
        They are put into a message and never sent by themselves. The first one is what “Continue
        then” says.
      </p>
      <EditList
        items={preferences.current.value.snippets}
        most={MAX_SNIPPETS}
        noun="Snippet"
        save={async (next) => {
          const texts = next(preferences.current.peek().snippets);
          preferences.set({ snippets: texts.map((text) => cleanInput(text).text.trim()) });
          return { ok: true, value: null };
        }}
      />
    </>
  );
}

/** Which of the keys that the server allows stand above the composer. */
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
          label={keyWords.namesOf(key)[1]}
          isOn={keys.includes(key)}
          onChange={(on) => set(key, on)}
        />
      ))}
    </div>
  );
}

/** Asks once more: what was written here goes too. */
export function SignOut(): JSX.Element | null {
  const client = useClient();
  const [isAsking, setAsking] = useState(false);
  if (client.server.token.get() === "") return null;
  const signOut = () => client.browser.router.close(() => client.server.signOut());
  return (
    <div class="set settings-leave">
      {!isAsking && (
        <button type="button" class="item text-error" onClick={() => setAsking(true)}>
          Sign out of this browser
        </button>
      )}
      {isAsking && (
        <Item label="" hint="Forgets the token and the drafts in this browser">
          <Button size="small" tone="danger" onClick={signOut}>
            Sign out now
          </Button>
          <Button size="small" onClick={() => setAsking(false)}>
            {common.cancel}
          </Button>
        </Item>
      )}
    </div>
  );
}
