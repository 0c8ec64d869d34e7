import type { JSX } from "preact";
import { DEFAULT_KEYS, TERMINAL_SIZES, THEMES } from "../../state/browser/preferences.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { cleanInput } from "../../model/text.ts";
import { Item, SwitchItem } from "../../ui/item.tsx";
import { Segments } from "../../ui/segments.tsx";
import { common } from "../../words/common.ts";
import { keys as keyWords, pane as paneWords } from "../../words/pane.ts";
import { settings as words } from "../../words/settings.ts";
import { EditList } from "./edit-list.tsx";
import { Flag, Group, Leads, Pick } from "./rows.tsx";

// Pages of what belongs to this browser alone.

const MAX_SNIPPETS = 40;
const ASK_ONCE = ["askGrant", "askDelete", "askForce", "askRoot", "askInternet"] as const;

export function AnsweringSettings(): JSX.Element {
  const { snippets } = useBrowser().preferences.current.value;
  return (
    <>
      <Group title={words.answering} whose="thisBrowser">
        <Pick
          name="answerWith"
          label={words.answerWith}
          hint={words.answerWithHint}
          options={words.answerModes}
        />
        <Flag name="showCursor" label={words.showCursor} hint={words.showCursorHint} />
        <Leads to="settings-snippets" label={words.snippets} value={String(snippets.length)} />
        <Flag name="enterSends" label={words.enterSends} hint={words.enterSendsHint} />
      </Group>
      <Group title={words.askOnce} whose="thisBrowser">
        <p class="page-text">{words.askOnceHint}</p>
        {ASK_ONCE.map((name) => (
          <Flag key={name} name={name} label={words[name]} />
        ))}
      </Group>
    </>
  );
}

export function LookSettings(): JSX.Element {
  const client = useClient();
  const { preferences } = client.browser;
  const connectAnew = () => client.server.connect();
  return (
    <Group title={words.look} whose="thisBrowser">
      <Item label={words.theme}>
        <Segments
          label={words.theme}
          options={THEMES.map((value) => ({ value, label: words.themes[value] }))}
          chosen={preferences.current.value.theme}
          onChoose={(value) => preferences.set({ theme: value })}
        />
      </Item>
      <Pick
        name="destination"
        label={words.destination}
        hint={words.destinationHint}
        options={common.tabs}
      />
      <Flag name="singleKeys" label={words.singleKeys} />
      <Flag name="lowData" label={words.lowData} hint={words.lowDataHint} onChange={connectAnew} />
    </Group>
  );
}

export function TerminalSettings(): JSX.Element {
  const { config } = useServer();
  const { keys } = useBrowser().preferences.current.value;
  return (
    <Group title={words.terminal} whose="thisBrowser">
      <TextSize />
      <Flag name="wrap" label={words.wrap} />
      <Flag name="follow" label={words.follow} />
      {config.has("styled_lines_v1") && <Flag name="colours" label={words.colours} />}
      <Flag name="tintDiffs" label={words.tintDiffs} />
      <Leads
        to="settings-keys"
        label={words.keys}
        hint={words.keysHint}
        value={String(keys.length)}
      />
    </Group>
  );
}

function TextSize(): JSX.Element {
  const { preferences } = useBrowser();
  const { terminalSize } = preferences.current.value;
  const Step = (props: { readonly by: 1 | -1; readonly limit: number }) => (
    <button
      type="button"
      class={props.by < 0 ? "smaller" : "larger"}
      aria-label={props.by < 0 ? paneWords.smaller : paneWords.larger}
      disabled={terminalSize === props.limit}
      onClick={() => preferences.set({ terminalSize: terminalSize + props.by })}
    >
      A
    </button>
  );
  return (
    <Item label={words.textSize}>
      <span class="stepper" role="group" aria-label={words.textSize}>
        <Step by={-1} limit={TERMINAL_SIZES.min} />
        <span class="numbers" aria-live="polite">
          {words.pixels(terminalSize)}
        </span>
        <Step by={1} limit={TERMINAL_SIZES.max} />
      </span>
    </Item>
  );
}

/** The texts at hand in the composer. */
export function Snippets(): JSX.Element {
  const { preferences } = useBrowser();
  return (
    <>
      <p class="page-text">{words.snippetsText}</p>
      <EditList
        items={preferences.current.value.snippets}
        most={MAX_SNIPPETS}
        labelOf={words.snippet}
        newLabel={words.newSnippet}
        removeLabel={words.remove}
        save={async (next) => {
          const texts = next(preferences.current.peek().snippets);
          preferences.set({ snippets: texts.map((text) => cleanInput(text).text.trim()) });
          return null;
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
  if (ordered.length === 0) return <p class="page-text">{words.keysNone}</p>;
  return (
    <div class="set">
      {ordered.map((key) => (
        <SwitchItem
          key={key}
          label={
            key.startsWith("C-")
              ? keyWords.control(key.slice(2).toUpperCase())[1]
              : (keyWords.names[key]?.[1] ?? key)
          }
          isOn={keys.includes(key)}
          onChange={(on) =>
            preferences.set({
              keys: ordered.filter((one) => (one === key ? on : keys.includes(one))),
            })
          }
        />
      ))}
    </div>
  );
}
