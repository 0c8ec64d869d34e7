import type { JSX } from "preact";
import { aboutLines, excerptOf, tintOf, topicOf, edgeOf, isRuleAt } from "../../model/excerpt.ts";
import { hasHidden } from "../../model/text.ts";
import type { Pane } from "../../model/pane.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { optional } from "../more.tsx";
import { copyText, TerminalText } from "./text.tsx";
import { count, moreWords } from "../../words/common.ts";

/** The command or file that the question is about, then the other lines: wrapped, never cut. */
export function Excerpt(props: {
  readonly pane: Pane;
  /** On a low narrow screen the answers then stand beside it, which leaves room for every line. */
  readonly isWhole: boolean;
}): JSX.Element | null {
  const { pane, isWhole } = props;
  const { layout, router } = useBrowser();
  const lines = excerptOf(pane);
  const { topic, evidence } = topicOf(lines);
  const about = aboutLines(pane, evidence);
  const rest = about?.rest ?? evidence;
  // A single line beside a command is its description.
  const isPurpose = about?.kind === "command" && rest.length === 1;
  // A low screen has room for one line, and the answers.
  const isNarrow = layout.columns.value === 1;
  const hasOneLine = layout.isLow.value && layout.columns.value < 3 && !(isWhole && isNarrow);
  const isFolded = hasOneLine && about !== null && rest.length > 0;
  const look = "about-file flex baseline between gap-8 mt-12 fs-17 anywhere";
  const file = about?.kind === "file" && (
    <>
      <b>
        <TerminalText text={about.lines.join("")} />
      </b>
      <Counts {...about} />
    </>
  );
  return (
    <>
      {about?.kind === "command" && <Lines lines={about.lines} isAbout />}
      {file && !isFolded && <p class={look}>{file}</p>}
      {isPurpose && (
        <p class="hint">
          <TerminalText text={rest.join("").trim()} />
        </p>
      )}
      {!isPurpose && isFolded && (
        <details>
          <summary class={file ? look : "flex between fs-13 text-2"}>
            {file || count(rest.length, "more line", "more lines")}
            <span class="fs-13 bold text-accent">Show</span>
          </summary>
          <Lines lines={rest} />
        </details>
      )}
      {!isPurpose && !isFolded && rest.length > 0 && <Lines lines={rest} />}
      {pane.cut !== null && (
        <p class="cut flex between gap-8 mt-12 round-2 fs-13 text-2">
          {moreWords(pane.cut)}
          <Button tone="plain" size="small" onClick={() => router.goPane(pane.id)}>
            Screen
          </Button>
        </p>
      )}
      {lines.some(hasHidden) && <p class="hint">Hidden direction marks are shown.</p>}
      {topic !== null && (
        <p class="hint topic">
          <TerminalText text={topic} />
        </p>
      )}
    </>
  );
}

/** Probably higher than its box, which then must be reached by Tab to be scrolled by keys. */
const isLong = (lines: readonly string[]) => lines.length > 10 || lines.join("").length > 400;

export function Lines(props: {
  readonly lines: readonly string[];
  readonly isAbout?: boolean;
}): JSX.Element {
  const { lines, isAbout = false } = props;
  const client = useClient();
  const isTinted = client.browser.preferences.current.value.tintDiffs;
  const isScrolled = !isAbout && isLong(lines);
  return (
    <div class={`excerpt ${isAbout ? "about" : ""} relative mt-12 round-2`}>
      <pre dir="ltr" tabIndex={isScrolled ? 0 : undefined}>
        <IconButton
          icon="copy"
          class="excerpt-copy relative text-3"
          label="Copy these lines"
          onClick={() => copyText(client, lines.join("\n"))}
        />
        {lines.map((line, i) => (
          <Line key={i} text={line} class={isTinted ? (tintOf(line) ?? "") : ""} />
        ))}
        {/* Its room is kept until it is loaded. */}
        {isScrolled && (
          <div class="lines-below">
            <optional.LinesBelow key={lines.join("\n")} />
          </div>
        )}
      </pre>
    </div>
  );
}

/** Stays whole: broken after its dashes, a flag would read as two arguments. */
const FLAG = /(?<!\S)(--?[\w-]{1,22})(?![\w-])/;

/** One wrapped line; a right border of a drawn box is hidden where it does not fit. */
export function Line(props: { readonly text: string; readonly class: string }): JSX.Element {
  const { text } = props;
  const edgeAt = edgeOf(text);
  const parts = text.slice(0, edgeAt).split(FLAG);
  return (
    <span class={`line ${edgeAt < text.length ? "boxed" : ""} ${props.class}`}>
      {parts.map((part, i) => (
        <TerminalText text={part} class={i % 2 === 1 ? "nowrap" : ""} dir="ltr" />
      ))}
      {isRuleAt(text, edgeAt) && <span class="edge">{text.slice(edgeAt)}</span>}
    </span>
  );
}

/** "+61 −18", read as "added 61, removed 18"; nothing where both are 0 or unknown. */
export function Counts(props: {
  readonly added: number | null;
  readonly removed: number | null;
}): JSX.Element | null {
  const [added, removed] = [props.added ?? 0, props.removed ?? 0];
  if (added + removed === 0) return null;
  const spoken = `added ${added}, removed ${removed}`;
  return (
    <span class="counts rigid fs-13 numbers" role="img" aria-label={spoken}>
      {added > 0 && <span class="text-ok">+{added}</span>}{" "}
      {removed > 0 && <span class="text-error">−{removed}</span>}
    </span>
  );
}
