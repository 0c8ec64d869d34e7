import type { JSX } from "preact";

/** "+61 −18", read as "added 61, removed 18"; nothing where nobody has counted. */
export function Counts(props: {
  readonly added: number | null;
  readonly removed: number | null;
}): JSX.Element | null {
  const { added, removed } = props;
  if (added === null || removed === null) return null;
  return (
    <span class="counts rigid fs-13 numbers">
      <span class="visually-hidden">{`added ${added}, removed ${removed}`}</span>
      <span aria-hidden="true">
        {added > 0 && <span class="text-ok">+{added}</span>}{" "}
        {removed > 0 && <span class="text-error">−{removed}</span>}
      </span>
    </span>
  );
}
