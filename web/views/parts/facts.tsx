import type { JSX } from "preact";
import { TerminalText } from "./text.tsx";

/** Names with their values, a line each; a value that is empty is left out. */
export function FactList(props: {
  readonly facts: readonly (readonly [name: string, value: string])[];
}): JSX.Element {
  return (
    <dl class="grid gap-6 fs-13 numbers">
      {props.facts.map(
        ([name, value]) =>
          value !== "" && (
            <div key={name} class="flex start between gap-12">
              <dt class="rigid text-2">{name}</dt>
              <dd class="to-end anywhere">
                <TerminalText text={value} />
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
