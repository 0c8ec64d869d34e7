import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Pane } from "../../model/pane.ts";
import { type Client, useClient } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { copyText } from "./text.tsx";
import { count } from "../../words/common.ts";

export const COPY_LINES = 40;

export function copyLast(client: Client, pane: Pane): void {
  copyText(client, pane.lines.slice(-COPY_LINES).join("\n"));
}

/** Lines to copy; a tap on them selects them all. */
export function CopyLines({ text }: { readonly text: string }): JSX.Element {
  const client = useClient();
  return (
    <div class="copy-lines flex mt-8 terminal-ground round-2">
      <code class="grow lines" dir="ltr">
        {text}
      </code>
      <IconButton icon="copy" label="Copy" onClick={() => copyText(client, text)} />
    </div>
  );
}

/** Counts the lines below the edge of their box; a tap scrolls the box to the next ones. */
export function LinesBelow(): JSX.Element {
  const row = useRef<HTMLButtonElement>(null);
  const [below, setBelow] = useState(0);
  useEffect(() => {
    const box = row.current?.closest("pre");
    if (!box) return;
    const measure = () => {
      const edge = row.current?.getBoundingClientRect().top ?? 0;
      const ends = [...box.querySelectorAll(".line")].map((e) => e.getBoundingClientRect().bottom);
      setBelow(ends.filter((end) => end > edge + 1).length);
    };
    const sizes = new ResizeObserver(measure);
    sizes.observe(box);
    box.addEventListener("scroll", measure, { passive: true });
    return () => {
      sizes.disconnect();
      box.removeEventListener("scroll", measure);
    };
  }, []);
  const goOn = () => {
    const box = row.current?.closest("pre");
    box?.scrollBy(0, box.clientHeight / 2);
  };
  return (
    <button ref={row} type="button" class="own-line full fs-13 bold text-accent" onClick={goOn}>
      {below > 0 && count(below, "more line", "more lines")}
    </button>
  );
}
