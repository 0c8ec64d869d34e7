import type { JSX } from "preact";
import { placeKey, type Draft } from "../../model/drafts.ts";
import { useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { useDerived } from "../parts/derived.ts";
import { TerminalText } from "../parts/text.tsx";
import { Section } from "../../ui/section.tsx";
import { Row } from "../../ui/row.tsx";

/** Texts whose pane is gone: kept until they are discarded or grow old. */
export function UnsentDrafts(): JSX.Element | null {
  const { connection, drafts, panes } = useServer();
  const places = useDerived(() => panes.all.value.map(placeKey), []);
  const unsent = useDerived(() => {
    void drafts.revision.value;
    return drafts.orphans(panes.all.peek());
  }, [places]);
  // Without the network no pane comes: then all drafts are shown, so that none seems lost.
  if (!panes.isLoaded.value && connection.value.phase !== "offline") return null;
  if (unsent.length === 0) return null;
  return (
    <Section class="group" title="Unsent drafts" count={unsent.length}>
      <ul class="list">
        {unsent.map(({ key, target, draft }) => (
          <li key={key} class="row-item">
            <Row
              title={<TerminalText text={draft.name === "" ? target : draft.name} />}
              second={<TerminalText text={wordsOf(draft)} />}
              end={
                <Button
                  size="small"
                  aria-label={`Discard the draft for ${draft.name}`}
                  onClick={() => drafts.discard(key)}
                >
                  Discard
                </Button>
              }
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** All that was written there. */
const wordsOf = ({ text, remarks, writing, edits }: Draft): string =>
  [text, ...[...remarks, ...(writing ? [writing] : [])].map((one) => one.words)]
    .concat(Object.values(edits))
    .filter((words) => words !== "")
    .join(" · ");
