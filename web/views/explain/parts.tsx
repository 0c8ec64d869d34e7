import type { ComponentChildren, JSX } from "preact";
import { Section } from "../../ui/section.tsx";

/** A part of the sheet, below its heading. */
export function Part(props: {
  readonly title: string;
  readonly rule?: string;
  readonly end?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, rule, end, children } = props;
  return (
    <Section
      kind="sheet"
      class="explain-part"
      title={title}
      end={<span class="numbers">{end}</span>}
    >
      {children}
      {rule !== undefined && <p class="explain-rule mono">{rule}</p>}
    </Section>
  );
}
