import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, IconButton } from "../../ui/button.tsx";
import { settings as words } from "../../words/settings.ts";
import { Fault, SavingNote } from "./rows.tsx";

/** Saves a list; a text when it was not saved, and why. */
type Save = (next: (list: readonly string[]) => string[]) => Promise<string | null>;

interface EditListProps {
  readonly items: readonly string[];
  readonly most: number;
  readonly isCode?: boolean;
  readonly labelOf: (number: number) => string;
  readonly newLabel: string;
  readonly removeLabel: (item: string) => string;
  readonly save: Save;
}

/** A list of texts. Each row is saved by itself; what is refused stays in its field, with the reason. */
export function EditList(props: EditListProps): JSX.Element {
  const { items, most } = props;
  return (
    <ul class="set edit-list">
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
  const { item, index, isCode = false, newLabel, save } = props;
  const label = item === null ? newLabel : props.labelOf(index + 1);
  const [text, setText] = useState(item ?? "");
  const [fault, setFault] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const replaceBy = async (next: string) => {
    setSaving(true);
    setFault(await save((list) => replaced(list, item, next)));
    setSaving(false);
  };
  const commit = () => {
    if (text !== (item ?? "") && text.trim() !== "" && !isSaving) void replaceBy(text);
  };
  return (
    <li>
      <div class="edit-row">
        <input
          class={`${isCode ? "mono" : ""} ${fault === null ? "" : "wrong"}`}
          type="text"
          dir={isCode ? "ltr" : "auto"}
          autocomplete="off"
          autocapitalize={isCode ? "off" : "sentences"}
          spellcheck={!isCode}
          aria-label={label}
          aria-invalid={fault !== null}
          placeholder={item === null ? label : ""}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setFault(null);
          }}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
          }}
        />
        {item === null ? (
          <Button size="small" disabled={text.trim() === "" || isSaving} onClick={commit}>
            {words.add}
          </Button>
        ) : (
          <IconButton
            icon="close"
            label={props.removeLabel(item)}
            disabled={isSaving}
            onClick={() => void replaceBy("")}
          />
        )}
      </div>
      {isSaving && <SavingNote saving={{ step: "saving", value: text }} />}
      {fault !== null && <Fault>{fault}</Fault>}
    </li>
  );
}

/** The list with one item replaced, added (`before` null) or removed (`after` empty). */
function replaced(list: readonly string[], before: string | null, after: string): string[] {
  if (before === null) return list.includes(after) ? [...list] : [...list, after];
  const at = list.indexOf(before);
  return at < 0 ? [...list] : list.toSpliced(at, 1, ...(after.trim() === "" ? [] : [after]));
}
