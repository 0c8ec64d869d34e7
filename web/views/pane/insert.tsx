import type { JSX } from "preact";
import { useClient } from "../../state/client.ts";
import { composer as words } from "../../words/pane.ts";

/** Snippets to put into the message; choosing one never sends. */
export function Insert(props: { readonly onInsert: (text: string) => void }): JSX.Element {
  const { preferences } = useClient();
  const { snippets } = preferences.current.value;
  return (
    <div class="snippets" role="group" aria-label={words.snippets}>
      {snippets.length === 0 && <p class="hint">{words.noSnippets}</p>}
      {snippets.map((snippet) => (
        <button key={snippet} type="button" class="snippet" onClick={() => props.onInsert(snippet)}>
          {snippet}
        </button>
      ))}
    </div>
  );
}
