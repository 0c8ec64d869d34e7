import type { JSX } from "preact";
import { excerptOf, tintOf, topicOf, edgeOf, isRuleAt } from "../../model/excerpt.ts";
import { hasHidden, visiblePieces } from "../../model/text.ts";
import type { Pane } from "../../model/pane.ts";
import { useClient } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { Untrusted } from "../../ui/text.tsx";
import { TerminalText } from "./text.tsx";
import { copyText } from "./copy.ts";
import { moreWords } from "../../words/queue.ts";

/** The lines that the question is about: wrapped, never cut, hidden marks drawn. */
export function Excerpt({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const lines = excerptOf(pane);
  const { topic, evidence } = topicOf(lines);
  return (
    <>
      {evidence.length > 0 && <Lines lines={evidence} />}
      {pane.cut !== null && <p class="hint">{moreWords(pane.cut)}</p>}
      {lines.some(hasHidden) && <p class="hint">Hidden direction marks are shown.</p>}
      {topic !== null && (
        <p class="hint topic">
          <TerminalText text={topic} />
        </p>
      )}
    </>
  );
}

/** Probably higher than its box: then the arrow keys must reach it. */
const isLong = (lines: readonly string[]) => lines.length > 10 || lines.join("").length > 400;

export function Lines({ lines }: { readonly lines: readonly string[] }): JSX.Element {
  const client = useClient();
  const isTinted = client.browser.preferences.current.value.tintDiffs;
  return (
    <div class="excerpt">
      <pre dir="ltr" tabIndex={isLong(lines) ? 0 : undefined}>
        <IconButton
          icon="copy"
          class="excerpt-copy"
          label="Copy these lines"
          onClick={() => copyText(client, lines.join("\n"))}
        />
        {lines.map((line, i) => (
          <Line key={i} text={line} class={isTinted ? (tintOf(line) ?? "") : ""} />
        ))}
      </pre>
    </div>
  );
}

/** One line, wrapped. A drawn line is cut where it does not fit; the right border of a box goes. */
export function Line(props: { readonly text: string; readonly class: string }): JSX.Element {
  const { text } = props;
  const edgeAt = edgeOf(text);
  return (
    <span class={`line ${edgeAt < text.length ? "boxed" : ""} ${props.class}`}>
      <Untrusted pieces={visiblePieces(text.slice(0, edgeAt))} dir="ltr" />
      {isRuleAt(text, edgeAt) && <span class="edge">{text.slice(edgeAt)}</span>}
    </span>
  );
}
