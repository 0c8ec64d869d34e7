// Tile: two letters for what runs in a pane, in a colour of its own for each agent and in grey for
// programs and shells; with `status`, the status sits at its corner. AgentTile: the same of an agent.
import type { JSX } from "preact";
import type { SeenAgent } from "../../../src/protocol/tolerant-later.ts";
import { appearanceOf, kindLetters, tileLetters, tileTone, type Pane } from "../../model/pane.ts";
import { StatusIcon, type StatusShape } from "../../ui/icons.tsx";
import { common } from "../../words/common.ts";

export function Tile(props: { readonly pane: Pane; readonly status?: boolean }): JSX.Element {
  const { pane, status = false } = props;
  const tone = tileTone(pane.kind, pane.agent !== null);
  return drawn(tileLetters(pane), tone, status ? appearanceOf(pane) : null);
}

export function AgentTile(props: {
  readonly agent: Pick<SeenAgent, "runtime">;
  readonly shape?: StatusShape;
}): JSX.Element {
  const { agent, shape = null } = props;
  const { runtime } = agent;
  return drawn(kindLetters(runtime, runtime), tileTone(runtime, true), shape);
}

function drawn(letters: string, tone: string, shape: StatusShape | null): JSX.Element {
  const spoken = shape === null || shape === "ok" ? "" : common.status[shape];
  const hue = tone === "" ? {} : { color: `var(--${tone})`, background: `var(--${tone}-tint)` };
  return (
    <span class={`tile ${shape === null ? "" : "with-status"}`} style={hue}>
      <span aria-hidden="true">{letters}</span>
      {shape !== null && <StatusIcon shape={shape} label={spoken} />}
    </span>
  );
}
