import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { LiveConfig } from "../../../src/protocol/config.ts";
import { useServer } from "../../state/client.ts";
import type { Saving, SettingName } from "../../state/server/settings.ts";
import { ChoiceItem, Item, SwitchItem } from "../../ui/item.tsx";
import { settings as words } from "../../words/settings.ts";

/** Names of the settings whose value is of a type. */
type NamesOf<T> = { [K in SettingName]: LiveConfig[K] extends T ? K : never }[SettingName];

/** How the last change fares, below its row. */
export function SavingNote({ saving }: { readonly saving: Saving | null }): JSX.Element | null {
  if (saving === null) return null;
  if (saving.step === "saving")
    return (
      <p class="saving" role="status">
        {words.saving}
      </p>
    );
  return (
    <p class="saving wrong" role="alert">
      {saving.step === "lost" ? words.lost : words.failed(saving.reason)}
    </p>
  );
}

export function ServerSwitch(props: {
  readonly name: NamesOf<boolean>;
  readonly label: string;
  readonly hint?: string | undefined;
}): JSX.Element {
  const { name, label, hint } = props;
  const { settings } = useServer();
  const isOn = settings.shown(name);
  return (
    <div class="item-box">
      <SwitchItem
        label={label}
        hint={hint}
        isOn={isOn === true}
        disabled={isOn === null}
        onChange={(on) => void settings.save(name, on)}
      />
      <SavingNote saving={settings.saving(name).value} />
    </div>
  );
}

export function ServerChoice<Name extends "naming_mode">(props: {
  readonly name: Name;
  readonly label: string;
  readonly options: Readonly<Record<LiveConfig[Name], string>>;
}): JSX.Element {
  const { name, label, options } = props;
  const { settings } = useServer();
  const chosen = settings.shown(name);
  return (
    <div class="item-box">
      {chosen !== null && (
        <ChoiceItem
          label={label}
          options={options}
          chosen={chosen}
          onChoose={(value) => void settings.save(name, value)}
        />
      )}
      <SavingNote saving={settings.saving(name).value} />
    </div>
  );
}

/** A number, saved when the field is left or Enter is pressed. The server clamps and refuses. */
export function ServerNumber(props: {
  readonly name: NamesOf<number>;
  readonly label: string;
  readonly hint: string;
}): JSX.Element {
  const { name, label, hint } = props;
  const { settings } = useServer();
  const value = settings.shown(name);
  const saving = settings.saving(name).value;
  const [text, setText] = useState(String(value ?? ""));
  useEffect(() => {
    // What was refused stays to be corrected; what was saved is shown as the server keeps it.
    if (saving === null) setText(String(value ?? ""));
  }, [value, saving]);
  const commit = () => {
    if (text.trim() === String(value ?? "")) return;
    const number = Number(text.trim().replace(",", "."));
    // What is no number goes as it was written: the server says what it wants.
    void settings.save(name, text.trim() === "" || Number.isNaN(number) ? text : number);
  };
  return (
    <div class="item-box">
      <Item label={label} hint={hint}>
        <input
          class={`item-number numbers ${saving?.step === "failed" ? "wrong" : ""}`}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          aria-label={label}
          aria-invalid={saving?.step === "failed"}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
          }}
        />
      </Item>
      <SavingNote saving={saving} />
    </div>
  );
}
