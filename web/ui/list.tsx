// Rows and sections of a list. A row:
//   lead (tile, icon, tick)   title  titleEnd (time)      end (chevron, button, switch)
//                             second, mono (a line of a terminal)
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Heading, type HeadingProps } from "./heading.tsx";

interface RowPartsProps {
  readonly lead?: ComponentChildren;
  readonly title: ComponentChildren;
  readonly titleEnd?: ComponentChildren;
  readonly second?: ComponentChildren;
  readonly mono?: ComponentChildren;
  readonly end?: ComponentChildren;
}

/** The inside alone, for rows that are links, options or labels. */
export function RowParts(props: RowPartsProps): JSX.Element {
  const { lead, title, titleEnd, second, mono, end } = props;
  return (
    <>
      {lead}
      <span class="grow own-line">
        <span class="row-first flex gap-6 fs-15">
          <b class="truncate">{title}</b>
          {titleEnd}
        </span>
        {second !== undefined && (
          <span class="row-second own-line fs-13 text-2 truncate">{second}</span>
        )}
        {mono !== undefined && (
          <span class="row-mono own-line truncate" dir="ltr">
            {mono}
          </span>
        )}
      </span>
      {end}
    </>
  );
}

export function Row(
  props: RowPartsProps & { readonly class?: string; readonly onClick?: () => void },
): JSX.Element {
  const { class: extra = "", onClick, ...parts } = props;
  const classes = `row ${extra}`;
  if (onClick === undefined)
    return (
      <div class={classes}>
        <RowParts {...parts} />
      </div>
    );
  return (
    <button type="button" class={`${classes} full`} onClick={onClick}>
      <RowParts {...parts} />
    </button>
  );
}

/** A heading (`heading.tsx`) and what belongs to it. */
export function Section(
  props: Omit<HeadingProps, "id"> & { readonly children: ComponentChildren },
): JSX.Element {
  const { children, ...heading } = props;
  const id = useId();
  // A named section is a landmark: one for each group of a list would be too many.
  const isNamed = heading.kind !== undefined && heading.kind !== "list";
  return (
    <section
      class={heading.kind === "panel" ? "panel" : undefined}
      aria-labelledby={isNamed ? id : undefined}
    >
      <Heading {...heading} id={id} />
      {children}
    </section>
  );
}
