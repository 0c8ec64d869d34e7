// A row of a list:
//   lead (tile, icon, tick)   title  titleEnd (time)      end (chevron, button, switch)
//                             second, mono (a line of a terminal)
import type { ComponentChildren, JSX } from "preact";

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
