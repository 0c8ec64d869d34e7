// Rows of settings: of this browser (Flag, Pick), of everyone (ServerField), and what they are made of.
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConfigField } from "../../../src/protocol/config.ts";
import type { Result } from "../../net/api.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { Saving, SettingName } from "../../state/server/config.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import type { IconName } from "../../ui/icons.tsx";
import { ChoiceItem, Item, LinkItem, SwitchItem } from "../../ui/item.tsx";
import { Section } from "../../ui/section.tsx";
import { common } from "../../words/common.ts";
import { useAct } from "../parts/act.ts";
import type { SettingsPage } from "./settings.tsx";

/** Names of the members of `T` whose value is of a type. */
type NamesOf<T, V> = { [K in keyof T]: T[K] extends V ? K : never }[keyof T];

/** Rows under a heading that says whom they are for. */
export function Group(props: {
  readonly title: string;
  readonly whose?: "this browser" | "this device" | "everyone" | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, whose, children } = props;
  return (
    <Section kind="sheet" title={title} end={whose && <span>{whose}</span>}>
      <div class="set">{children}</div>
    </Section>
  );
}

interface Text {
  readonly icon?: IconName;
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

/** The way to a page behind this one, about one thing where it is given. */
export function Leads(
  props: Text & { readonly to: SettingsPage; readonly of?: string; readonly value?: string },
): JSX.Element {
  const { to, of = null, ...rest } = props;
  const { router } = useBrowser();
  return <LinkItem {...rest} onClick={() => router.show(to, of, "above")} />;
}

/** Why something was not done, below its row; nothing where it was. */
export const Fault = ({ children }: { readonly children: ComponentChildren }) =>
  children ? (
    <p class="saving wrong" role="alert">
      {children}
    </p>
  ) : null;

/** How the last change fares, below its row. */
export function SavingNote({ saving }: { readonly saving: Saving | null }): JSX.Element | null {
  if (saving === null) return null;
  if (saving.step === "saving")
    return (
      <p class="saving" role="status">
        Saving
      </p>
    );
  if (saving.step === "lost") return <Fault>Not saved: the server did not answer.</Fault>;
  return <Fault>{saving.reason === "" ? "Not saved." : `Not saved: ${saving.reason}`}</Fault>;
}

/** A button that asks once more in its own place before it acts. */
export function Twice(props: {
  readonly label: string;
  /** The accessible name, where the label is not enough. */
  readonly name?: string;
  readonly sure: string;
  readonly text?: string;
  readonly isOff?: boolean;
  readonly onSure: () => unknown;
}): JSX.Element {
  const { label, name, sure, text, isOff = false, onSure } = props;
  const [isAsking, setAsking] = useState(false);
  if (!isAsking)
    return (
      <Button size="small" aria-label={name} disabled={isOff} onClick={() => setAsking(true)}>
        {label}
      </Button>
    );
  const act = async () => {
    await onSure();
    setAsking(false);
  };
  return (
    <div class="twice" role="group" aria-label={name ?? label}>
      {text !== undefined && <p class="item-hint">{text}</p>}
      <div class="actions">
        <Button size="small" tone="danger" disabled={isOff} onClick={() => void act()}>
          {sure}
        </Button>
        <Button size="small" disabled={isOff} onClick={() => setAsking(false)}>
          {common.cancel}
        </Button>
      </div>
    </div>
  );
}

/** A setting of everyone, drawn as what it is: a number, a switch, or one of a list. */
export function ServerField(props: {
  readonly field: Partial<ConfigField> & Pick<ConfigField, "live" | "kind" | "label">;
  readonly hint?: string;
}): JSX.Element | null {
  const { field, hint = hintOf(field) } = props;
  const { settings } = useServer();
  const { kind, label, values } = field;
  const name = field.live as SettingName; // A newer server may have others, whose values it tells too.
  const saving = settings.saving(name).value;
  const value: unknown = settings.shown(name);
  const save = (next: unknown) => void settings.save(name, next);
  const text = { label, hint: hint || undefined };
  return (
    <div class="item-box">
      {kind === "boolean" && (
        <SwitchItem {...text} isOn={value === true} disabled={value === null} onChange={save} />
      )}
      {kind === "choice" && typeof value === "string" && (
        <ChoiceItem
          {...text}
          chosen={value}
          options={Object.fromEntries((values ?? [value]).map((one) => [one, worded(one)]))}
          onChoose={save}
        />
      )}
      {(kind === "number" || kind === "integer") && (
        <NumberItem
          {...text}
          value={typeof value === "number" ? value : null}
          isWrong={saving?.step === "failed"}
          // What was refused stays to be corrected; what was saved is shown as the server keeps it.
          isHeld={saving !== null}
          // What is no number goes as it was written: the server says what it wants.
          onCommit={(written) => {
            const number = Number(written.replace(",", "."));
            save(written === "" || Number.isNaN(number) ? written : number);
          }}
        />
      )}
      <SavingNote saving={saving} />
    </div>
  );
}

/** `session_window_pane` is "Session, window, pane". */
function worded(value: string): string {
  const words = value.replaceAll("_", ", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function hintOf({ help = "", min = null, max = null }: Partial<ConfigField>): string {
  const text = help.replaceAll("`", "");
  return min === null || max === null ? text : `${text} ${min} to ${max}.`;
}

/** A text that is taken when its field is left or Enter is pressed, which the browser knows. */
export function CommitInput(props: {
  readonly label: string;
  readonly value: string;
  readonly onCommit: (written: string) => void;
  /** What was written stays, although `value` is another. */
  readonly isHeld?: boolean;
  readonly isWrong?: boolean;
  readonly isCode?: boolean;
  readonly isNumber?: boolean;
  readonly class?: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
}): JSX.Element {
  const { label, value, onCommit, isHeld = false, isWrong = false, ...rest } = props;
  const { isCode = false, isNumber = false, class: extra = "", placeholder, maxLength } = rest;
  const field = useRef<HTMLInputElement>(null);
  // Before it is painted: what is written at once must not be overwritten.
  useLayoutEffect(() => {
    if (!isHeld && field.current) field.current.value = value;
  }, [value, isHeld]);
  return (
    <input
      ref={field}
      type="text"
      dir={isNumber ? "ltr" : "auto"}
      inputMode={isNumber ? "decimal" : undefined}
      autocomplete="off"
      {...(isCode && CODE)}
      class={`${extra} ${isCode ? "mono" : ""} ${isWrong ? "wrong" : ""}`}
      placeholder={placeholder}
      maxLength={maxLength}
      aria-label={label}
      aria-invalid={isWrong}
      onChange={({ currentTarget: { value: written } }) => {
        if (written !== value) onCommit(written);
      }}
    />
  );
}

/** What is written in code has no words to correct. */
export const CODE = { dir: "ltr", autocapitalize: "off", spellcheck: false } as const;

export function NumberItem(
  props: Text & {
    readonly value: number | null;
    readonly isWrong: boolean;
    readonly isHeld: boolean;
    readonly onCommit: (written: string) => void;
    readonly unit?: string;
  },
): JSX.Element {
  const { value, unit, label, hint, onCommit, ...rest } = props;
  return (
    <Item label={label} hint={hint}>
      <span class="item-value">
        <CommitInput
          {...rest}
          class="item-number numbers round-2 fill fs-16"
          isNumber
          label={label}
          value={value === null ? "" : String(value)}
          onCommit={(written) => onCommit(written.trim())}
        />
        {unit}
      </span>
    </Item>
  );
}

interface EditListProps {
  readonly items: readonly string[];
  readonly most: number;
  readonly isCode?: boolean;
  /** What one of them is called, before its number or behind "New". */
  readonly noun: string;
  /** Saves a list. */
  readonly save: (next: (list: readonly string[]) => string[]) => Promise<Result<unknown>>;
}

/** A list of texts. Each row is saved by itself; what is refused stays in its field, with the reason. */
export function EditList(props: EditListProps): JSX.Element {
  const { items, most } = props;
  const rows = items.length < most ? [...items, null] : items;
  return (
    <ul class="set">
      {rows.map((item, index) => (
        <EditRow key={`${item} ${index}`} {...props} item={item} index={index} />
      ))}
    </ul>
  );
}

/** Its item is null in the row for a new one. */
function EditRow(
  props: EditListProps & { readonly item: string | null; readonly index: number },
): JSX.Element {
  const { item, index, noun, isCode = false, save } = props;
  const label = item === null ? `New ${noun.toLowerCase()}` : `${noun} ${index + 1}`;
  const act = useAct("Not saved");
  const row = useRef<HTMLDivElement>(null);
  const replaceBy = (next: string) => {
    if (next !== (item ?? "")) void act.run(() => save((list) => replaced(list, item, next)));
  };
  return (
    <li>
      <div class="flex gap-6 edit-row" ref={row}>
        <CommitInput
          isCode={isCode}
          class="grow"
          label={label}
          value={item ?? ""}
          // Another list is another row.
          isHeld
          isWrong={act.fault !== ""}
          placeholder={item === null ? label : ""}
          onCommit={(written) => {
            if (written.trim() !== "") replaceBy(written);
          }}
        />
        {item === null ? (
          <Button
            size="small"
            disabled={act.isBusy}
            onClick={() => replaceBy(row.current?.querySelector("input")?.value ?? "")}
          >
            Add
          </Button>
        ) : (
          <IconButton
            icon="close"
            label={`Remove “${item}”`}
            disabled={act.isBusy}
            onClick={() => replaceBy("")}
          />
        )}
      </div>
      {act.isBusy && <SavingNote saving={{ step: "saving", value: null }} />}
      <Fault>{act.fault}</Fault>
    </li>
  );
}

/** The list with one item replaced, added (`before` null) or removed (`after` empty). */
function replaced(list: readonly string[], before: string | null, after: string): string[] {
  if (before === null) return list.includes(after) ? [...list] : [...list, after];
  const at = list.indexOf(before);
  return at < 0 ? [...list] : list.toSpliced(at, 1, ...(after.trim() === "" ? [] : [after]));
}
