import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { cleanInput } from "../../model/text.ts";
import { useBrowser } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { settings as words } from "../../words/settings.ts";

/** The texts at hand in the composer. */
export function Snippets(): JSX.Element {
  const { preferences } = useBrowser();
  const { snippets } = preferences.current.value;
  const [fresh, setFresh] = useState("");
  const set = (next: readonly string[]) => preferences.set({ snippets: next });
  const add = () => {
    const text = fresh.trim();
    if (text === "") return;
    setFresh("");
    if (!snippets.includes(text)) set([...snippets, text]);
  };
  return (
    <>
      <p class="page-text">{words.snippetsText}</p>
      <ul class="set edit-list">
        {snippets.map((snippet, index) => (
          <li key={index} class="edit-row">
            <input
              type="text"
              dir="auto"
              aria-label={words.snippet(index + 1)}
              value={snippet}
              onChange={(event) => {
                const text = cleanInput(event.currentTarget.value).text.trim();
                set(snippets.toSpliced(index, 1, ...(text === "" ? [] : [text])));
              }}
            />
            <IconButton
              icon="close"
              label={words.removeSnippet(snippet)}
              onClick={() => set(snippets.toSpliced(index, 1))}
            />
          </li>
        ))}
        <li key="new" class="edit-row">
          <input
            type="text"
            dir="auto"
            aria-label={words.newSnippet}
            placeholder={words.newSnippet}
            value={fresh}
            onInput={(event) => setFresh(cleanInput(event.currentTarget.value).text)}
            onKeyDown={(event) => {
              if (event.key === "Enter") add();
            }}
          />
          <Button size="small" disabled={fresh.trim() === ""} onClick={add}>
            {words.addSnippet}
          </Button>
        </li>
      </ul>
    </>
  );
}
