import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

/** A part of the sheet, below its heading. */
export function Part(props: {
  readonly title: string;
  readonly rule?: string;
  readonly end?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, rule, end, children } = props;
  const id = useId();
  return (
    <section class="explain-part" aria-labelledby={id}>
      <div class="group-head">
        <h3 id={id}>{title}</h3>
        <span class="numbers">{end}</span>
      </div>
      {children}
      {rule !== undefined && <p class="explain-rule mono">{rule}</p>}
    </section>
  );
}
