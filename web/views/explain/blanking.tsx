import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { fillerOf, piecesOf } from "../../model/blank.ts";
import { edgeOf, isRuleAt } from "../../model/frame.ts";
import { cleanInput, visiblePieces } from "../../model/text.ts";
import {
  MAX_BLANKED_CHARS,
  MAX_BLANKED_WORDS,
  type WrongScreen,
} from "../../state/server/wrong.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Untrusted } from "../../ui/text.tsx";
import { wrong as words } from "../../words/explain.ts";
import { TerminalText } from "../parts/text.tsx";
import { Part } from "./parts.tsx";

/**
 * Lines as they will be saved. A tap on a word marks it, another takes that back; the field below does
 * the same without a pointer.
 */
export function Markable(props: {
  readonly lines: readonly string[];
  readonly screen: WrongScreen;
}): JSX.Element {
  const { lines, screen } = props;
  const blanked = screen.blanked.value;
  const onClick = ({ target }: MouseEvent) => {
    const piece = target instanceof Element ? target.closest<HTMLElement>("[data-word]") : null;
    const word = piece?.dataset["word"];
    if (word === undefined) return;
    if (blanked.includes(word)) screen.unmark(word);
    else screen.mark(word);
  };
  return (
    <div class="excerpt wrong-lines">
      <pre dir="ltr" onClick={onClick}>
        {lines.map((line, i) => (
          <MarkableLine key={i} line={line} blanked={blanked} />
        ))}
      </pre>
    </div>
  );
}

/** The frame at its end is cut where it does not fit: it is no word. */
function MarkableLine(props: {
  readonly line: string;
  readonly blanked: readonly string[];
}): JSX.Element {
  const { line, blanked } = props;
  const edgeAt = edgeOf(line);
  return (
    <span class={`line ${edgeAt < line.length ? "boxed" : ""}`}>
      {piecesOf(line.slice(0, edgeAt), blanked).map(({ kind, text, start }) => (
        <span
          key={start}
          class={kind === "blanked" ? "wrong-blanked" : ""}
          data-word={kind === "between" ? undefined : text}
        >
          {kind === "blanked" ? (
            fillerOf(text)
          ) : (
            <Untrusted pieces={visiblePieces(text)} dir="ltr" />
          )}
        </span>
      ))}
      {isRuleAt(line, edgeAt) && <span class="edge">{line.slice(edgeAt)}</span>}
    </span>
  );
}

/** The words that are blanked out, and a field for more. `known`: what can be offered. */
export function Blanked(props: {
  readonly screen: WrongScreen;
  readonly known: readonly string[];
}): JSX.Element {
  const { screen, known } = props;
  const [fresh, setFresh] = useState("");
  const listId = useId();
  const blanked = screen.blanked.value;
  const word = fresh.trim();
  const mark = () => {
    screen.mark(word);
    setFresh("");
  };
  return (
    <Part title={words.blankedOut} end={words.blankedCount(blanked.length, MAX_BLANKED_WORDS)}>
      <ul class="set">
        {blanked.map((one) => (
          <li key={one} class="edit-row">
            <span class="grow wrong-word mono">
              <TerminalText text={one} />
            </span>
            <IconButton icon="close" label={words.unmark(one)} onClick={() => screen.unmark(one)} />
          </li>
        ))}
        <li key="" class="edit-row">
          <input
            type="text"
            class="mono"
            dir="auto"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            list={listId}
            maxLength={MAX_BLANKED_CHARS}
            aria-label={words.word}
            placeholder={words.word}
            value={fresh}
            onInput={(event) => setFresh(cleanInput(event.currentTarget.value).text)}
            onKeyDown={(event) => {
              if (event.key === "Enter") mark();
            }}
          />
          <Button
            size="small"
            disabled={word === "" || blanked.length >= MAX_BLANKED_WORDS}
            onClick={mark}
          >
            {words.mark}
          </Button>
        </li>
      </ul>
      <datalist id={listId}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <p class="explain-text">{words.wordHint}</p>
    </Part>
  );
}
