import type { JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { common, waitText } from "../../words/common.ts";
import { useDerived } from "./derived.ts";

/** The time since a moment; without one, now. Drawn again when its words change, not with every second. */
export function Ago(props: { readonly at: number | null; readonly class?: string }): JSX.Element {
  const { at } = props;
  const { clock } = useBrowser();
  const text = useDerived(() => waitText(at === null ? 0 : clock.now.value - at), [at]);
  return <span class={`${props.class ?? ""} numbers`}>{text}</span>;
}

/** How long something is asked. */
export function Asked({ at }: { readonly at: number }): JSX.Element {
  return (
    <span class="wait needs_input">
      <StatusIcon shape="needs_input" label={common.status.needs_input} />
      <Ago at={at} />
    </span>
  );
}
