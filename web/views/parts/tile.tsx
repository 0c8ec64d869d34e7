import type { JSX } from "preact";
import { appearanceOf, tileLetters, type Pane } from "../../model/pane.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { common } from "../../words/common.ts";

/** Two letters for the program; with `status`, the status sits at its corner. */
export function Tile(props: {
  readonly pane: Pane;
  readonly status?: boolean;
  readonly size?: "small" | undefined;
}): JSX.Element {
  const { pane, status = false, size } = props;
  const appearance = appearanceOf(pane);
  return (
    <span class={`tile ${size ?? ""} ${status ? "with-status" : ""}`}>
      <span aria-hidden="true">{tileLetters(pane)}</span>
      {status && <StatusIcon shape={appearance} label={common.status[appearance]} />}
    </span>
  );
}
