import type { JSX } from "preact";

/** How much of its own plan an agent has ticked off. */
export function Progress(props: { readonly done: number; readonly total: number }): JSX.Element {
  const { done, total } = props;
  return (
    <div class="progress numbers">
      <progress max={total} value={done} aria-label="Progress" />
      <b>{`${done} of ${total}`}</b>
    </div>
  );
}
