import type { JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { withOverride } from "../../model/overrides.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Field } from "../../ui/field.tsx";

const MAX_NAME = 80;

/** Gives a pane a name of its own. Shown at once, taken back when the server does not save it. */
export function RenameSheet({ pane }: { readonly pane: Pane }): JSX.Element {
  const { panes, settings } = useServer();
  const { messages, router } = useBrowser();
  const fieldId = useId();
  const field = useRef<HTMLInputElement>(null);
  const overrides = settings.shown("overrides") ?? [];
  const own = overrides.find(({ target }) => target === pane.target)?.name ?? "";
  const [name, setName] = useState(own === "" ? pane.name : own);

  const save = async (next: string) => {
    router.close();
    const saved = panes.overlay(pane.id, next === "" ? {} : { name: next });
    const failure = await settings.change("overrides", (all) =>
      withOverride(all, pane.target, { name: next }),
    );
    saved(failure === null);
    if (failure !== null) messages.alert("The name could not be saved.");
  };
  return (
    <Sheet title="Rename" initialFocus={field}>
      <form
        class="rename"
        onSubmit={(event) => {
          event.preventDefault();
          void save(name.trim());
        }}
      >
        <label class="label" for={fieldId}>
          Name
        </label>
        <Field isEdged>
          <input
            ref={field}
            id={fieldId}
            class="grow"
            type="text"
            dir="auto"
            maxLength={MAX_NAME}
            value={name}
            onFocus={(event) => event.currentTarget.select()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <div class="actions">
          <Button disabled={own === ""} onClick={() => void save("")}>
            Automatic name
          </Button>
          <Button type="submit" tone="primary" disabled={name.trim() === ""}>
            Save
          </Button>
        </div>
      </form>
    </Sheet>
  );
}
