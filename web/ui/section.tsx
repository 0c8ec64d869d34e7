// Section: a heading, with its props (`heading.tsx`), and what belongs to it.
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Heading, type HeadingProps } from "./heading.tsx";

export function Section(
  props: Omit<HeadingProps, "id"> & { readonly children: ComponentChildren },
): JSX.Element {
  const { children, ...heading } = props;
  const id = useId();
  // A region for each group of rows would be more landmarks than a list has groups.
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
