import type { ComponentChildren, JSX } from "preact";

/** A word or two on a tint, beside a name. */
export function Tag(props: {
  readonly tone?: "ok" | "needs" | "error" | "accent" | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`tag inline rigid gap-4 fs-12 nowrap ${props.tone ?? ""}`}>{props.children}</span>
  );
}
