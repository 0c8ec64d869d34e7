// Fields that are saved by themselves: a setting of everyone, a text, a number, a list of texts.
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ConfigField } from "../../../src/protocol/config.ts";
import type { Result } from "../../net/api.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { type Saving, type SettingName, Settings } from "../../state/server/settings.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ChoiceItem, Item, SwitchItem } from "../../ui/item.tsx";
import { Fault, faultOf, useAct } from "../parts/asked.tsx";
import { Leads } from "./rows.tsx";

/** As many as the server takes. */
export const MAX_PATTERNS = 40;

/** Where a value is set: by name what is shown, how its last change fares, and the way to change it. */
interface Editing<T extends object> {
  readonly notDone: string;
  shown<Name extends keyof T & string>(name: Name): T[Name] | null;
  saving(name: keyof T & string): { readonly value: Saving | null };
  save(name: keyof T & string, value: unknown): unknown;
}

/** What belongs to this browser holds at once; `onSave` does what goes with a change. */
export function useOwn(
  onSave?: (name: keyof Preferences, value: unknown) => void,
): Editing<Preferences> {
  const { preferences } = useBrowser();
  return {
    notDone: "",
    shown: (name) => preferences.current.value[name],
    saving: () => ({ value: null }),
    save: (name, value) => {
      preferences.set({ [name]: value });
      onSave?.(name, value);
    },
  };
}

/** How the last change of a value fares, below its row. */
export function SavingNote<T extends object>(props: {
  readonly of: Editing<T>;
  readonly name: keyof T & string;
}): JSX.Element | null {
  const { of: editing, name } = props;
  const saving = editing.saving(name).value;
  if (saving === null) return null;
  if ("failure" in saving) return <Fault>{faultOf(editing.notDone, saving.failure)}</Fault>;
  return SAVING;
}

const SAVING = (
  <p class="saving" role="status">
    Saving
  </p>
);

type SettingRow<T> = readonly [
  name: keyof T & string,
  label: string,
  hint?: string | undefined,
  /** By their values; those of a number by its digits. */
  options?: Readonly<Record<string, string>> | undefined,
];

/** Values that a person sets, each drawn as what it is, with how its last change fares below it. */
export function SettingRows<T extends object>(props: {
  readonly of: Editing<T>;
  readonly rows: readonly (SettingRow<T> | false)[];
}): JSX.Element {
  const { of: editing, rows } = props;
  return <>{rows.map((row) => row && <Setting key={row[0]} editing={editing} row={row} />)}</>;
}

function Setting<T extends object>(props: {
  readonly editing: Editing<T>;
  readonly row: SettingRow<T>;
}): JSX.Element {
  const { editing, row } = props;
  const [name, label, hint, options] = row;
  const value: unknown = editing.shown(name);
  const saving = editing.saving(name).value;
  const save = (next: unknown) => void editing.save(name, next);
  const text = { label, hint };
  return (
    <div>
      {typeof value === "boolean" && <SwitchItem {...text} isOn={value} onChange={save} />}
      {options !== undefined && (
        <ChoiceItem
          {...{ ...text, options, chosen: String(value) }}
          onChoose={(chosen) => save(typeof value === "number" ? Number(chosen) : chosen)}
        />
      )}
      {/* What was written for a number, and is on its way, may be none. */}
      {typeof value !== "boolean" && options === undefined && (
        <NumberItem
          {...text}
          value={typeof value === "number" ? value : null}
          isWrong={saving !== null && "failure" in saving && saving.failure.kind === "refused"}
          // What was refused stays to be corrected; what was saved is shown as the server keeps it.
          isHeld={saving !== null}
          // What is no number goes as it was written: the server says what it wants.
          onCommit={(written) => {
            const number = Number(written.replace(",", "."));
            save(written === "" || Number.isNaN(number) ? written : number);
          }}
        />
      )}
      <SavingNote of={editing} name={name} />
    </div>
  );
}

const VALUES: readonly ConfigField["kind"][] = ["boolean", "choice", "integer", "number"];

/** A setting of everyone; of a list its page. A kind that this page does not know is left to the file. */
export function ServerField(props: {
  readonly field: Partial<ConfigField> & Pick<ConfigField, "live" | "kind" | "label">;
  readonly hint?: string;
}): JSX.Element | null {
  const { field, hint = hintOf(field) } = props;
  const settings = usePart(Settings);
  const { kind, label, live, values } = field;
  const name = live as SettingName; // A newer server may have others, whose values it tells too.
  const value: unknown = settings.shown(name);
  const size = String(Array.isArray(value) ? value.length : 0);
  if (kind === "overrides") return <Leads to="settings-panes" label={label} value={size} />;
  if (kind === "patterns") {
    const many = `${size} of ${MAX_PATTERNS}`;
    return <Leads to="settings-patterns" of={live} label={label} value={many} />;
  }
  if (!VALUES.includes(kind)) return null;
  const options =
    kind === "choice"
      ? Object.fromEntries((values ?? [String(value)]).map((one) => [one, worded(one)]))
      : undefined;
  return <SettingRows of={settings} rows={[[name, label, hint || undefined, options]]} />;
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

/** What is written in code has no words to correct. */
export const CODE = { dir: "ltr", autocapitalize: "off", spellcheck: false } as const;

interface CommitProps extends Pick<
  JSX.IntrinsicElements["input"],
  "placeholder" | "maxLength" | "readOnly" | "dir" | "inputMode" | "autocapitalize" | "spellcheck"
> {
  readonly label: string;
  readonly value: string;
  readonly onCommit: (written: string) => void;
  /** What was written stays, although `value` is another. */
  readonly isHeld?: boolean;
  readonly isWrong?: boolean;
  readonly class?: string;
}

/** A text that is taken when its field is left or Enter is pressed, which the browser knows. */
export function CommitInput(props: CommitProps): JSX.Element {
  const { label, value, onCommit, isHeld = false, isWrong = false, class: extra, ...rest } = props;
  const field = useRef<HTMLInputElement>(null);
  // Before it is painted: what is written at once must not be overwritten.
  useLayoutEffect(() => {
    if (!isHeld && field.current) field.current.value = value;
  }, [value, isHeld]);
  return (
    <input
      ref={field}
      type="text"
      dir="auto"
      autocomplete="off"
      {...rest}
      class={`${extra ?? ""} ${isWrong ? "wrong" : ""}`}
      aria-label={label}
      aria-invalid={isWrong}
      onChange={({ currentTarget: { value: written } }) => {
        if (written !== value) onCommit(written);
      }}
    />
  );
}

export function NumberItem(props: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: number | null;
  readonly isWrong: boolean;
  readonly isHeld: boolean;
  readonly onCommit: (written: string) => void;
}): JSX.Element {
  const { value, label, hint, onCommit, ...rest } = props;
  return (
    <Item label={label} hint={hint}>
      <CommitInput
        {...rest}
        class="item-number numbers round-2 fill fs-16"
        dir="ltr"
        inputMode="decimal"
        label={label}
        value={value === null ? "" : String(value)}
        onCommit={(written) => onCommit(written.trim())}
      />
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
          {...(isCode && CODE)}
          class={isCode ? "grow mono" : "grow"}
          label={label}
          value={item ?? ""}
          // Another list is another row: what were written meanwhile would go with this one.
          isHeld
          readOnly={act.isBusy}
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
      {act.isBusy && SAVING}
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
