import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { LiveConfig } from "../../../src/protocol/config.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { Saving, SettingName } from "../../state/server/settings.ts";
import { ChoiceItem, Item, LinkItem, SwitchItem } from "../../ui/item.tsx";
import { Section } from "../../ui/section.tsx";
import { settings as words } from "../../words/settings.ts";
import type { SettingsPage } from "./names.ts";

/** Names of the members of `T` whose value is of a type. */
type NamesOf<T, V> = { [K in keyof T]: T[K] extends V ? K : never }[keyof T];

/** Rows under a heading that says whom they are for. */
export function Group(props: {
  readonly title: string;
  readonly whose?: "thisBrowser" | "thisDevice" | "everyone";
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, whose, children } = props;
  return (
    <Section kind="sheet" title={title} end={whose !== undefined && <span>{words[whose]}</span>}>
      <div class="set">{children}</div>
    </Section>
  );
}

interface Text {
  readonly label: string;
  readonly hint?: string | undefined;
}

/** A switch of this browser; `onChange` does what goes with it. */
export function Flag(
  props: Text & {
    readonly name: NamesOf<Preferences, boolean>;
    readonly onChange?: (isOn: boolean) => void;
  },
): JSX.Element {
  const { name, onChange, ...text } = props;
  const { preferences } = useBrowser();
  return (
    <SwitchItem
      {...text}
      isOn={preferences.current.value[name]}
      onChange={(isOn) => {
        preferences.set({ [name]: isOn });
        onChange?.(isOn);
      }}
    />
  );
}

/** One of a list, for this browser. */
export function Pick<Name extends "destination" | "answerWith">(
  props: Text & {
    readonly name: Name;
    readonly options: Readonly<Record<Preferences[Name], string>>;
  },
): JSX.Element {
  const { name, ...rest } = props;
  const { preferences } = useBrowser();
  return (
    <ChoiceItem
      {...rest}
      chosen={preferences.current.value[name]}
      onChoose={(value) => preferences.set({ [name]: value })}
    />
  );
}

/** The way to a page behind this one. */
export function Leads(
  props: Text & { readonly to: SettingsPage; readonly value?: string },
): JSX.Element {
  const { to, ...rest } = props;
  const { router } = useBrowser();
  return <LinkItem {...rest} onClick={() => router.show(to, null, "above")} />;
}

/** How the last change fares, below its row. */
export function SavingNote({ saving }: { readonly saving: Saving | null }): JSX.Element | null {
  if (saving === null) return null;
  if (saving.step === "saving") return <Saved>{words.saving}</Saved>;
  return <Fault>{saving.step === "lost" ? words.lost : words.failed(saving.reason)}</Fault>;
}

const Saved = ({ children }: { readonly children: string }): JSX.Element => (
  <p class="saving" role="status">
    {children}
  </p>
);

/** Why something was not done, below its row. */
export const Fault = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <p class="saving wrong" role="alert">
    {children}
  </p>
);

export function ServerSwitch(
  props: Text & { readonly name: NamesOf<LiveConfig, boolean> },
): JSX.Element {
  const { name, ...text } = props;
  const { settings } = useServer();
  const isOn = settings.shown(name);
  return (
    <ServerItem name={name}>
      <SwitchItem
        {...text}
        isOn={isOn === true}
        disabled={isOn === null}
        onChange={(on) => void settings.save(name, on)}
      />
    </ServerItem>
  );
}

export function ServerChoice<Name extends "naming_mode">(
  props: Text & {
    readonly name: Name;
    readonly options: Readonly<Record<LiveConfig[Name], string>>;
  },
): JSX.Element {
  const { name, ...rest } = props;
  const { settings } = useServer();
  const chosen = settings.shown(name);
  return (
    <ServerItem name={name}>
      {chosen !== null && (
        <ChoiceItem
          {...rest}
          chosen={chosen}
          onChoose={(value) => void settings.save(name, value)}
        />
      )}
    </ServerItem>
  );
}

/** A number for everyone. What is no number goes as it was written: the server says what it wants. */
export function ServerNumber(
  props: Text & { readonly name: NamesOf<LiveConfig, number> },
): JSX.Element {
  const { name, ...text } = props;
  const { settings } = useServer();
  const saving = settings.saving(name).value;
  return (
    <ServerItem name={name}>
      <NumberItem
        {...text}
        value={settings.shown(name)}
        isWrong={saving?.step === "failed"}
        // What was refused stays to be corrected; what was saved is shown as the server keeps it.
        isHeld={saving !== null}
        onCommit={(written) => {
          const number = Number(written.replace(",", "."));
          const isNumber = written !== "" && !Number.isNaN(number);
          void settings.save(name, isNumber ? number : written);
        }}
      />
    </ServerItem>
  );
}

function ServerItem(props: {
  readonly name: SettingName;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { settings } = useServer();
  return (
    <div class="item-box">
      {props.children}
      <SavingNote saving={settings.saving(props.name).value} />
    </div>
  );
}

/** A field for a number, committed when it is left or Enter is pressed. */
export function NumberItem(
  props: Text & {
    readonly value: number | null;
    readonly isWrong: boolean;
    /** What was written stays, although `value` is another. */
    readonly isHeld: boolean;
    readonly onCommit: (written: string) => void;
    readonly unit?: string;
  },
): JSX.Element {
  const { value, isWrong, isHeld, onCommit, unit, ...text } = props;
  const [written, setWritten] = useState("");
  const shown = value === null ? "" : String(value);
  // Before it is painted: what is written at once must not be overwritten.
  useLayoutEffect(() => {
    if (!isHeld) setWritten(shown);
  }, [shown, isHeld]);
  const commit = () => {
    if (written.trim() !== shown) onCommit(written.trim());
  };
  return (
    <Item {...text}>
      <span class="item-value">
        <input
          class={`item-number numbers ${isWrong ? "wrong" : ""}`}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          aria-label={text.label}
          aria-invalid={isWrong}
          value={written}
          onInput={(event) => setWritten(event.currentTarget.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
          }}
        />
        {unit}
      </span>
    </Item>
  );
}
