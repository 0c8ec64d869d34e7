import type { ComponentChildren, JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Icon } from "../../ui/button.tsx";

export interface Back {
  /** The accessible name, where no text stands beside the chevron. */
  readonly label?: string;
  readonly text?: ComponentChildren;
  readonly onBack?: () => void;
}

export function BackButton({ label, text, onBack }: Back): JSX.Element {
  const { router } = useBrowser();
  const back = onBack ?? (() => router.back());
  return (
    <button type="button" class="back inline fs-16 text-accent" aria-label={label} onClick={back}>
      <Icon name="back" />
      {text}
    </button>
  );
}

/** The header of a page: the way back on a phone, its title with a line below, and its tools. */
export function Head(props: {
  readonly title: ComponentChildren;
  readonly second?: ComponentChildren;
  readonly back?: Back | null;
  /** Drawn beside a list only. */
  readonly tile?: ComponentChildren;
  readonly end?: ComponentChildren;
  /** 2 within a page that has a head. */
  readonly level?: 1 | 2;
}): JSX.Element {
  const { title, second, back = null, tile, end, level = 1 } = props;
  const Title = level === 1 ? "h1" : "h2";
  const { layout } = useBrowser();
  const isNarrow = layout.columns.value === 1;
  return (
    <header class={`${isNarrow ? "bar" : "pane-header gap-8"} flex rigid ground rule-below`}>
      {back !== null && <BackButton {...back} />}
      {!isNarrow && tile}
      <div class="bar-title grow">
        <Title class="truncate fs-16 bold">{title}</Title>
        {second !== undefined && <p class="truncate flex fs-12 text-2">{second}</p>}
      </div>
      {end}
    </header>
  );
}
