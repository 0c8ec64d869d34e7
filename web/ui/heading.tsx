// The line above a section, and the tag beside a name. A heading has one look for each place:
//   list   above rows of a list            sheet  above the set of a sheet
//   panel  the box with its heading in it  page   above a part of a page
import type { ComponentChildren, JSX } from "preact";

export interface HeadingProps {
  readonly title: ComponentChildren;
  readonly count?: number;
  readonly end?: ComponentChildren;
  readonly kind?: "list" | "sheet" | "panel" | "page";
  readonly level?: 2 | 3 | 4;
  readonly id?: string;
  /** For screen readers alone. */
  readonly isHidden?: boolean;
}

export function Heading(props: HeadingProps): JSX.Element {
  const { title, count, end, kind = "list", id, isHidden = false } = props;
  const Level = `h${props.level ?? (kind === "sheet" ? 3 : 2)}` as "h2" | "h3" | "h4";
  const lies = kind === "page" ? "baseline" : "";
  return (
    <div
      class={isHidden ? "visually-hidden" : `heading of-${kind} flex ${lies} gap-8 fs-13 text-3`}
    >
      <Level class="bold text-2" id={id}>
        {title}
        {count !== undefined && (
          <>
            <span class="visually-hidden">, </span>
            <span class="count numbers text-3">{count}</span>
          </>
        )}
      </Level>
      {end}
    </div>
  );
}

/** A word or two on a tint, beside a name. */
export function Tag(props: {
  readonly tone?: "ok" | "needs" | "error" | "accent" | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`tag inline rigid gap-4 fs-12 nowrap ${props.tone ?? ""}`}>{props.children}</span>
  );
}
