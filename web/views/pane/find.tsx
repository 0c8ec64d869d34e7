import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import type { ScreenView } from "./screen.ts";
import { giveFocus } from "../../ui/focus.ts";

const ALL = "find";
const CURRENT = "find-current";
const MAX_MATCHES = 1000;

/** Finds text in the terminal and marks it without touching its nodes. */
export function Find(props: {
  readonly screen: { readonly current: ScreenView | null };
  readonly area: { readonly current: HTMLElement | null };
  readonly lines: readonly string[];
}): JSX.Element {
  const { screen, area, lines } = props;
  const { terminal } = useBrowser();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [current, setCurrent] = useState(0);
  const [ranges, setRanges] = useState<readonly Range[]>([]);

  useEffect(() => {
    // Opened by a key or a press, so it may take the focus from where that was.
    giveFocus(field.current, document.activeElement);
    return () => mark([], 0);
  }, []);
  useEffect(() => {
    // After the screen has drawn its rows.
    const frame = requestAnimationFrame(() =>
      setRanges(findRanges(screen.current?.rows ?? [], text)),
    );
    return () => cancelAnimationFrame(frame);
  }, [text, lines]);
  useEffect(() => mark(ranges, current), [ranges, current]);

  const close = () => {
    terminal.isFinding.value = false;
    giveFocus(area.current, field.current?.closest("search"));
  };
  const go = (step: number) => {
    if (ranges.length === 0) return;
    const next = (current + step + ranges.length) % ranges.length;
    setCurrent(next);
    terminal.isFollowing.value = false;
    ranges[next]?.startContainer.parentElement?.scrollIntoView({ block: "center" });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter") go(event.shiftKey ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search class="find flex rigid relative rule-below">
      <input
        ref={field}
        class="bare grow fs-16"
        type="search"
        aria-label="Find in output"
        placeholder="Find"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setCurrent(0);
        }}
        onKeyDown={onKeyDown}
      />
      <span class="fs-13 nowrap numbers text-2" role="status">
        {text !== "" &&
          (ranges.length === 0
            ? "None"
            : `${Math.min(current + 1, ranges.length)} of ${ranges.length}`)}
      </span>
      <IconButton icon="up" label="Previous match" onClick={() => go(-1)} />
      <IconButton icon="down" label="Next match" onClick={() => go(1)} />
      <IconButton icon="close" label="Close find" onClick={close} />
    </search>
  );
}

/** Matches per row, newest first: what is looked for is mostly near the end. */
function findRanges(rows: readonly Element[], text: string): readonly Range[] {
  if (text === "") return [];
  const needle = text.toLowerCase();
  const ranges: Range[] = [];
  for (const row of rows.toReversed()) {
    const content = row.textContent.toLowerCase();
    for (let at = content.indexOf(needle); at >= 0; at = content.indexOf(needle, at + 1)) {
      ranges.push(rangeIn(row, at, at + needle.length));
      if (ranges.length === MAX_MATCHES) return ranges;
    }
  }
  return ranges;
}

/** The characters of a row may be spread over several text nodes. */
function rangeIn(row: Element, start: number, end: number): Range {
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let passed = 0;
  for (let node = walker.nextNode(); node !== null && passed < end; node = walker.nextNode()) {
    const length = node.textContent?.length ?? 0;
    if (passed <= start) range.setStart(node, Math.min(start - passed, length));
    range.setEnd(node, Math.min(end - passed, length));
    passed += length;
  }
  return range;
}

function mark(ranges: readonly Range[], current: number): void {
  if (!("highlights" in CSS)) return;
  const chosen = ranges[current];
  CSS.highlights.set(ALL, new Highlight(...ranges));
  CSS.highlights.set(CURRENT, new Highlight(...(chosen === undefined ? [] : [chosen])));
}
