import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SeenDelta } from "../../../src/protocol/tolerant-agents.ts";
import {
  changeLines,
  type ChangeKind,
  type ChangeLine,
} from "../../../src/protocol/change-lines.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, type IconName, StatusIcon } from "../../ui/icons.tsx";
import { review as words } from "../../words/review.ts";
import { TerminalText } from "../parts/text.tsx";

/** What a card says first; the rest is behind "n more". */
const MAX_LINES = 3;

/** What has none is done with. */
const SHAPES: Readonly<Partial<Record<ChangeKind, IconName>>> = {
  blocked: "blocked",
  goal: "goal",
  decided: "decided",
  now: "active",
  next: "next",
};
/** Where the shape says it all, the word is for those who do not see it. */
const WORDLESS: ReadonlySet<ChangeKind> = new Set(["done"]);

/** What changed: at most a few lines, and the rest behind a count. */
export function Changes(props: {
  readonly changes: SeenDelta;
  readonly isWhole?: boolean;
}): JSX.Element | null {
  const { changes, isWhole = false } = props;
  const [isOpen, setOpen] = useState(isWhole);
  const lines = changeLines(changes);
  if (lines.length === 0) return null;
  const shown = isOpen ? lines : lines.slice(0, MAX_LINES);
  const hidden = lines.length - shown.length;
  return (
    <ul class="changes">
      {shown.map((line, index) => (
        <Change key={`${line.kind} ${index}`} line={line} />
      ))}
      {!isWhole && lines.length > MAX_LINES && (
        <li class="changes-more">
          <Button tone="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Fewer" : `${hidden} more`}
          </Button>
        </li>
      )}
    </ul>
  );
}

function Change({ line: { kind, text } }: { readonly line: ChangeLine }): JSX.Element {
  const shape = SHAPES[kind];
  return (
    <li class={kind}>
      {shape === undefined ? <StatusIcon shape="ok" /> : <Icon name={shape} class="small" />}
      <span>
        <b class={WORDLESS.has(kind) ? "visually-hidden" : ""}>{words.changes[kind]}</b>{" "}
        <TerminalText text={text} />
      </span>
    </li>
  );
}
