import type { JSX } from "preact";

/** The sign of the product: three panes, one of them lit, or a tick when none needs you; neither where nothing is seen. */
export function Mark({ lit }: { readonly lit?: boolean }): JSX.Element {
  return (
    <svg class={`mark ${lit === true ? "lit" : ""}`} viewBox="0 0 56 56" aria-hidden="true">
      <rect class="frame" x="2" y="2" width="52" height="52" rx="14" />
      <rect class="part" x="11" y="11" width="15.5" height="34" rx="4" />
      <rect class="part light" x="29.5" y="11" width="15.5" height="15.5" rx="4" />
      <rect class="part" x="29.5" y="29.5" width="15.5" height="15.5" rx="4" />
      {lit === false && <path class="tick" d="m33 19 3 3 5.5-6.4" />}
    </svg>
  );
}
