import type { ComponentChildren, JSX } from "preact";
import { type Failure, sentenceOf } from "../../net/api.ts";
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
      {rule !== undefined && <p class="mt-4 fs-12 mono text-3 anywhere">by {rule}</p>}
    </Section>
  );
}

/** Why the server did not do it, in its words. */
export function faultText(what: string, failure: Failure): string {
  const reason = sentenceOf(failure);
  return reason === "" ? "The server did not answer." : `${what}: ${reason}`;
}
