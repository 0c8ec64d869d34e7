import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { reasonOf } from "../../net/api.ts";
import { useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { settings as words } from "../../words/settings.ts";

/** As many as the server takes. */
export const MAX_PATTERNS = 40;

type ListName = "generic_prompt_patterns" | "error_patterns";

/** One list of detector patterns. Each row is saved by itself; what is refused stays in its field. */
export function Patterns(props: { readonly name: ListName; readonly text: string }): JSX.Element {
  const { name, text } = props;
  const { config } = useServer();
  const patterns = config.current.value?.[name] ?? [];
  return (
    <>
      <p class="page-text">{text}</p>
      <ul class="set edit-list">
        {patterns.map((pattern, index) => (
          <li key={`${pattern} ${index}`}>
            <PatternRow name={name} pattern={pattern} label={words.pattern(index + 1)} />
          </li>
        ))}
        {patterns.length < MAX_PATTERNS && (
          <li key={`new ${patterns.length}`}>
            <PatternRow name={name} pattern={null} label={words.newPattern} />
          </li>
        )}
      </ul>
    </>
  );
}

function PatternRow(props: {
  readonly name: ListName;
  /** Null is the row for a new one. */
  readonly pattern: string | null;
  readonly label: string;
}): JSX.Element {
  const { name, pattern, label } = props;
  const { settings } = useServer();
  const [text, setText] = useState(pattern ?? "");
  const [fault, setFault] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);

  const save = async (next: string) => {
    setSaving(true);
    const failure = await settings.change(name, (list) => replaced(list, pattern, next));
    setSaving(false);
    if (failure === null) setFault(null);
    else setFault(failure.kind === "lost" ? words.lost : words.failed(reasonOf(failure)));
  };
  const commit = () => {
    if (text !== (pattern ?? "") && text !== "" && !isSaving) void save(text);
  };
  return (
    <>
      <div class="edit-row">
        <input
          class={`mono ${fault === null ? "" : "wrong"}`}
          type="text"
          dir="ltr"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-label={label}
          aria-invalid={fault !== null}
          placeholder={pattern === null ? label : ""}
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
        {pattern === null ? (
          <Button size="small" disabled={text === "" || isSaving} onClick={commit}>
            {words.addPane}
          </Button>
        ) : (
          <IconButton
            icon="close"
            label={words.removePattern(pattern)}
            disabled={isSaving}
            onClick={() => void save("")}
          />
        )}
      </div>
      {isSaving && (
        <p class="saving" role="status">
          {words.saving}
        </p>
      )}
      {fault !== null && (
        <p class="saving wrong" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}

/** The list with one pattern replaced, added (`before` null) or removed (`after` empty). */
function replaced(list: readonly string[], before: string | null, after: string): string[] {
  if (before === null) return [...list, after];
  const at = list.indexOf(before);
  return at < 0 ? [...list] : list.toSpliced(at, 1, ...(after === "" ? [] : [after]));
}
