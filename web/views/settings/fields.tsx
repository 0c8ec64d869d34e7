// Fields that save themselves when they are left: switches, choices, texts, numbers and lists.
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { ConfigField, LiveConfig } from "../../../src/protocol/config.ts";
import { cleanInput } from "../../model/text.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useBrowser } from "../../state/client.ts";
import { Editor, mergeLines, type SettingName } from "../../state/server/settings.ts";
import { ChoiceItem, Item, SwitchItem } from "../../ui/item.tsx";
import { Fault, faultOf } from "../parts/query-status.tsx";

/** The preferences of this browser. */
export function usePreferenceEditor(): Editor<Preferences> {
  const { preferences } = useBrowser();
  return useMemo(
    () =>
      new Editor({
        current: () => preferences.current.value,
        patch: async ({ snippets, ...change }) => {
          // Spaces at the ends of snippets would not be seen.
          const trimmed = snippets && [...new Set(snippets.map((text) => text.trim()))];
          preferences.set({ ...change, ...(trimmed && { snippets: trimmed }) });
          return { ok: true, value: null };
        },
      }),
    [preferences],
  );
}

/** The state of the last save, below the row. */
export function SavingNote<T extends object>(props: {
  readonly of: Editor<T>;
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

/** Each value is drawn by its type. */
export function SettingRows<T extends object>(props: {
  readonly of: Editor<T>;
  readonly rows: readonly (SettingRow<T> | false)[];
}): JSX.Element {
  const { of: editing, rows } = props;
  return <>{rows.map((row) => row && <Setting key={row[0]} editing={editing} row={row} />)}</>;
}

function Setting<T extends object>(props: {
  readonly editing: Editor<T>;
  readonly row: SettingRow<T>;
}): JSX.Element {
  const { editing, row } = props;
  const [name, label, hint, options] = row;
  const value: unknown = editing.shown(name);
  const saving = editing.saving(name).value;
  const save = (next: unknown) => void editing.save(name, next);
  const text = { label, hint };
  const written = {
    label,
    isWrong: saving !== null && "failure" in saving && saving.failure.kind === "refused",
    // A refused text stays, to be corrected; a saved one is drawn as the server has stored it.
    keepsText: saving !== null,
  };
  const control = () => {
    if (typeof value === "boolean") return <SwitchItem {...text} isOn={value} onChange={save} />;
    if (options !== undefined)
      return (
        <ChoiceItem
          {...{ ...text, options, chosen: String(value) }}
          onChoose={(chosen) => save(typeof value === "number" ? Number(chosen) : chosen)}
        />
      );
    if (Array.isArray(value))
      return (
        <ListItem
          {...{ ...text, ...written }}
          texts={value}
          isBusy={saving !== null && "value" in saving}
          // That this member of T is a list of texts cannot be expressed.
          onChange={(change) =>
            void editing.change(name, (now) => change(now as readonly string[]) as typeof now)
          }
        />
      );
    return (
      <Item {...text}>
        <CommitInput
          {...written}
          class="item-number numbers round-2 fill fs-16"
          dir="ltr"
          inputMode="decimal"
          // While a text is being saved for a number, the value is that text.
          value={typeof value === "number" ? String(value) : ""}
          // Other texts are sent as well: the server answers with the reason why it refuses them.
          onCommit={(written) => {
            const number = Number(written.trim().replace(",", "."));
            save(written.trim() === "" || Number.isNaN(number) ? written.trim() : number);
          }}
        />
      </Item>
    );
  };
  return (
    <div>
      {control()}
      <SavingNote of={editing} name={name} />
    </div>
  );
}

const VALUES: readonly ConfigField["kind"][] = [
  ...(["boolean", "choice", "integer", "number", "patterns", "texts"] as const),
];

/** The row of a setting of the server. Kinds unknown to this page can be changed in the file alone. */
export function rowOf(field: ConfigField): SettingRow<LiveConfig> | false {
  const { kind, label, live, values } = field;
  if (!VALUES.includes(kind)) return false;
  const options = values?.map((one) => [one, worded(one)] as const);
  const name = live as SettingName; // A newer server may have more, and sends their values too.
  return [name, label, hintOf(field) || undefined, options && Object.fromEntries(options)];
}

/** `session_window_pane` is "Session, window, pane". */
function worded(value: string): string {
  const words = value.replaceAll("_", ", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function hintOf({ help, min, max }: ConfigField): string {
  const text = help.replaceAll("`", "");
  return min === null || max === null ? text : `${text} ${min} to ${max}.`;
}

/** For fields that hold code. */
export const CODE = { dir: "ltr", autocapitalize: "off", spellcheck: false } as const;

interface CommitProps {
  readonly label: string;
  readonly value: string;
  /** @param before the value when the editing began */
  readonly onCommit: (written: string, before: string) => void;
  /** The text of the field stays, although `value` is another. */
  readonly keepsText?: boolean;
  readonly isWrong?: boolean;
  /** An empty text is taken back. */
  readonly isNeeded?: boolean;
}

/** Commits on the browser's `change` event: when the field is left, or on Enter in a line. */
function useCommit<Field extends HTMLInputElement | HTMLTextAreaElement>(props: CommitProps) {
  const { label, value, onCommit, keepsText = false, isWrong = false, isNeeded = false } = props;
  const ref = useRef<Field>(null);
  const before = useRef(value);
  const isWritten = useRef(false);
  const draw = () => {
    if (keepsText || isWritten.current || !ref.current) return;
    ref.current.value = before.current = value;
  };
  // Before the paint: a text that is typed at once must not be overwritten.
  useLayoutEffect(draw, [value, keepsText]);
  return {
    ref,
    "aria-label": label,
    "aria-invalid": isWrong,
    onInput: () => (isWritten.current = true),
    onChange: ({ currentTarget: { value: written } }: { readonly currentTarget: Field }) => {
      isWritten.current = false;
      // A refused text was another one: the value in force is sent as well, and nothing is wrong then.
      const isSame = written === value && !isWrong;
      if (isSame || (isNeeded && written.trim() === "")) draw();
      else onCommit(written, before.current);
    },
    // The text is as it was before: no `change` event comes.
    onBlur: ({ currentTarget: { value: written } }: { readonly currentTarget: Field }) => {
      if (written !== before.current) return;
      isWritten.current = false;
      draw();
    },
  };
}

export function CommitInput(
  props: CommitProps &
    Pick<JSX.IntrinsicElements["input"], "placeholder" | "maxLength" | "dir" | "inputMode"> & {
      readonly class: string;
    },
): JSX.Element {
  const { label, value, onCommit, keepsText, isNeeded, isWrong = false, ...rest } = props;
  const commit = useCommit<HTMLInputElement>(props);
  return (
    <input
      type="text"
      dir="auto"
      autocomplete="off"
      {...rest}
      {...commit}
      class={`${props.class} ${isWrong ? "wrong" : ""}`}
    />
  );
}

/** A list of texts in one field, one a line, that is saved as a whole. */
function ListItem(
  props: Omit<CommitProps, "value" | "onCommit"> & {
    readonly hint?: string | undefined;
    readonly texts: readonly string[];
    readonly isBusy: boolean;
    readonly onChange: (change: (now: readonly string[]) => readonly string[]) => void;
  },
): JSX.Element {
  const { label, hint = "", texts, isBusy, isWrong = false, onChange } = props;
  const commit = useCommit<HTMLTextAreaElement>({
    ...props,
    value: texts.join("\n"),
    onCommit: (written, before) => {
      const lines = cleanInput(written).text.split("\n");
      const mine = [...new Set(lines.filter((line) => line.trim() !== ""))];
      // Another person, or tab, may have changed the list meanwhile.
      onChange((now) => mergeLines(before.split("\n"), mine, now));
    },
  });
  return (
    <div class="list-item">
      <Item label={label} hint={`${hint} One a line.`} />
      <textarea
        {...commit}
        class={`text-box mono ${isWrong ? "wrong" : ""}`}
        // A fixed height: nothing moves under the finger that leaves the field.
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
