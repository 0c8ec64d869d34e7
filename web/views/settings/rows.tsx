// Rows of settings: of this browser (Flag, Pick), of everyone (ServerField), and what they are made of.
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { ConfigField } from "../../../src/protocol/config.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import type { Saving, SettingName } from "../../state/server/settings.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ChoiceItem, Item, LinkItem, SwitchItem } from "../../ui/item.tsx";
import { Section } from "../../ui/section.tsx";
import { useAct } from "../parts/act.ts";
import type { Result } from "../../net/api.ts";
import type { SettingsPage } from "./names.ts";

/** Names of the members of `T` whose value is of a type. */
type NamesOf<T, V> = { [K in keyof T]: T[K] extends V ? K : never }[keyof T];

/** Rows under a heading that says whom they are for. */
export function Group(props: {
  readonly title: string;
  readonly whose?: "this browser" | "this device" | "everyone";
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, whose, children } = props;
  return (
    <Section kind="sheet" title={title} end={whose !== undefined && <span>{whose}</span>}>
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

/** The way to a page behind this one, about one thing where it is given. */
export function Leads(
  props: Text & { readonly to: SettingsPage; readonly of?: string; readonly value?: string },
): JSX.Element {
  const { to, of = null, ...rest } = props;
  const { router } = useBrowser();
  return <LinkItem {...rest} onClick={() => router.show(to, of, "above")} />;
}

/** Why something was not done, below its row. */
export const Fault = ({ children }: { readonly children: ComponentChildren }): JSX.Element => (
  <p class="saving wrong" role="alert">
    {children}
  </p>
);

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

/** A setting of everyone, drawn as what it is: a number, a switch, or one of a list. */
export function ServerField(props: {
  readonly field: FieldFacts;
  readonly hint?: string;
}): JSX.Element | null {
  const { field, hint = hintOf(field) } = props;
  const { settings } = useServer();
  const { kind, label, values } = field;
  const name = field.live as SettingName; // A newer server may have others, whose values it tells too.
  const saving = settings.saving(name).value;
  const value: unknown = settings.shown(name);
  const save = (next: unknown) => void settings.save(name, next);
  const text = { label, ...(hint === "" ? {} : { hint }) };
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

type FieldFacts = Partial<ConfigField> & {
  readonly live: string;
  readonly kind: ConfigField["kind"];
  readonly label: string;
};

/** `session_window_pane` is "Session, window, pane". */
function worded(value: string): string {
  const words = value.replaceAll("_", ", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function hintOf({ help = "", min = null, max = null }: Partial<ConfigField>): string {
  const text = help.replaceAll("`", "");
  return min === null || max === null ? text : `${text} ${min} to ${max}.`;
}

/** A text that is taken when its field is left or Enter is pressed. */
export function CommitInput(props: {
  readonly label: string;
  readonly value: string;
  readonly onCommit: (written: string) => void;
  readonly onInput?: (written: string) => void;
  /** What was written stays, although `value` is another. */
  readonly isHeld?: boolean;
  readonly isWrong?: boolean;
  readonly isCode?: boolean;
  readonly isNumber?: boolean;
  readonly class?: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
}): JSX.Element {
  const { label, value, onCommit, onInput, isHeld = false, isWrong = false } = props;
  const { isCode = false, isNumber = false, class: extra = "", ...rest } = props;
  const [written, setWritten] = useState(value);
  // Before it is painted: what is written at once must not be overwritten.
  useLayoutEffect(() => {
    if (!isHeld) setWritten(value);
  }, [value, isHeld]);
  const commit = () => {
    if (written !== value) onCommit(written);
  };
  return (
    <input
      class={`${extra} ${isCode ? "mono" : ""} ${isWrong ? "wrong" : ""}`}
      type="text"
      dir={isCode || isNumber ? "ltr" : "auto"}
      inputMode={isNumber ? "decimal" : undefined}
      autocomplete="off"
      autocapitalize={isCode ? "off" : "sentences"}
      spellcheck={!isCode}
      placeholder={rest.placeholder}
      maxLength={rest.maxLength}
      aria-label={label}
      aria-invalid={isWrong}
      value={written}
      onInput={({ currentTarget }) => {
        setWritten(currentTarget.value);
        onInput?.(currentTarget.value);
      }}
      onBlur={commit}
      onKeyDown={({ key }) => {
        if (key === "Enter") commit();
      }}
    />
  );
}

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
    <Item label={label} {...(hint === undefined ? {} : { hint })}>
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
  /** What one of them is called, with its number; without one the row for a new one. */
  readonly labelOf: (number: number | null) => string;
  /** Saves a list. */
  readonly save: (next: (list: readonly string[]) => string[]) => Promise<Result<unknown>>;
}

/** A list of texts. Each row is saved by itself; what is refused stays in its field, with the reason. */
export function EditList(props: EditListProps): JSX.Element {
  const { items, most } = props;
  return (
    <ul class="set">
      {items.map((item, index) => (
        <EditRow key={`${item} ${index}`} {...props} item={item} index={index} />
      ))}
      {items.length < most && (
        <EditRow key={`new ${items.length}`} {...props} item={null} index={items.length} />
      )}
    </ul>
  );
}

function EditRow(
  props: EditListProps & {
    /** Null is the row for a new one. */
    readonly item: string | null;
    readonly index: number;
  },
): JSX.Element {
  const { item, index, isCode = false, labelOf, save } = props;
  const label = labelOf(item === null ? null : index + 1);
  const act = useAct("Not saved");
  const [text, setText] = useState(item ?? "");
  const replaceBy = (next: string) =>
    void act.run(() => save((list) => replaced(list, item, next)));
  return (
    <li>
      <div class="flex gap-6 edit-row">
        <CommitInput
          class="grow"
          label={label}
          value={item ?? ""}
          // Another list is another row.
          isHeld
          isWrong={act.fault !== ""}
          isCode={isCode}
          placeholder={item === null ? label : ""}
          onInput={(written) => {
            setText(written);
            act.forget();
          }}
          onCommit={(written) => {
            if (written.trim() !== "") replaceBy(written);
          }}
        />
        {item === null ? (
          <Button
            size="small"
            disabled={text.trim() === "" || act.isBusy}
            onClick={() => replaceBy(text)}
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
      {act.isBusy && <SavingNote saving={{ step: "saving", value: text }} />}
      {act.fault !== "" && <Fault>{act.fault}</Fault>}
    </li>
  );
}

/** The list with one item replaced, added (`before` null) or removed (`after` empty). */
function replaced(list: readonly string[], before: string | null, after: string): string[] {
  if (before === null) return list.includes(after) ? [...list] : [...list, after];
  const at = list.indexOf(before);
  return at < 0 ? [...list] : list.toSpliced(at, 1, ...(after.trim() === "" ? [] : [after]));
}
