import type { JSX } from "preact";
import { appearanceOf, tileLetters, type Appearance, type Pane } from "../../model/pane.ts";
import { StatusIcon } from "../../ui/icons.tsx";
import { memo } from "../../ui/memo.tsx";
import { common } from "../../words/common.ts";

/** Two letters for the program; with `status`, the status sits at its corner. */
export function Tile(props: {
  readonly pane: Pane;
  readonly status?: boolean;
  readonly size?: "small" | undefined;
}): JSX.Element {
  const { pane, status = false, size } = props;
  return (
    <TileView
      letters={tileLetters(pane)}
      appearance={status ? appearanceOf(pane) : null}
      size={size}
    />
  );
}

const TileView = memo(function TileView(props: {
  readonly letters: string;
  readonly appearance: Appearance | null;
  readonly size: "small" | undefined;
}): JSX.Element {
  const { letters, appearance, size } = props;
  return (
    <span class={`tile ${size ?? ""} ${appearance === null ? "" : "with-status"}`}>
      <span aria-hidden="true">{letters}</span>
      {appearance !== null && <StatusIcon shape={appearance} label={common.status[appearance]} />}
    </span>
  );
});
