// Fields that are saved by themselves: settings by their names, and a text, a number, a list of texts.
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { ConfigField } from "../../../src/protocol/config.ts";
import { cleanInput } from "../../model/text.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import {
  mergeLines,
  type Saving,
  type SettingName,
  Settings,
} from "../../state/server/settings.ts";
import { ChoiceItem, Item, SwitchItem } from "../../ui/item.tsx";
import { Fault, faultOf } from "../parts/query-status.tsx";
import { PageLink } from "./rows.tsx";

/** Where a value is set: by name what is shown, how its last change fares, and the way to change it. */
interface Editing<T extends object> {
  readonly notDone: string;
  shown<Name extends keyof T & string>(name: Name): T[Name] | null;
  saving(name: keyof T & string): { readonly value: Saving | null };
  save(name: keyof T & string, value: unknown): unknown;
  /** Saves what `change` makes of the value as it is by then. */
  change<Name extends keyof T & string>(name: Name, change: (value: T[Name]) => T[Name]): unknown;
}

/** What belongs to this browser holds at once; `onSave` does what goes with a change. */
export function useOwn(
  onSave?: (name: keyof Preferences, value: unknown) => void,
): Editing<Preferences> {
  const { preferences } = useBrowser();
  const save: Editing<Preferences>["save"] = (name, value) => {
    preferences.set({ [name]: value });
    onSave?.(name, value);
  };
  return {
    ...{ notDone: "", save },
    shown: (name) => preferences.current.value[name],
    saving: () => ({ value: null }),
    change: (name, change) => {
      const changed = change(preferences.current.peek()[name]);
      // Words, and no code: nobody sees the spaces at their ends.
      const trimmed = (texts: readonly string[]) => [...new Set(texts.map((text) => text.trim()))];
      save(name, Array.isArray(changed) ? trimmed(changed) : changed);
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
  return (
    <p class="saving" role="status">
      Saving
    </p>
  );
}

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
  const written = {
    isWrong: saving !== null && "failure" in saving && saving.failure.kind === "refused",
    // What was refused stays to be corrected; what was saved is shown as the server keeps it.
    isHeld: saving !== null,
  };
  return (
    <div>
      {typeof value === "boolean" && <SwitchItem {...text} isOn={value} onChange={save} />}
      {options !== undefined && (
        <ChoiceItem
          {...{ ...text, options, chosen: String(value) }}
          onChoose={(chosen) => save(typeof value === "number" ? Number(chosen) : chosen)}
        />
      )}
      {Array.isArray(value) && (
        <ListItem
          {...{ ...text, ...written }}
          texts={value}
          isBusy={saving !== null && "value" in saving}
          // As which type a list of texts stands in T cannot be said.
          onChange={(change) =>
            void editing.change(name, (now) => change(now as readonly string[]) as typeof now)
          }
        />
      )}
      {/* What was written for a number, and is on its way, may be none. */}
      {typeof value !== "boolean" && options === undefined && !Array.isArray(value) && (
        <NumberItem
          {...{ ...text, ...written }}
          value={typeof value === "number" ? value : null}
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

const VALUES: readonly ConfigField["kind"][] = [
  ...(["boolean", "choice", "integer", "number", "patterns", "texts"] as const),
];

/** A setting of everyone. A kind that this page does not know is left to the file. */
export function ServerField(props: {
  readonly field: Partial<ConfigField> & Pick<ConfigField, "live" | "kind" | "label">;
  readonly hint?: string;
}): JSX.Element | null {
  const { field, hint = hintOf(field) } = props;
  const settings = usePart(Settings);
  const { kind, label, live, values } = field;
  const name = live as SettingName; // A newer server may have others, whose values it tells too.
  const value: unknown = settings.shown(name);
  if (kind === "overrides") {
    const size = String(Array.isArray(value) ? value.length : 0);
    return <PageLink to="settings-panes" label={label} value={size} />;
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

interface Committed {
  readonly label: string;
  readonly value: string;
  /** @param before what it was written from */
  readonly onCommit: (written: string, before: string) => void;
  /** What was written stays, although `value` is another. */
  readonly isHeld?: boolean;
  readonly isWrong?: boolean;
}

/** A text that is taken when its field is left, or Enter is pressed in a line: the browser knows when. */
function useCommitted<Field extends HTMLInputElement | HTMLTextAreaElement>(props: Committed) {
  const { label, value, onCommit, isHeld = false, isWrong = false } = props;
  const ref = useRef<Field>(null);
  const before = useRef(value);
  const isWritten = useRef(false);
  const draw = () => {
    if (isHeld || isWritten.current || !ref.current) return;
    ref.current.value = before.current = value;
  };
  // Before it is painted: what is written at once must not be overwritten.
  useLayoutEffect(draw, [value, isHeld]);
  return {
    ref,
    "aria-label": label,
    "aria-invalid": isWrong,
    onInput: () => (isWritten.current = true),
    onChange: ({ currentTarget: { value: written } }: { readonly currentTarget: Field }) => {
      isWritten.current = false;
      if (written === value) draw();
      else onCommit(written, before.current);
    },
    // What was written is as it was: the browser tells of no change.
    onBlur: ({ currentTarget: { value: written } }: { readonly currentTarget: Field }) => {
      if (written !== before.current) return;
      isWritten.current = false;
      draw();
    },
  };
}

export function CommitInput(
  props: Committed &
    Pick<JSX.IntrinsicElements["input"], "placeholder" | "maxLength" | "dir" | "inputMode"> & {
      readonly class: string;
    },
): JSX.Element {
  const { label, value, onCommit, isHeld, isWrong = false, class: look, ...rest } = props;
  const committed = useCommitted<HTMLInputElement>(props);
  return (
    <input
      type="text"
      dir="auto"
      autocomplete="off"
      {...rest}
      {...committed}
      class={`${look} ${isWrong ? "wrong" : ""}`}
    />
  );
}

/** A list of texts as what it is on paper: the whole list is read, changed and saved as one. */
function ListItem(
  props: Omit<Committed, "value" | "onCommit"> & {
    readonly hint?: string | undefined;
    readonly texts: readonly string[];
    readonly isBusy: boolean;
    readonly onChange: (change: (now: readonly string[]) => readonly string[]) => void;
  },
): JSX.Element {
  const { label, hint = "", texts, isBusy, isWrong = false, onChange } = props;
  const committed = useCommitted<HTMLTextAreaElement>({
    ...props,
    value: texts.join("\n"),
    onCommit: (written, before) => {
      const lines = cleanInput(written).text.split("\n");
      const mine = [...new Set(lines.filter((line) => line.trim() !== ""))];
      // Another person, or tab, may have changed it while it was written.
      onChange((now) => mergeLines(before.split("\n"), mine, now));
    },
  });
  return (
    <div class="list-item">
      <Item label={label} hint={`${hint} One a line.`} />
      <textarea
        {...committed}
        class={`text-box mono ${isWrong ? "wrong" : ""}`}
        // As high as it is whatever is in it: nothing moves under the finger that leaves it.
        rows={8}
        dir="auto"
        wrap="off"
        autocapitalize="off"
        spellcheck={false}
        readOnly={isBusy}
      />
    </div>
  );
}

function NumberItem(props: {
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
