// Tile: two letters for what runs in a pane, in a colour of its own for each agent and in grey for
// programs and shells; with `status`, the status sits at its corner. AgentTile: the same of an agent.
import type { JSX } from "preact";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { appearanceOf, kindLetters, tileLetters, tileTone, type Pane } from "../../model/pane.ts";
import { StatusIcon, type StatusShape } from "../../ui/icons.tsx";
import { memo } from "../../ui/memo.tsx";
import { common } from "../../words/common.ts";

type Size = "small" | undefined;

export function Tile(props: {
  readonly pane: Pane;
  readonly status?: boolean;
  readonly size?: Size | undefined;
}): JSX.Element {
  const { pane, status = false, size } = props;
  return (
    <TileView
      letters={tileLetters(pane)}
      tone={tileTone(pane.kind, pane.agent !== null)}
      shape={status ? appearanceOf(pane) : null}
      size={size}
    />
  );
}

export function AgentTile(props: {
  readonly agent: Pick<SeenAgent, "runtime">;
  readonly shape?: StatusShape;
  /** What the shape means, where it is more than its own word. */
  readonly label?: string;
  readonly size?: Size | undefined;
}): JSX.Element {
  const { agent, shape = null, label, size } = props;
  return (
    <TileView
      letters={kindLetters(agent.runtime, agent.runtime)}
      tone={tileTone(agent.runtime, true)}
      shape={shape}
      label={label}
      size={size}
    />
  );
}

const TileView = memo(function TileView(props: {
  readonly letters: string;
  readonly tone: string;
  readonly shape: StatusShape | null;
  readonly label?: string | undefined;
  readonly size: Size;
}): JSX.Element {
  const { letters, tone, shape, size } = props;
  const spoken = props.label ?? (shape === null || shape === "ok" ? "" : common.status[shape]);
  return (
    <span class={`tile ${size ?? ""} ${shape === null ? "" : "with-status"}`} data-tone={tone}>
      <span aria-hidden="true">{letters}</span>
      {shape !== null && <StatusIcon shape={shape} label={spoken} />}
    </span>
  );
});
