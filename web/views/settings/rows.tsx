// Rows of settings: of this browser (Flags), of everyone (ServerField), and what they are made of.
import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConfigField } from "../../../src/protocol/config.ts";
import type { Result } from "../../net/api.ts";
import type { Preferences } from "../../state/browser/preferences.ts";
import { useBrowser, usePart } from "../../state/client.ts";
import { type Saving, type SettingName, Settings } from "../../state/server/settings.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { ChoiceItem, Item, LinkItem, SwitchItem } from "../../ui/item.tsx";
import { Section } from "../../ui/section.tsx";
import { Segments } from "../../ui/segments.tsx";
import { Tag } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";
import { useAct } from "../parts/asked.tsx";
import type { SettingsPage } from "./settings.tsx";

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

/** Names of the preferences that are on or off. */
type FlagName = {
  [K in keyof Preferences]: Preferences[K] extends boolean ? K : never;
}[keyof Preferences];
export type FlagRow = readonly [name: FlagName, label: string, hint?: string];

/** Switches of this browser; `onChange` does what goes with one. */
export function Flags(props: {
  readonly rows: readonly (FlagRow | false)[];
  readonly onChange?: (name: FlagName, isOn: boolean) => void;
}): JSX.Element {
  const { preferences } = useBrowser();
  const rows = props.rows.filter((row) => row !== false);
  return (
    <>
      {rows.map(([name, label, hint]) => (
        <SwitchItem
          key={name}
          label={label}
          hint={hint}
          isOn={preferences.current.value[name]}
          onChange={(isOn) => {
            preferences.set({ [name]: isOn });
            props.onChange?.(name, isOn);
          }}
        />
      ))}
    </>
  );
}

/** The way to a page behind this one, about one thing where it is given. */
export function Leads(props: {
  readonly to: SettingsPage;
  readonly of?: string;
  readonly icon?: IconName;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string;
}): JSX.Element {
  const { to, of = null, ...rest } = props;
  const { router } = useBrowser();
  return <LinkItem {...rest} onClick={() => router.show(to, of, "above")} />;
}

/** A device or a machine: what has to be so before it works, and below that what mends it. */
export function CheckCard(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly hint: string;
  readonly tag: string;
  readonly tone: "ok" | "error" | undefined;
  readonly checks: ComponentChildren;
  readonly isStatus?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { icon, title, hint, tag, tone, checks, isStatus = false, children } = props;
  return (
    <div class="device-card grid gap-12 mb-12 fill round-3" role={isStatus ? "status" : undefined}>
      <div class="device-head flex gap-12">
        <Icon name={icon} />
        <div class="grow">
          <b>{title}</b>
          <span class="item-hint">{hint}</span>
        </div>
        <Tag tone={tone}>{tag}</Tag>
      </div>
      <ul class="checks grid">{checks}</ul>
      {children}
    </div>
  );
}

/** What a person does by hand. */
export const Fix = (props: {
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element => (
  <div class="fix rule text-2 fs-13">
    <h3>{props.title}</h3>
    {props.children}
  </div>
);

/** A row that tells a value. */
export const Told = (props: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
}): JSX.Element => (
  <Item label={props.label} hint={props.hint}>
    <span class="item-value inline rigid gap-4 numbers text-2 to-end">{props.value}</span>
  </Item>
);

/** A row with one of a few choices, side by side below it. */
export const Stacked = <T extends string>(
  props: Parameters<typeof Segments<T>>[0] & { readonly hint: string },
): JSX.Element => (
  <div class="stacked-item">
    <Item label={props.label} hint={props.hint} />
    <Segments {...props} />
  </div>
);

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

/**
 * A button, or a row of its own, that asks once more in its place before it acts: with the focus on
 * what takes nothing away, which leads back to the button.
 */
export function Twice(props: {
  readonly label: string;
  /** The accessible name, where the label is not enough. */
  readonly name?: string;
  readonly isRow?: boolean;
  readonly sure: string;
  /** What it means, by which the question is named. */
  readonly text: ComponentChildren;
  /** What else shall go. */
  readonly children?: ComponentChildren;
  readonly notDone: string;
  readonly isOff?: boolean;
  readonly onSure: () => Promise<Result<unknown>>;
}): JSX.Element {
  const { label, name, isRow = false, sure, text, children, notDone, isOff, onSure } = props;
  const [isAsking, setAsking] = useState(false);
  const act = useAct(notDone);
  const place = useRef<HTMLDivElement>(null);
  const hasAsked = useRef(false);
  const id = useId();
  useLayoutEffect(() => {
    // Asked for by a press; at first nothing was.
    if (hasAsked.current || isAsking)
      giveFocus(place.current?.querySelector<HTMLElement>("button:not(.danger)"), place.current);
    hasAsked.current ||= isAsking;
  }, [isAsking]);
  const run = async () => {
    const result = await act.run(onSure);
    if (result?.ok === true) setAsking(false);
  };
  const box = isRow ? "asks-twice grid gap-8 round-4" : "twice";
  return (
    <div ref={place} class={isAsking ? box : isRow ? "set" : undefined}>
      {!isAsking && (
        <button
          type="button"
          class={isRow ? "item text-error" : "button small"}
          aria-label={name}
          disabled={isOff}
          onClick={() => setAsking(true)}
        >
          {label}
        </button>
      )}
      {isAsking && (
        <div class="grid gap-8" role="alertdialog" aria-labelledby={id}>
          <p class={isRow ? undefined : "item-hint"} id={id}>
            {text}
          </p>
          {children}
          <Fault>{act.fault}</Fault>
          <div class="actions">
            <Button size="small" disabled={act.isBusy} onClick={() => setAsking(false)}>
              {common.cancel}
            </Button>
            <Button
              size="small"
              tone="danger"
              disabled={isOff || act.isBusy}
              onClick={() => void run()}
            >
              {sure}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

/** A setting of everyone, drawn as what it is: a number, a switch, or one of a list. */
export function ServerField(props: {
  readonly field: Partial<ConfigField> & Pick<ConfigField, "live" | "kind" | "label">;
  readonly hint?: string;
}): JSX.Element {
  const { field, hint = hintOf(field) } = props;
  const settings = usePart(Settings);
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

/** What is written in code has no words to correct. */
export const CODE = { dir: "ltr", autocapitalize: "off", spellcheck: false } as const;

interface CommitProps extends Pick<
  JSX.IntrinsicElements["input"],
  "placeholder" | "maxLength" | "dir" | "inputMode" | "autocapitalize" | "spellcheck"
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
