// A heading (`heading.tsx`) and what belongs to it.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Heading, type HeadingProps } from "./heading.tsx";

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
